#include <cstring>

#include "core/common_bits.hpp"
#include "counting/count_kernels.hpp"

#if defined(__AVX512F__) || defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#endif
#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of the deliberately undefined registers inside its own intrinsics.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

namespace thresher {
namespace THRESHER_LEVEL {
namespace {

// Rows of planes are visited in blocks that stay in the first-level cache with all planes of both columns.
constexpr std::size_t kBlockWords = 128;

#if defined(__AVX512VPOPCNTDQ__)

inline std::uint32_t add_lanes(__m512i v) {
  alignas(64) std::uint64_t lanes[8];
  _mm512_store_si512(lanes, v);
  return static_cast<std::uint32_t>(((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) +
                                    ((lanes[4] + lanes[5]) + (lanes[6] + lanes[7])));
}

// Returns the sums of the lanes of eight vectors, side by side; each is below 2^32, so two share a lane from the start.
inline __m256i add_lanes_of_eight(const __m512i* v) {
  __m512i two[4];
  for (int k = 0; k < 4; ++k) two[k] = _mm512_or_si512(v[2 * k], _mm512_slli_epi64(v[2 * k + 1], 32));
  __m256i four[2];
  for (int k = 0; k < 2; ++k) {
    const __m512i sums = _mm512_add_epi64(_mm512_unpacklo_epi64(two[2 * k], two[2 * k + 1]),
                                          _mm512_unpackhi_epi64(two[2 * k], two[2 * k + 1]));
    four[k] = _mm256_add_epi64(_mm512_castsi512_si256(sums), _mm512_extracti64x4_epi64(sums, 1));
  }
  return _mm256_add_epi64(_mm256_permute2x128_si256(four[0], four[1], 0x20),
                          _mm256_permute2x128_si256(four[0], four[1], 0x31));
}

constexpr int kTileA = 4;
constexpr int kTileB = 4;

// Adds A x B plane pairs over n_words words to vector sums, or starts these; sums_stride vectors lie between rows of
// pairs. A wide tile has the time to fetch the next block of a, which comes from memory; b is read again and again.
template <int A, int B>
inline void add_tile(const std::uint64_t* a, std::size_t a_stride, const std::uint64_t* b, std::size_t b_stride,
                     std::size_t n_words, bool start, __m512i* sums, std::size_t sums_stride) {
  __m512i sum[A][B];
  for (int i = 0; i < A; ++i)
    for (int j = 0; j < B; ++j)
      sum[i][j] = start ? _mm512_setzero_si512()
                        : sums[static_cast<std::size_t>(i) * sums_stride + static_cast<std::size_t>(j)];
  std::size_t w = 0;
  for (; w + 8 <= n_words; w += 8) {
    __m512i left[A];
    for (int i = 0; i < A; ++i) {
      const std::uint64_t* words = a + static_cast<std::size_t>(i) * a_stride + w;
      left[i] = _mm512_loadu_si512(words);
      if constexpr (B == kTileB) __builtin_prefetch(words + kBlockWords);
    }
    for (int j = 0; j < B; ++j) {
      const __m512i right = _mm512_loadu_si512(b + static_cast<std::size_t>(j) * b_stride + w);
      for (int i = 0; i < A; ++i)
        sum[i][j] = _mm512_add_epi64(sum[i][j], _mm512_popcnt_epi64(_mm512_and_si512(left[i], right)));
    }
  }
  if (w < n_words) {
    const auto mask = static_cast<__mmask8>((1u << (n_words - w)) - 1u);
    __m512i left[A];
    for (int i = 0; i < A; ++i)
      left[i] = _mm512_maskz_loadu_epi64(mask, a + static_cast<std::size_t>(i) * a_stride + w);
    for (int j = 0; j < B; ++j) {
      const __m512i right = _mm512_maskz_loadu_epi64(mask, b + static_cast<std::size_t>(j) * b_stride + w);
      for (int i = 0; i < A; ++i)
        sum[i][j] = _mm512_add_epi64(sum[i][j], _mm512_popcnt_epi64(_mm512_and_si512(left[i], right)));
    }
  }
  for (int i = 0; i < A; ++i)
    for (int j = 0; j < B; ++j)
      sums[static_cast<std::size_t>(i) * sums_stride + static_cast<std::size_t>(j)] = sum[i][j];
}

// Plane pairs whose sums fit a few kilobytes next to the blocks.
constexpr std::size_t kMaxSums = 81;
constexpr std::size_t kSumsInEights = (kMaxSums + 7) / 8 * 8;

template <int A>
inline void add_tile_row(PlaneBlock a, PlaneBlock b, std::size_t n_words, bool start, __m512i* sums) {
  std::size_t j = 0;
  for (; j + 4 <= b.n_planes; j += 4)
    add_tile<A, 4>(a.words, a.stride, b.words + j * b.stride, b.stride, n_words, start, sums + j, b.n_planes);
  switch (b.n_planes - j) {
    case 3:
      add_tile<A, 3>(a.words, a.stride, b.words + j * b.stride, b.stride, n_words, start, sums + j, b.n_planes);
      break;
    case 2:
      add_tile<A, 2>(a.words, a.stride, b.words + j * b.stride, b.stride, n_words, start, sums + j, b.n_planes);
      break;
    case 1:
      add_tile<A, 1>(a.words, a.stride, b.words + j * b.stride, b.stride, n_words, start, sums + j, b.n_planes);
      break;
    default: break;
  }
}

void count_few_pairs(PlaneBlock a, PlaneBlock b, std::size_t n_words, std::uint32_t* counts) {
  __m512i sums[kSumsInEights];
  const std::size_t n_pairs = a.n_planes * b.n_planes;
  for (std::size_t k = n_pairs; k % 8 != 0; ++k) sums[k] = _mm512_setzero_si512();
  for (std::size_t first = 0; first < n_words; first += kBlockWords) {
    const std::size_t words = n_words - first < kBlockWords ? n_words - first : kBlockWords;
    const PlaneBlock right = {b.words + first, b.n_planes, b.stride};
    std::size_t i = 0;
    for (; i + 4 <= a.n_planes; i += 4)
      add_tile_row<4>({a.words + i * a.stride + first, 4, a.stride}, right, words, first == 0, sums + i * b.n_planes);
    const PlaneBlock left = {a.words + i * a.stride + first, a.n_planes - i, a.stride};
    switch (left.n_planes) {
      case 3: add_tile_row<3>(left, right, words, first == 0, sums + i * b.n_planes); break;
      case 2: add_tile_row<2>(left, right, words, first == 0, sums + i * b.n_planes); break;
      case 1: add_tile_row<1>(left, right, words, first == 0, sums + i * b.n_planes); break;
      default: break;
    }
  }
  for (std::size_t k = 0; k < n_pairs; k += 8) {
    const std::size_t n = n_pairs - k < 8 ? n_pairs - k : 8;
    _mm256_mask_storeu_epi32(counts + k, static_cast<__mmask8>((1u << n) - 1u), add_lanes_of_eight(sums + k));
  }
}

template <int A, int B>
inline void count_tile(const std::uint64_t* a, std::size_t a_stride, const std::uint64_t* b, std::size_t b_stride,
                       std::size_t n_words, std::uint32_t* counts, std::size_t counts_stride) {
  __m512i sums[A * B];
  add_tile<A, B>(a, a_stride, b, b_stride, n_words, true, sums, B);
  for (int i = 0; i < A; ++i)
    for (int j = 0; j < B; ++j)
      counts[static_cast<std::size_t>(i) * counts_stride + static_cast<std::size_t>(j)] += add_lanes(sums[i * B + j]);
}

#elif defined(__AVX2__)

inline __m256i popcount_bytes(__m256i v) {
  const __m256i low_mask = _mm256_set1_epi8(0x0f);
  const __m256i lookup =
      _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_and_si256(v, low_mask);
  const __m256i high = _mm256_and_si256(_mm256_srli_epi16(v, 4), low_mask);
  return _mm256_add_epi8(_mm256_shuffle_epi8(lookup, low), _mm256_shuffle_epi8(lookup, high));
}

template <int A, int B>
inline void count_tile(const std::uint64_t* a, std::size_t a_stride, const std::uint64_t* b, std::size_t b_stride,
                       std::size_t n_words, std::uint32_t* counts, std::size_t counts_stride) {
  for (int i = 0; i < A; ++i) {
    for (int j = 0; j < B; ++j) {
      const std::uint64_t* left = a + static_cast<std::size_t>(i) * a_stride;
      const std::uint64_t* right = b + static_cast<std::size_t>(j) * b_stride;
      __m256i sum = _mm256_setzero_si256();
      std::size_t w = 0;
      while (w + 4 <= n_words) {
        // Byte sums grow by at most 8 a step: 31 steps fit.
        __m256i bytes = _mm256_setzero_si256();
        for (int step = 0; step < 31 && w + 4 <= n_words; ++step, w += 4) {
          const __m256i both = _mm256_and_si256(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(left + w)),
                                                _mm256_loadu_si256(reinterpret_cast<const __m256i*>(right + w)));
          bytes = _mm256_add_epi8(bytes, popcount_bytes(both));
        }
        sum = _mm256_add_epi64(sum, _mm256_sad_epu8(bytes, _mm256_setzero_si256()));
      }
      std::uint64_t lanes[4];
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(lanes), sum);
      auto total = static_cast<std::uint32_t>(lanes[0] + lanes[1] + lanes[2] + lanes[3]);
      for (; w < n_words; ++w) total += popcount(left[w] & right[w]);
      counts[static_cast<std::size_t>(i) * counts_stride + static_cast<std::size_t>(j)] += total;
    }
  }
}

constexpr int kTileA = 2;
constexpr int kTileB = 2;

#else

template <int A, int B>
inline void count_tile(const std::uint64_t* a, std::size_t a_stride, const std::uint64_t* b, std::size_t b_stride,
                       std::size_t n_words, std::uint32_t* counts, std::size_t counts_stride) {
  for (int i = 0; i < A; ++i) {
    for (int j = 0; j < B; ++j) {
      const std::uint64_t* left = a + static_cast<std::size_t>(i) * a_stride;
      const std::uint64_t* right = b + static_cast<std::size_t>(j) * b_stride;
      counts[static_cast<std::size_t>(i) * counts_stride + static_cast<std::size_t>(j)] +=
          common_bits(left, right, n_words);
    }
  }
}

constexpr int kTileA = 2;
constexpr int kTileB = 2;

#endif

template <int A>
inline void count_tile_row(const std::uint64_t* a, std::size_t a_stride, PlaneBlock b, std::size_t first_word,
                           std::size_t n_words, std::uint32_t* counts) {
  std::size_t j = 0;
  const std::uint64_t* right = b.words + first_word;
  for (; j + kTileB <= b.n_planes; j += kTileB)
    count_tile<A, kTileB>(a, a_stride, right + j * b.stride, b.stride, n_words, counts + j, b.n_planes);
  for (; j < b.n_planes; ++j)
    count_tile<A, 1>(a, a_stride, right + j * b.stride, b.stride, n_words, counts + j, b.n_planes);
}

void count_pairs(PlaneBlock a, PlaneBlock b, std::size_t n_words, std::uint32_t* counts) {
#if defined(__AVX512VPOPCNTDQ__)
  if (n_words > 2 && a.n_planes * b.n_planes <= kMaxSums) {
    count_few_pairs(a, b, n_words, counts);
    return;
  }
#endif
  std::memset(counts, 0, a.n_planes * b.n_planes * sizeof(std::uint32_t));
  if (n_words <= 2) {
    for (std::size_t i = 0; i < a.n_planes; ++i)
      for (std::size_t j = 0; j < b.n_planes; ++j)
        counts[i * b.n_planes + j] += common_bits(a.words + i * a.stride, b.words + j * b.stride, n_words);
    return;
  }
  for (std::size_t first = 0; first < n_words; first += kBlockWords) {
    const std::size_t words = n_words - first < kBlockWords ? n_words - first : kBlockWords;
    std::size_t i = 0;
    for (; i + kTileA <= a.n_planes; i += kTileA)
      count_tile_row<kTileA>(a.words + i * a.stride + first, a.stride, b, first, words, counts + i * b.n_planes);
    for (; i < a.n_planes; ++i)
      count_tile_row<1>(a.words + i * a.stride + first, a.stride, b, first, words, counts + i * b.n_planes);
  }
}

void count_bytes(const std::uint8_t* a, const std::uint8_t* b, std::size_t n, std::size_t a_levels,
                 std::size_t b_levels, std::uint32_t* counts, std::uint32_t* scratch) {
  const std::size_t cells = a_levels * b_levels;
  // Several histograms, so that runs of equal cells do not wait for their own last store.
  if (n < 4 * cells || n < 64) {
    for (std::size_t i = 0; i < n; ++i) ++counts[a[i] * b_levels + b[i]];
    return;
  }
  std::memset(scratch, 0, 4 * cells * sizeof(std::uint32_t));
  std::size_t i = 0;
  for (; i + 4 <= n; i += 4) {
    ++scratch[a[i] * b_levels + b[i]];
    ++scratch[cells + a[i + 1] * b_levels + b[i + 1]];
    ++scratch[2 * cells + a[i + 2] * b_levels + b[i + 2]];
    ++scratch[3 * cells + a[i + 3] * b_levels + b[i + 3]];
  }
  for (; i < n; ++i) ++scratch[a[i] * b_levels + b[i]];
  for (std::size_t c = 0; c < cells; ++c)
    counts[c] += scratch[c] + scratch[cells + c] + scratch[2 * cells + c] + scratch[3 * cells + c];
}

}  // namespace

extern const CountKernels count_kernels;
const CountKernels count_kernels = {count_pairs, count_bytes};

}  // namespace THRESHER_LEVEL
}  // namespace thresher
