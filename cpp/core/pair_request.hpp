// A request for pairs from blocks of rows.
#pragma once

#include <cstdint>
#include <span>

namespace thresher {

// Pairs of features; the pairs of a reference are adjacent.
struct PairRequest {
  std::span<const std::uint32_t> references, features;
};

}  // namespace thresher
