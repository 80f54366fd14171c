// Codes from cuts.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.hpp"

namespace thresher {

struct ApplyKernels {
  // out[i] = number of cuts below x[i]; 255 for NaN.
  void (*float32)(const float* x, std::size_t n, const double* cuts, std::size_t n_cuts, std::uint8_t* out);
  void (*float64)(const double* x, std::size_t n, const double* cuts, std::size_t n_cuts, std::uint8_t* out);
};

THRESHER_DECLARE_KERNELS(ApplyKernels, apply_kernels)

}  // namespace thresher
