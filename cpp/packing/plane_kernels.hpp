// The inner loops between codes and bit-planes, one build per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.hpp"
#include "packing/coded_feature.hpp"

namespace thresher {

struct PlaneKernels {
  // counts[i] = bits set in plane i.
  void (*count_planes)(PlaneBlock a, std::size_t n_words, std::uint32_t* counts);
  // Bit k of plane l = (codes[k] == l) for the first n_planes levels; the last word is filled up with zeros.
  void (*pack_codes)(const std::uint8_t* codes, std::size_t n_rows, std::size_t n_planes, std::size_t stride,
                     std::uint64_t* planes);
  // The inverse; rows in no plane get `rest`.
  void (*unpack_codes)(PlaneBlock a, std::size_t n_rows, std::uint8_t rest, std::uint8_t* codes);
};

THRESHER_DECLARE_KERNELS(PlaneKernels, plane_kernels)

}  // namespace thresher
