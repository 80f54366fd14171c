// Similarities of rows from their inner products.
#pragma once

#include <cstddef>

#include "core/isa.hpp"

namespace thresher {

struct GaussianKernels {
  // out[i] = exp(-gamma d), d = own_square + squares[i] - 2 products[i] being the squared distance of two rows; within
  // two units in the last place, the same bits at every level. 3e-308 replaces all that is smaller.
  void (*similarities)(double* out, const double* products, const double* squares, double own_square, double gamma,
                       std::size_t n);
};

THRESHER_DECLARE_KERNELS(GaussianKernels, gaussian_kernels)

inline const GaussianKernels& gaussians() { return THRESHER_DISPATCH(gaussian_kernels); }

}  // namespace thresher
