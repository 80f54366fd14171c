// The one rounding that every value goes through before it is compared, added or reported.
#pragma once

#include <cmath>

namespace thresher {

// To the nearest multiple of 2^-40, ties to even; for values in [0, 1]. A double in [4096, 8192) has steps of 2^-40.
inline double round_to_grid(double value) {
  const double shifted = value + 6144.0;
  return shifted - 6144.0;
}

// |numerator| / denominator as the absolute value of a correlation: 0 where undefined or below 1e-12, never above 1.
inline double absolute_correlation(double numerator, double denominator) {
  const double value = std::fabs(numerator) / denominator;
  if (!(value >= 1e-12)) return 0.0;
  return value > 1.0 ? 1.0 : round_to_grid(value);
}

// To 40 significant bits, ties to even.
inline double round_significant(double value) {
  if (value == 0.0 || !std::isfinite(value)) return value;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, 40)), exponent - 40);
}

}  // namespace thresher
