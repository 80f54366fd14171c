// What a measure over many blocks of rows asks of each block.
#pragma once

#include <cstdint>
#include <span>

namespace thresher {

// Pairs of features; the pairs of a reference stand together.
struct PairRequest {
  std::span<const std::uint32_t> references, features;
};

}  // namespace thresher
