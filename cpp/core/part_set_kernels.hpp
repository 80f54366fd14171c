// Counts and sums on many sets of parts at once, one build per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.hpp"

namespace thresher {

// masks[part * stride + set]: all bits if the set contains the part, else none. The stride is a multiple of kSetBlock,
// and sets beyond the last are empty.
inline constexpr std::size_t kSetBlock = 16;
struct SetMasks {
  std::size_t n_parts;
  std::size_t n_sets;
  std::size_t stride;
  const std::uint32_t* masks;
};

namespace {  // one copy per file: kernels are built with different flags

// counts[set] = the sum of by_part over the parts of the set, for `stride` sets. A block of sums stays in registers.
inline void count_on_sets(const SetMasks& sets, const std::uint32_t* by_part, std::uint32_t* counts) {
  for (std::size_t first = 0; first < sets.stride; first += kSetBlock) {
    std::uint32_t sums[kSetBlock] = {};
    const std::uint32_t* masks = sets.masks + first;
    for (std::size_t part = 0; part < sets.n_parts; ++part, masks += sets.stride) {
      for (std::size_t s = 0; s < kSetBlock; ++s) sums[s] += masks[s] & by_part[part];
    }
    for (std::size_t s = 0; s < kSetBlock; ++s) counts[first + s] = sums[s];
  }
}

}  // namespace

// by_part[part * part_stride + i], i < count, are summed over the parts that replicate r keeps, into
// kept[r * stride + i * apart].
struct PartSums {
  const double* by_part;
  std::size_t part_stride, count;
  double* kept;
  std::size_t stride, apart;
};

struct PartSetKernels {
  void (*count)(const SetMasks& sets, const std::uint32_t* by_part, std::uint32_t* counts);
  // Sums of two doubles each. Replicate r keeps the parts with keeps[r * n_parts + part] != 0.
  void (*sum)(const PartSums& sums, const std::uint8_t* keeps, std::size_t n_parts, std::size_t n_replicates);
  // The same where replicate i keeps all parts but part i. `sums_after`: for kSumRoom doubles a part.
  void (*sum_all_but_one)(const PartSums& sums, std::size_t n_parts, double* sums_after);
};
inline constexpr std::size_t kSumRoom = 16;

THRESHER_DECLARE_KERNELS(PartSetKernels, part_set_kernels)

}  // namespace thresher
