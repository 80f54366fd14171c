// exp and log from plain IEEE operations. The C library's differ between systems and processors, and a ranking
// may not: these give the same bits everywhere, within two units in the last place.
//
// Kernels compile them for several instruction sets, so none of them may be shared between files: no external linkage.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace thresher {
namespace {

constexpr double kLog2e = 1.4426950408889634;
constexpr double kLn2High = 6.93147180369123816490e-01;  // 33 bits, so that k * kLn2High is exact
constexpr double kLn2Low = 1.90821492927058770002e-10;

// 1/2! + r/3! + ... + r^10/12! + rest * r^11, the terms of exp(r) from the square on.
inline double exp_terms(double r, double rest) {
  double p = rest * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  return p * r + 0.5;
}

// Returns exp(x) for -708 <= x <= 709, in operations that every vector unit has.
inline double exp_in_range(double x) {
  constexpr double kWhole = 6755399441055744.0;  // 1.5 * 2^52: added, it leaves an integer in the lowest bits
  const double shifted = x * kLog2e + kWhole;
  const double k = shifted - kWhole;
  const double r = (x - k * kLn2High) - k * kLn2Low;
  // Taylor to degree 13 on |r| <= 0.3466: the first term left out is below 4e-18.
  const double p = (exp_terms(r, 1.0 / 6227020800.0) * r + 1.0) * r + 1.0;
  return p * std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) + 1023) << 52);
}

// Returns the same, 0 below.
inline double plain_exp(double x) { return x < -708.0 ? 0.0 : exp_in_range(x); }

// exp(d) - 1 - d >= 0 without cancellation, for d <= 709.
inline double exp_excess(double d) {
  if (d > 0.5 || d < -0.5) return plain_exp(d) - 1.0 - d;
  return exp_terms(d, 1.0 / 87178291200.0 * d + 1.0 / 6227020800.0) * d * d;
}

// Returns the natural logarithm of a positive finite number.
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
  return k * kLn2High + (2.0 * s + (2.0 * s * (z * p) + k * kLn2Low));
}

// log(1 + u) for u >= 0.
inline double plain_log1p(double u) {
  const double w = 1.0 + u;
  if (w == 1.0) return u;
  return plain_log(w) * (u / (w - 1.0));
}

}  // namespace
}  // namespace thresher
