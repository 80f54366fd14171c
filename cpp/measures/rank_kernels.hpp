// Exact dot products of integer ranks.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.hpp"

namespace thresher {

// high * 2^32 + low.
struct WideSum {
  std::int64_t high;
  std::uint64_t low;
};

struct RankKernels {
  // `run`: how many products may be added in 32 bits.
  std::int64_t (*dot16)(const std::int16_t* a, const std::int16_t* b, std::size_t n, std::size_t run);
  std::int64_t (*dot32)(const std::int32_t* a, const std::int32_t* b, std::size_t n);
  // For sums beyond 64 bits.
  WideSum (*dot32_wide)(const std::int32_t* a, const std::int32_t* b, std::size_t n);
};

THRESHER_DECLARE_KERNELS(RankKernels, rank_kernels)

}  // namespace thresher
