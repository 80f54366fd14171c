// exp and log from plain IEEE operations. The C library's differ between systems and processors, and a ranking
// may not: these give the same bits everywhere, within two units in the last place.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace thresher {

// exp(x) for -745 <= x <= 709; 0 below.
inline double plain_exp(double x) {
  if (x < -708.0) return 0.0;
  constexpr double kLog2e = 1.4426950408889634;
  constexpr double kLn2High = 6.93147180369123816490e-01;  // 33 bits, so that k * kLn2High is exact
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  const double k = std::nearbyint(x * kLog2e);
  const double r = (x - k * kLn2High) - k * kLn2Low;
  // Taylor to degree 13 on |r| <= 0.3466: the first term left out is below 4e-18.
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
  return p * std::bit_cast<double>(static_cast<std::uint64_t>(static_cast<std::int64_t>(k) + 1023) << 52);
}

// exp(d) - 1 - d >= 0 without cancellation, for d <= 709.
inline double exp_excess(double d) {
  if (d > 0.5 || d < -0.5) return plain_exp(d) - 1.0 - d;
  double p = 1.0 / 87178291200.0;
  p = p * d + 1.0 / 6227020800.0;
  p = p * d + 1.0 / 479001600.0;
  p = p * d + 1.0 / 39916800.0;
  p = p * d + 1.0 / 3628800.0;
  p = p * d + 1.0 / 362880.0;
  p = p * d + 1.0 / 40320.0;
  p = p * d + 1.0 / 5040.0;
  p = p * d + 1.0 / 720.0;
  p = p * d + 1.0 / 120.0;
  p = p * d + 1.0 / 24.0;
  p = p * d + 1.0 / 6.0;
  p = p * d + 0.5;
  return p * d * d;
}

// Natural logarithm of a positive finite number.
inline double plain_log(double x) {
  int exponent = 0;
  double m = std::frexp(x, &exponent);
  if (m < 0.70710678118654752) {
    m *= 2.0;
    --exponent;
  }
  const double s = (m - 1.0) / (m + 1.0);
  const double z = s * s;  // at most 0.0295
  double p = 1.0 / 23.0;
  for (int odd = 21; odd >= 3; odd -= 2) p = p * z + 1.0 / odd;
  const double k = exponent;
  constexpr double kLn2High = 6.93147180369123816490e-01;
  constexpr double kLn2Low = 1.90821492927058770002e-10;
  return k * kLn2High + (2.0 * s + (2.0 * s * (z * p) + k * kLn2Low));
}

// log(1 + u) for u >= 0.
inline double plain_log1p(double u) {
  const double w = 1.0 + u;
  if (w == 1.0) return u;
  return plain_log(w) * (u / (w - 1.0));
}

}  // namespace thresher
