#include "core/sort_kernels.hpp"

#if defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace thresher::THRESHER_LEVEL {
namespace {

#if defined(__AVX512F__)
inline void exchange(double* low, double* high) {
  const __m512d a = _mm512_loadu_pd(low);
  const __m512d b = _mm512_loadu_pd(high);
  _mm512_storeu_pd(low, _mm512_maskz_min_pd(0xff, a, b));
  _mm512_storeu_pd(high, _mm512_maskz_max_pd(0xff, a, b));
}
inline void exchange(float* low, float* high) {
  const __m512 a = _mm512_loadu_ps(low);
  const __m512 b = _mm512_loadu_ps(high);
  _mm512_storeu_ps(low, _mm512_maskz_min_ps(0xffff, a, b));
  _mm512_storeu_ps(high, _mm512_maskz_max_ps(0xffff, a, b));
}
#else
template <class T>
inline void exchange(T* __restrict low, T* __restrict high) {
  for (std::size_t l = 0; l < kSortLanes<T>; ++l) {
    const T a = low[l];
    const T b = high[l];
    low[l] = a < b ? a : b;
    high[l] = b > a ? b : a;
  }
}
#endif

// Batcher's merge exchange (Knuth 5.2.2, algorithm M): a fixed sequence of comparisons for any n, so that
// all lanes can be sorted in step.
template <class T>
void sort_rows(T* rows, std::size_t n) {
  constexpr std::size_t kWidth = kSortLanes<T>;
  if (n < 2) return;
  std::size_t top = 1;
  while (top * 2 < n) top *= 2;
  for (std::size_t p = top; p > 0; p /= 2) {
    std::size_t q = top;
    std::size_t r = 0;
    std::size_t d = p;
    for (;;) {
      for (std::size_t start = r; start + d < n; start += 2 * p) {
        const std::size_t stop = start + p < n - d ? start + p : n - d;
        for (std::size_t i = start; i < stop; ++i) exchange(rows + i * kWidth, rows + (i + d) * kWidth);
      }
      if (q == p) break;
      d = q - p;
      q /= 2;
      r = p;
    }
  }
}

// Halving without branches on the data, eight values in step.
template <class T>
void find_positions(const T* sorted, std::size_t n, const T* x, std::size_t count, std::uint32_t* positions) {
  constexpr std::size_t kStep = 8;
  for (std::size_t begin = 0; begin < count; begin += kStep) {
    const std::size_t here = count - begin < kStep ? count - begin : kStep;
    T value[kStep];
    std::uint32_t position[kStep];
    for (std::size_t i = 0; i < kStep; ++i) {
      value[i] = x[begin + (i < here ? i : 0)];
      position[i] = 0;
    }
    auto length = static_cast<std::uint32_t>(n);
    while (length > 1) {
      const std::uint32_t half = length / 2;
      for (std::size_t i = 0; i < kStep; ++i) {
        const auto below = static_cast<std::uint32_t>(sorted[position[i] + half - 1] < value[i]);
        position[i] += half & (0u - below);
      }
      length -= half;
    }
    for (std::size_t i = 0; i < here; ++i) {
      positions[begin + i] = position[i] + static_cast<std::uint32_t>(sorted[position[i]] < value[i]);
    }
  }
}

}  // namespace

extern const SortKernels sort_kernels;
const SortKernels sort_kernels{&sort_rows<float>, &sort_rows<double>, &find_positions<float>, &find_positions<double>};

}  // namespace thresher::THRESHER_LEVEL
