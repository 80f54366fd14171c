#include <bit>
#include <cstdint>

#include "support_vectors/gaussian_kernels.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

// `plain_exp` of core/elementary.hpp in operations that every vector unit has, for -708 <= x <= 0.
inline double exp_of_negative(double x) {
  constexpr double kLog2e = 1.4426950408889634;
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  constexpr double kWhole = 6755399441055744.0;  // 1.5 * 2^52: added, it leaves a whole number in the lowest bits
  const double shifted = x * kLog2e + kWhole;
  const double k = shifted - kWhole;
  const double r = (x - k * kLn2High) - k * kLn2Low;
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  return p * std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
}

void similarities(double* out, const double* products, const double* squares, double own_square, double gamma,
                  std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    const double exponent = -gamma * (own_square + squares[i] - 2.0 * products[i]);
    out[i] = exp_of_negative(exponent < -708.0 ? -708.0 : exponent);
  }
}

}  // namespace

extern const GaussianKernels gaussian_kernels;
const GaussianKernels gaussian_kernels = {similarities};

}  // namespace thresher::THRESHER_LEVEL
