#include <math.h>

#include "core/lanes.hpp"
#include "discretize/cut_kernels.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

// Up to this many cuts are compared one by one; more are searched by halves.
constexpr std::size_t kLinear = 24;

#if defined(__AVX512F__) && defined(__AVX512BW__)
constexpr std::size_t kCodes64 = 16;
inline void codes(const double* x, const double* cuts, std::size_t n_cuts, std::uint8_t* out) {
  const __m512d a = _mm512_loadu_pd(x);
  const __m512d b = _mm512_loadu_pd(x + 8);
  const __m512i one = _mm512_set1_epi64(1);
  __m512i code_a = _mm512_setzero_si512();
  __m512i code_b = code_a;
  for (std::size_t k = 0; k < n_cuts; ++k) {
    const __m512d cut = _mm512_set1_pd(cuts[k]);
    code_a = _mm512_mask_add_epi64(code_a, _mm512_cmp_pd_mask(a, cut, _CMP_GT_OQ), code_a, one);
    code_b = _mm512_mask_add_epi64(code_b, _mm512_cmp_pd_mask(b, cut, _CMP_GT_OQ), code_b, one);
  }
  const __m512i missing = _mm512_set1_epi64(255);
  code_a = _mm512_mask_mov_epi64(code_a, _mm512_cmp_pd_mask(a, a, _CMP_UNORD_Q), missing);
  code_b = _mm512_mask_mov_epi64(code_b, _mm512_cmp_pd_mask(b, b, _CMP_UNORD_Q), missing);
  const __m128i both =
      _mm_unpacklo_epi64(_mm512_maskz_cvtepi64_epi8(0xff, code_a), _mm512_maskz_cvtepi64_epi8(0xff, code_b));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), both);
}
constexpr std::size_t kCodes32 = 16;
inline void codes(const float* x, const float* cuts, std::size_t n_cuts, std::uint8_t* out) {
  const __m512 a = _mm512_loadu_ps(x);
  const __m512i one = _mm512_set1_epi32(1);
  __m512i code = _mm512_setzero_si512();
  for (std::size_t k = 0; k < n_cuts; ++k) {
    code = _mm512_mask_add_epi32(code, _mm512_cmp_ps_mask(a, _mm512_set1_ps(cuts[k]), _CMP_GT_OQ), code, one);
  }
  code = _mm512_mask_mov_epi32(code, _mm512_cmp_ps_mask(a, a, _CMP_UNORD_Q), _mm512_set1_epi32(255));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(out), _mm512_maskz_cvtepi32_epi8(0xffff, code));
}
#elif defined(__AVX2__)
constexpr std::size_t kCodes64 = 8;
inline void codes(const double* x, const double* cuts, std::size_t n_cuts, std::uint8_t* out) {
  const __m256d a = _mm256_loadu_pd(x);
  const __m256d b = _mm256_loadu_pd(x + 4);
  __m256i code_a = _mm256_setzero_si256();
  __m256i code_b = code_a;
  for (std::size_t k = 0; k < n_cuts; ++k) {
    const __m256d cut = _mm256_set1_pd(cuts[k]);
    code_a = _mm256_sub_epi64(code_a, _mm256_castpd_si256(_mm256_cmp_pd(a, cut, _CMP_GT_OQ)));
    code_b = _mm256_sub_epi64(code_b, _mm256_castpd_si256(_mm256_cmp_pd(b, cut, _CMP_GT_OQ)));
  }
  const __m256i low_byte = _mm256_set1_epi64x(255);
  code_a = _mm256_or_si256(code_a, _mm256_castpd_si256(_mm256_cmp_pd(a, a, _CMP_UNORD_Q)));
  code_b = _mm256_or_si256(code_b, _mm256_castpd_si256(_mm256_cmp_pd(b, b, _CMP_UNORD_Q)));
  alignas(32) std::uint64_t wide[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(wide), _mm256_and_si256(code_a, low_byte));
  _mm256_store_si256(reinterpret_cast<__m256i*>(wide + 4), _mm256_and_si256(code_b, low_byte));
  for (std::size_t i = 0; i < 8; ++i) out[i] = static_cast<std::uint8_t>(wide[i]);
}
constexpr std::size_t kCodes32 = 8;
inline void codes(const float* x, const float* cuts, std::size_t n_cuts, std::uint8_t* out) {
  const __m256 a = _mm256_loadu_ps(x);
  __m256i code = _mm256_setzero_si256();
  for (std::size_t k = 0; k < n_cuts; ++k) {
    code = _mm256_sub_epi32(code, _mm256_castps_si256(_mm256_cmp_ps(a, _mm256_set1_ps(cuts[k]), _CMP_GT_OQ)));
  }
  code = _mm256_or_si256(code, _mm256_castps_si256(_mm256_cmp_ps(a, a, _CMP_UNORD_Q)));
  alignas(32) std::uint32_t wide[8];
  _mm256_store_si256(reinterpret_cast<__m256i*>(wide), _mm256_and_si256(code, _mm256_set1_epi32(255)));
  for (std::size_t i = 0; i < 8; ++i) out[i] = static_cast<std::uint8_t>(wide[i]);
}
#else
constexpr std::size_t kCodes64 = 1;
constexpr std::size_t kCodes32 = 1;
template <class T>
inline void codes(const T* x, const T* cuts, std::size_t n_cuts, std::uint8_t* out) {
  unsigned code = *x != *x ? 255u : 0u;
  for (std::size_t k = 0; k < n_cuts; ++k) code += *x > cuts[k] ? 1u : 0u;
  *out = static_cast<std::uint8_t>(code);
}
#endif

template <class T>
std::uint8_t search(T value, const T* cuts, std::size_t n_cuts) {
  if (value != value) return 255;
  if (n_cuts == 0) return 0;
  std::size_t start = 0;
  for (std::size_t length = n_cuts; length > 1;) {
    const std::size_t half = length / 2;
    start += value > cuts[start + half - 1] ? half : 0;
    length -= half;
  }
  return static_cast<std::uint8_t>(start + (value > cuts[start] ? 1u : 0u));
}

template <class T>
void apply(const T* x, std::size_t n, const T* cuts, std::size_t n_cuts, std::uint8_t* out) {
  constexpr std::size_t kStep = sizeof(T) == 4 ? kCodes32 : kCodes64;
  std::size_t i = 0;
  if (n_cuts <= kLinear) {
    for (; i + kStep <= n; i += kStep) codes(x + i, cuts, n_cuts, out + i);
  }
  for (; i < n; ++i) out[i] = search(x[i], cuts, n_cuts);
}

template <class T>
void buckets(const T* x, std::size_t n, T low, T scale, std::size_t n_buckets, std::uint16_t* __restrict out) {
  const T last = static_cast<T>(n_buckets - 1);
  const auto missing = static_cast<std::int32_t>(n_buckets);
  for (std::size_t i = 0; i < n; ++i) {
    const T value = x[i];
    T position = (value - low) * scale;
    position = position > T{0} ? position : T{0};
    position = position < last ? position : last;
    const auto bucket = static_cast<std::int32_t>(position);
    out[i] = static_cast<std::uint16_t>(value == value ? bucket : missing);
  }
}

template <class T>
void neighbours(const T* x, std::size_t n, double threshold, double* below, double* above) {
  constexpr double kInfinity = HUGE_VAL;
  Lanes low = lanes_set(-kInfinity);
  Lanes high = lanes_set(kInfinity);
  const Vec border = vec_set(threshold);
  const Vec nothing_low = vec_set(-kInfinity);
  const Vec nothing_high = vec_set(kInfinity);
  const std::size_t whole = n - n % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t v = 0; v < kVecs; ++v) {
      const Vec value = vec_load(x + i + v * kWidth);
      const VecMask is_above = vec_above(value, border);
      low.part[v] = vec_max(low.part[v], vec_select(is_above, nothing_low, value));
      high.part[v] = vec_min(high.part[v], vec_select(is_above, value, nothing_high));
    }
  }
  double lows[kLanes];
  double highs[kLanes];
  lanes_store(lows, low);
  lanes_store(highs, high);
  double largest = -kInfinity;
  double smallest = kInfinity;
  for (std::size_t l = 0; l < kLanes; ++l) {
    largest = lows[l] > largest ? lows[l] : largest;
    smallest = highs[l] < smallest ? highs[l] : smallest;
  }
  for (std::size_t i = whole; i < n; ++i) {
    const double value = static_cast<double>(x[i]);
    if (value > threshold) {
      smallest = value < smallest ? value : smallest;
    } else {
      largest = value > largest ? value : largest;
    }
  }
  *below = largest;
  *above = smallest;
}

}  // namespace

extern const CutKernels cut_kernels;
const CutKernels cut_kernels{{&apply<float>, &buckets<float>, &neighbours<float>},
                             {&apply<double>, &buckets<double>, &neighbours<double>}};

}  // namespace thresher::THRESHER_LEVEL
