#include "moments/transpose_kernels.hpp"

#if defined(__AVX2__)
#include <immintrin.h>
#endif

namespace thresher::THRESHER_LEVEL {
namespace {

template <class T>
void transpose_plain(const T* from, std::size_t from_stride, T* to, std::size_t to_stride, std::size_t rows,
                     std::size_t columns) {
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t r = 0; r < rows; ++r) to[c * to_stride + r] = from[r * from_stride + c];
  }
}

#if defined(__AVX2__)
inline void square(const float* from, std::size_t from_stride, float* to, std::size_t to_stride) {
  __m256 row[8];
  for (std::size_t r = 0; r < 8; ++r) row[r] = _mm256_loadu_ps(from + r * from_stride);
  __m256 pairs[8];
  for (std::size_t r = 0; r < 8; r += 2) {
    pairs[r] = _mm256_unpacklo_ps(row[r], row[r + 1]);
    pairs[r + 1] = _mm256_unpackhi_ps(row[r], row[r + 1]);
  }
  __m256 quads[8];
  for (std::size_t r = 0; r < 8; r += 4) {
    quads[r] = _mm256_shuffle_ps(pairs[r], pairs[r + 2], _MM_SHUFFLE(1, 0, 1, 0));
    quads[r + 1] = _mm256_shuffle_ps(pairs[r], pairs[r + 2], _MM_SHUFFLE(3, 2, 3, 2));
    quads[r + 2] = _mm256_shuffle_ps(pairs[r + 1], pairs[r + 3], _MM_SHUFFLE(1, 0, 1, 0));
    quads[r + 3] = _mm256_shuffle_ps(pairs[r + 1], pairs[r + 3], _MM_SHUFFLE(3, 2, 3, 2));
  }
  for (std::size_t c = 0; c < 4; ++c) {
    _mm256_storeu_ps(to + c * to_stride, _mm256_permute2f128_ps(quads[c], quads[c + 4], 0x20));
    _mm256_storeu_ps(to + (c + 4) * to_stride, _mm256_permute2f128_ps(quads[c], quads[c + 4], 0x31));
  }
}

inline void square(const double* from, std::size_t from_stride, double* to, std::size_t to_stride) {
  const __m256d row0 = _mm256_loadu_pd(from);
  const __m256d row1 = _mm256_loadu_pd(from + from_stride);
  const __m256d row2 = _mm256_loadu_pd(from + 2 * from_stride);
  const __m256d row3 = _mm256_loadu_pd(from + 3 * from_stride);
  const __m256d low01 = _mm256_unpacklo_pd(row0, row1);
  const __m256d high01 = _mm256_unpackhi_pd(row0, row1);
  const __m256d low23 = _mm256_unpacklo_pd(row2, row3);
  const __m256d high23 = _mm256_unpackhi_pd(row2, row3);
  _mm256_storeu_pd(to, _mm256_permute2f128_pd(low01, low23, 0x20));
  _mm256_storeu_pd(to + to_stride, _mm256_permute2f128_pd(high01, high23, 0x20));
  _mm256_storeu_pd(to + 2 * to_stride, _mm256_permute2f128_pd(low01, low23, 0x31));
  _mm256_storeu_pd(to + 3 * to_stride, _mm256_permute2f128_pd(high01, high23, 0x31));
}

// Squares of one 32-byte vector a side, down the rows first, so that every column is written in order.
template <class T>
void transpose(const T* from, std::size_t from_stride, T* to, std::size_t to_stride, std::size_t rows,
               std::size_t columns) {
  constexpr std::size_t kSide = 32 / sizeof(T);
  const std::size_t whole_rows = rows - rows % kSide;
  const std::size_t whole_columns = columns - columns % kSide;
  for (std::size_t c = 0; c < whole_columns; c += kSide) {
    for (std::size_t r = 0; r < whole_rows; r += kSide) {
      square(from + r * from_stride + c, from_stride, to + c * to_stride + r, to_stride);
    }
    transpose_plain(from + whole_rows * from_stride + c, from_stride, to + c * to_stride + whole_rows, to_stride,
                    rows - whole_rows, kSide);
  }
  transpose_plain(from + whole_columns, from_stride, to + whole_columns * to_stride, to_stride, rows,
                  columns - whole_columns);
}
#else
template <class T>
void transpose(const T* from, std::size_t from_stride, T* to, std::size_t to_stride, std::size_t rows,
               std::size_t columns) {
  transpose_plain(from, from_stride, to, to_stride, rows, columns);
}
#endif

}  // namespace

extern const TransposeKernels transpose_kernels;
const TransposeKernels transpose_kernels{&transpose<float>, &transpose<double>};

}  // namespace thresher::THRESHER_LEVEL
