// The inner loops of counting, one build per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.hpp"
#include "packing/coded_feature.hpp"

namespace thresher {

struct CountKernels {
  // counts[i * b.n_planes + j] = bits set in both plane i of a and plane j of b, over n_words words.
  void (*count_pairs)(PlaneBlock a, PlaneBlock b, std::size_t n_words, std::uint32_t* counts);
  // counts[a[i] * b_levels + b[i]] += 1; counts has a_levels * b_levels cells, scratch 4 times as many.
  void (*count_bytes)(const std::uint8_t* a, const std::uint8_t* b, std::size_t n, std::size_t a_levels,
                      std::size_t b_levels, std::uint32_t* counts, std::uint32_t* scratch);
};

THRESHER_DECLARE_KERNELS(CountKernels, count_kernels)

}  // namespace thresher
