#include "core/elementary.hpp"
#include "support_vectors/gaussian_kernels.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

void similarities(double* out, const double* products, const double* squares, double own_square, double gamma,
                  std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double exponent = -gamma * (own_square + squares[i] - 2.0 * products[i]);
    out[i] = exp_in_range(exponent < -708.0 ? -708.0 : exponent);
  }
}

}  // namespace

extern const GaussianKernels gaussian_kernels;
const GaussianKernels gaussian_kernels = {similarities};

}  // namespace thresher::THRESHER_LEVEL
