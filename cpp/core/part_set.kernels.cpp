#include "core/part_set_kernels.hpp"

#include <algorithm>

#include "core/lanes.hpp"

namespace thresher {
namespace THRESHER_LEVEL {
namespace {

static_assert(2 * kWidth <= kSumRoom);

// Returns the first n values, zeros in the other positions.
inline Vec load_first(const double* values, std::size_t n) {
  if (n == kWidth) return vec_load(values);
#if defined(__AVX512F__)
  return _mm512_maskz_loadu_pd(static_cast<__mmask8>((1u << n) - 1u), values);
#elif defined(__AVX2__)
  constexpr std::int64_t marks[2 * kWidth] = {-1, -1, -1, -1};
  return _mm256_maskload_pd(values, _mm256_loadu_si256(reinterpret_cast<const __m256i*>(marks + kWidth - n)));
#elif defined(__SSE2__)
  return _mm_load_sd(values);
#else
  return vec_load(values);
#endif
}

inline void store_first(Vec values, std::size_t n, double* out, std::size_t apart) {
  alignas(64) double all[kWidth];
  vec_store(all, values);
  for (std::size_t i = 0; i < n; ++i) out[i * apart] = all[i];
}

inline TwinVec nothing() { return {vec_set(0.0), vec_set(0.0)}; }

// Calls sum(by_part, kept, n) for as many values as a vector has, and at last for the rest.
template <class Sum>
inline void for_vectors(const PartSums& sums, Sum&& sum) {
  for (std::size_t i = 0; i < sums.count; i += kWidth) {
    sum(sums.by_part + i, sums.kept + i * sums.apart, std::min(kWidth, sums.count - i));
  }
}

void sum(const PartSums& sums, const std::uint8_t* keeps, std::size_t n_parts, std::size_t n_replicates) {
  for_vectors(sums, [&](const double* by_part, double* kept, std::size_t n) {
    const std::uint8_t* keep = keeps;
    for (std::size_t r = 0; r < n_replicates; ++r) {
      TwinVec total = nothing();
      for (std::size_t part = 0; part < n_parts; ++part) {
        if (*keep++ != 0) twin_add(total, load_first(by_part + part * sums.part_stride, n));
      }
      store_first(vec_add(total.hi, total.lo), n, kept + r * sums.stride, sums.apart);
    }
  });
}

// Sums from both ends.
void sum_all_but_one(const PartSums& sums, std::size_t n_parts, double* sums_after) {
  for_vectors(sums, [&](const double* by_part, double* kept, std::size_t n) {
    TwinVec after = nothing();
    for (std::size_t part = n_parts; part-- > 0;) {
      vec_store(sums_after + part * kSumRoom, after.hi);
      vec_store(sums_after + part * kSumRoom + kWidth, after.lo);
      twin_add(after, load_first(by_part + part * sums.part_stride, n));
    }
    TwinVec before = nothing();
    for (std::size_t part = 0; part < n_parts; ++part) {
      TwinVec both = before;
      twin_add(both, {vec_load(sums_after + part * kSumRoom), vec_load(sums_after + part * kSumRoom + kWidth)});
      store_first(vec_add(both.hi, both.lo), n, kept + part * sums.stride, sums.apart);
      twin_add(before, load_first(by_part + part * sums.part_stride, n));
    }
  });
}

}  // namespace

extern const PartSetKernels part_set_kernels;
const PartSetKernels part_set_kernels = {count_on_sets, sum, sum_all_but_one};

}  // namespace THRESHER_LEVEL
}  // namespace thresher
