// Sixteen double accumulators: row i of a sum goes to lane i mod 16.
//
// Lanes are added up by one fixed tree, so plain sums are the same bits for every instruction set. Sums that only have
// to be within a known error may use fused operations. Only for *.kernels.cpp.
#pragma once

#include <cstddef>

#include "core/double_double.hpp"

#if defined(__AVX2__) || defined(__SSE2__)
#include <immintrin.h>
#endif

namespace thresher::THRESHER_LEVEL {
namespace {

constexpr std::size_t kLanes = 16;

#if defined(__AVX512F__)
// The maskz forms: GCC 12 warns of an uninitialised value inside the plain ones.
using Vec = __m512d;
constexpr std::size_t kWidth = 8;
// How many columns a dot product takes at a time: as many as fit the registers.
constexpr std::size_t kColumns = 4;
inline Vec vec_set(double x) { return _mm512_set1_pd(x); }
inline Vec vec_load(const double* x) { return _mm512_loadu_pd(x); }
inline Vec vec_load(const float* x) { return _mm512_maskz_cvtps_pd(0xff, _mm256_loadu_ps(x)); }
inline void vec_store(double* x, Vec v) { _mm512_storeu_pd(x, v); }
inline Vec vec_add(Vec a, Vec b) { return _mm512_add_pd(a, b); }
inline Vec vec_sub(Vec a, Vec b) { return _mm512_sub_pd(a, b); }
inline Vec vec_mul(Vec a, Vec b) { return _mm512_mul_pd(a, b); }
inline Vec vec_min(Vec a, Vec b) { return _mm512_maskz_min_pd(0xff, a, b); }
inline Vec vec_max(Vec a, Vec b) { return _mm512_maskz_max_pd(0xff, a, b); }
#elif defined(__AVX2__)
using Vec = __m256d;
constexpr std::size_t kWidth = 4;
constexpr std::size_t kColumns = 2;
inline Vec vec_set(double x) { return _mm256_set1_pd(x); }
inline Vec vec_load(const double* x) { return _mm256_loadu_pd(x); }
inline Vec vec_load(const float* x) { return _mm256_cvtps_pd(_mm_loadu_ps(x)); }
inline void vec_store(double* x, Vec v) { _mm256_storeu_pd(x, v); }
inline Vec vec_add(Vec a, Vec b) { return _mm256_add_pd(a, b); }
inline Vec vec_sub(Vec a, Vec b) { return _mm256_sub_pd(a, b); }
inline Vec vec_mul(Vec a, Vec b) { return _mm256_mul_pd(a, b); }
inline Vec vec_min(Vec a, Vec b) { return _mm256_min_pd(a, b); }
inline Vec vec_max(Vec a, Vec b) { return _mm256_max_pd(a, b); }
#elif defined(__SSE2__)
using Vec = __m128d;
constexpr std::size_t kWidth = 2;
constexpr std::size_t kColumns = 1;
inline Vec vec_set(double x) { return _mm_set1_pd(x); }
inline Vec vec_load(const double* x) { return _mm_loadu_pd(x); }
inline Vec vec_load(const float* x) { return _mm_set_pd(x[1], x[0]); }
inline void vec_store(double* x, Vec v) { _mm_storeu_pd(x, v); }
inline Vec vec_add(Vec a, Vec b) { return _mm_add_pd(a, b); }
inline Vec vec_sub(Vec a, Vec b) { return _mm_sub_pd(a, b); }
inline Vec vec_mul(Vec a, Vec b) { return _mm_mul_pd(a, b); }
inline Vec vec_min(Vec a, Vec b) { return _mm_min_pd(a, b); }
inline Vec vec_max(Vec a, Vec b) { return _mm_max_pd(a, b); }
#else
using Vec = double;
constexpr std::size_t kWidth = 1;
constexpr std::size_t kColumns = 1;
inline Vec vec_set(double x) { return x; }
inline Vec vec_load(const double* x) { return *x; }
inline Vec vec_load(const float* x) { return static_cast<double>(*x); }
inline void vec_store(double* x, Vec v) { *x = v; }
inline Vec vec_add(Vec a, Vec b) { return a + b; }
inline Vec vec_sub(Vec a, Vec b) { return a - b; }
inline Vec vec_mul(Vec a, Vec b) { return a * b; }
inline Vec vec_min(Vec a, Vec b) { return a < b ? a : b; }
inline Vec vec_max(Vec a, Vec b) { return a > b ? a : b; }
#endif

// a b + c, with one rounding where the processor has it.
inline Vec vec_multiply_add(Vec a, Vec b, Vec c) {
#if defined(__AVX512F__)
  return _mm512_fmadd_pd(a, b, c);
#elif defined(__FMA__)
  return _mm256_fmadd_pd(a, b, c);
#else
  return vec_add(vec_mul(a, b), c);
#endif
}

// a + b and a - b, by the units that multiply where there are some: those that add have more to do.
inline Vec vec_add_by_product(Vec a, Vec b) {
#if defined(__FMA__)
  return vec_multiply_add(a, vec_set(1.0), b);
#else
  return vec_add(a, b);
#endif
}
inline Vec vec_sub_by_product(Vec a, Vec b) {
#if defined(__AVX512F__)
  return _mm512_fmsub_pd(a, vec_set(1.0), b);
#elif defined(__FMA__)
  return _mm256_fmsub_pd(a, vec_set(1.0), b);
#else
  return vec_sub(a, b);
#endif
}

// Numbers as unevaluated sums of two doubles.
struct TwinVec {
  Vec hi, lo;
};

inline TwinVec vec_two_sum(Vec a, Vec b) {
  const Vec sum = vec_add(a, b);
  const Vec b_part = vec_sub_by_product(sum, a);
  return {sum, vec_add(vec_sub(a, vec_sub(sum, b_part)), vec_sub_by_product(b, b_part))};
}

// a b without error.
inline TwinVec vec_two_product(Vec a, Vec b) {
  const Vec product = vec_mul(a, b);
#if defined(__AVX512F__)
  return {product, _mm512_fmsub_pd(a, b, product)};
#elif defined(__FMA__)
  return {product, _mm256_fmsub_pd(a, b, product)};
#else
  const auto upper_half = [](Vec x) {
    const Vec scaled = vec_mul(x, vec_set(134217729.0));  // 2^27 + 1
    return vec_sub(scaled, vec_sub(scaled, x));
  };
  const Vec a_hi = upper_half(a);
  const Vec b_hi = upper_half(b);
  const Vec a_lo = vec_sub(a, a_hi);
  const Vec b_lo = vec_sub(b, b_hi);
  const Vec rest = vec_add(vec_add(vec_sub(vec_mul(a_hi, b_hi), product), vec_mul(a_hi, b_lo)), vec_mul(a_lo, b_hi));
  return {product, vec_add(rest, vec_mul(a_lo, b_lo))};
#endif
}

inline void twin_add(TwinVec& sum, Vec value) {
  const TwinVec added = vec_two_sum(sum.hi, value);
  sum = {added.hi, vec_add_by_product(added.lo, sum.lo)};
}
inline void twin_add(TwinVec& sum, TwinVec value) {
  twin_add(sum, value.hi);
  sum.lo = vec_add(sum.lo, value.lo);
}

// Per lane: whether neither a nor b is NaN; whether a > b; `yes` where that is so and `no` elsewhere.
#if defined(__AVX512F__)
using VecMask = __mmask8;
inline VecMask vec_present(Vec a, Vec b) { return _mm512_cmp_pd_mask(a, b, _CMP_ORD_Q); }
inline VecMask vec_above(Vec a, Vec b) { return _mm512_cmp_pd_mask(a, b, _CMP_GT_OQ); }
inline Vec vec_select(VecMask mask, Vec yes, Vec no) { return _mm512_mask_mov_pd(no, mask, yes); }
#elif defined(__AVX2__)
using VecMask = Vec;
inline VecMask vec_present(Vec a, Vec b) { return _mm256_cmp_pd(a, b, _CMP_ORD_Q); }
inline VecMask vec_above(Vec a, Vec b) { return _mm256_cmp_pd(a, b, _CMP_GT_OQ); }
inline Vec vec_select(VecMask mask, Vec yes, Vec no) { return _mm256_blendv_pd(no, yes, mask); }
#elif defined(__SSE2__)
using VecMask = Vec;
inline VecMask vec_present(Vec a, Vec b) { return _mm_cmpord_pd(a, b); }
inline VecMask vec_above(Vec a, Vec b) { return _mm_cmpgt_pd(a, b); }
inline Vec vec_select(VecMask mask, Vec yes, Vec no) {
  return _mm_or_pd(_mm_and_pd(mask, yes), _mm_andnot_pd(mask, no));
}
#else
using VecMask = bool;
inline VecMask vec_present(Vec a, Vec b) { return a == a && b == b; }
inline VecMask vec_above(Vec a, Vec b) { return a > b; }
inline Vec vec_select(VecMask mask, Vec yes, Vec no) { return mask ? yes : no; }
#endif

constexpr std::size_t kVecs = kLanes / kWidth;

// The sixteen lanes as vectors.
struct Lanes {
  Vec part[kVecs];
};

inline Lanes lanes_set(double x) {
  Lanes lanes;
  for (std::size_t v = 0; v < kVecs; ++v) lanes.part[v] = vec_set(x);
  return lanes;
}

template <class T>
inline Lanes lanes_load(const T* x) {
  Lanes lanes;
  for (std::size_t v = 0; v < kVecs; ++v) lanes.part[v] = vec_load(x + v * kWidth);
  return lanes;
}

inline void lanes_store(double* x, const Lanes& lanes) {
  for (std::size_t v = 0; v < kVecs; ++v) vec_store(x + v * kWidth, lanes.part[v]);
}

// Returns the first `count` lanes from memory, `fill` in the others.
template <class T>
inline Lanes lanes_load_tail(const T* x, std::size_t count, double fill) {
  double buffer[kLanes];
  for (std::size_t i = 0; i < kLanes; ++i) buffer[i] = fill;
  for (std::size_t i = 0; i < count; ++i) buffer[i] = static_cast<double>(x[i]);
  return lanes_load(buffer);
}

#if defined(__AVX512F__)
template <>
inline Lanes lanes_load_tail<double>(const double* x, std::size_t count, double fill) {
  const auto mask = static_cast<unsigned>((1u << count) - 1u);
  Lanes lanes;
  lanes.part[0] = _mm512_mask_loadu_pd(_mm512_set1_pd(fill), static_cast<__mmask8>(mask & 0xffu), x);
  lanes.part[1] = _mm512_mask_loadu_pd(_mm512_set1_pd(fill), static_cast<__mmask8>(mask >> 8), x + kWidth);
  return lanes;
}
#endif
#if defined(__AVX512F__) && defined(__AVX512VL__)
template <>
inline Lanes lanes_load_tail<float>(const float* x, std::size_t count, double fill) {
  const auto mask = static_cast<unsigned>((1u << count) - 1u);
  Lanes lanes;
  for (std::size_t v = 0; v < kVecs; ++v) {
    const auto own = static_cast<__mmask8>((mask >> (v * kWidth)) & 0xffu);
    const __m256 loaded = _mm256_maskz_loadu_ps(own, x + v * kWidth);
    lanes.part[v] = _mm512_mask_cvtps_pd(_mm512_set1_pd(fill), own, loaded);
  }
  return lanes;
}
#endif

#define THRESHER_LANES_BINARY(name, operation)                                               \
  inline Lanes name(const Lanes& a, const Lanes& b) {                                        \
    Lanes lanes;                                                                             \
    for (std::size_t v = 0; v < kVecs; ++v) lanes.part[v] = operation(a.part[v], b.part[v]); \
    return lanes;                                                                            \
  }
THRESHER_LANES_BINARY(lanes_add, vec_add)
THRESHER_LANES_BINARY(lanes_sub, vec_sub)
THRESHER_LANES_BINARY(lanes_mul, vec_mul)
THRESHER_LANES_BINARY(lanes_min, vec_min)
THRESHER_LANES_BINARY(lanes_max, vec_max)
#undef THRESHER_LANES_BINARY

// Adds `value` to `sums` in the lanes whose code is `wanted`. A zero added elsewhere changes nothing,
// so masks, products and branches give the same bits.
#if defined(__AVX512F__) && defined(__AVX512BW__) && defined(__AVX512VL__)
inline void lanes_add_where(Lanes& sums, const Lanes& value, const unsigned char* codes, unsigned char wanted) {
  const unsigned mask = _mm_cmpeq_epi8_mask(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes)),
                                            _mm_set1_epi8(static_cast<char>(wanted)));
  sums.part[0] = _mm512_mask_add_pd(sums.part[0], static_cast<__mmask8>(mask & 0xffu), sums.part[0], value.part[0]);
  sums.part[1] = _mm512_mask_add_pd(sums.part[1], static_cast<__mmask8>(mask >> 8), sums.part[1], value.part[1]);
}
#elif defined(__AVX2__)
inline void lanes_add_where(Lanes& sums, const Lanes& value, const unsigned char* codes, unsigned char wanted) {
  const __m128i equal = _mm_cmpeq_epi8(_mm_loadu_si128(reinterpret_cast<const __m128i*>(codes)),
                                       _mm_set1_epi8(static_cast<char>(wanted)));
  const __m256d mask0 = _mm256_castsi256_pd(_mm256_cvtepi8_epi64(equal));
  const __m256d mask1 = _mm256_castsi256_pd(_mm256_cvtepi8_epi64(_mm_srli_si128(equal, 4)));
  const __m256d mask2 = _mm256_castsi256_pd(_mm256_cvtepi8_epi64(_mm_srli_si128(equal, 8)));
  const __m256d mask3 = _mm256_castsi256_pd(_mm256_cvtepi8_epi64(_mm_srli_si128(equal, 12)));
  sums.part[0] = _mm256_add_pd(sums.part[0], _mm256_and_pd(mask0, value.part[0]));
  sums.part[1] = _mm256_add_pd(sums.part[1], _mm256_and_pd(mask1, value.part[1]));
  sums.part[2] = _mm256_add_pd(sums.part[2], _mm256_and_pd(mask2, value.part[2]));
  sums.part[3] = _mm256_add_pd(sums.part[3], _mm256_and_pd(mask3, value.part[3]));
}
#endif

// The sixteen lanes in four: lane i + lane i+8, then i + i+4. Four go on to one by i + i+2, then i + i+1.
#if defined(__AVX2__)
using Four = __m256d;
inline Four lanes_four(const Lanes& lanes) {
#if defined(__AVX512F__)
  const __m512d eight = _mm512_add_pd(lanes.part[0], lanes.part[1]);
  return _mm256_add_pd(_mm512_maskz_extractf64x4_pd(0xf, eight, 0), _mm512_maskz_extractf64x4_pd(0xf, eight, 1));
#else
  return _mm256_add_pd(_mm256_add_pd(lanes.part[0], lanes.part[2]), _mm256_add_pd(lanes.part[1], lanes.part[3]));
#endif
}
inline double four_total(Four four) {
  const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
  return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
}
#else
struct Four {
  double lane[4];
};
inline Four lanes_four(const Lanes& lanes) {
  double all[kLanes];
  lanes_store(all, lanes);
  Four four;
  for (std::size_t i = 0; i < 4; ++i) four.lane[i] = (all[i] + all[i + 8]) + (all[i + 4] + all[i + 12]);
  return four;
}
inline double four_total(const Four& four) { return (four.lane[0] + four.lane[2]) + (four.lane[1] + four.lane[3]); }
#endif
inline double lanes_total(const Lanes& lanes) { return four_total(lanes_four(lanes)); }

inline double lanes_least(const Lanes& lanes) {
  Vec least = lanes.part[0];
  for (std::size_t v = 1; v < kVecs; ++v) least = vec_min(least, lanes.part[v]);
  double own[kWidth];
  vec_store(own, least);
  for (std::size_t i = 1; i < kWidth; ++i) own[0] = own[i] < own[0] ? own[i] : own[0];
  return own[0];
}
inline double lanes_most(const Lanes& lanes) {
  Vec most = lanes.part[0];
  for (std::size_t v = 1; v < kVecs; ++v) most = vec_max(most, lanes.part[v]);
  double own[kWidth];
  vec_store(own, most);
  for (std::size_t i = 1; i < kWidth; ++i) own[0] = own[i] > own[0] ? own[i] : own[0];
  return own[0];
}

// Adds to four sums of two doubles each, the high words first.
inline void four_add_to(double* sums, const Four& value) {
#if defined(__AVX2__)
  const __m256d before = _mm256_loadu_pd(sums);
  const __m256d after = _mm256_add_pd(before, value);
  const __m256d added = _mm256_sub_pd(after, before);
  const __m256d rest = _mm256_add_pd(_mm256_sub_pd(before, _mm256_sub_pd(after, added)), _mm256_sub_pd(value, added));
  _mm256_storeu_pd(sums, after);
  _mm256_storeu_pd(sums + 4, _mm256_add_pd(_mm256_loadu_pd(sums + 4), rest));
#else
  for (std::size_t i = 0; i < 4; ++i) {
    const double before = sums[i];
    sums[i] = before + value.lane[i];
    const double added = sums[i] - before;
    sums[i + 4] += (before - (sums[i] - added)) + (value.lane[i] - added);
  }
#endif
}

// `count` sums of two doubles in one.
inline DoubleDouble twin_total(double* hi, double* lo, std::size_t count) {
  for (std::size_t half = count / 2; half > 0; half /= 2) {
    for (std::size_t l = 0; l < half; ++l) {
      const double before = hi[l];
      hi[l] = before + hi[l + half];
      const double added = hi[l] - before;
      lo[l] = (lo[l] + lo[l + half]) + ((before - (hi[l] - added)) + (hi[l + half] - added));
    }
  }
  const double total = hi[0] + lo[0];
  return {total, lo[0] - (total - hi[0])};
}

}  // namespace
}  // namespace thresher::THRESHER_LEVEL
