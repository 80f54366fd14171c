// The one rounding that every value goes through before it is compared, added or reported.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/double_double.hpp"

namespace thresher {

// Rounds to the nearest multiple of 2^-40, ties to even; for magnitudes below 2048. A double in [4096, 8192) has steps
// of 2^-40.
inline double round_to_grid(double value) {
  const double shifted = value + 6144.0;
  return shifted - 6144.0;
}

// Rounds to that many significant bits, ties to even.
inline double round_significant(double value, int bits = 40) {
  if (std::isnormal(value)) {
    // A carry out of the fraction goes to the exponent, as it should.
    const int dropped = 53 - bits;
    const auto pattern = std::bit_cast<std::uint64_t>(value);
    const std::uint64_t half = (std::uint64_t{1} << (dropped - 1)) - 1 + ((pattern >> dropped) & 1);
    return std::bit_cast<double>((pattern + half) >> dropped << dropped);
  }
  if (value == 0.0 || !std::isfinite(value)) return value;
  int exponent = 0;
  const double fraction = std::frexp(value, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(fraction, bits)), exponent - bits);
}

// Returns the nearest integer below 2^52. A fraction within 2^-36 of one half, much more than such sums are off, is one
// half, and goes to the even number.
inline double round_to_whole(DoubleDouble value) {
  const double below = std::floor(value.hi);
  const double fraction = (value.hi - below) + value.lo;
  if (std::fabs(fraction - 0.5) > 0x1p-36) return fraction > 0.5 ? below + 1.0 : below;
  return std::fmod(below, 2.0) == 0.0 ? below : below + 1.0;
}

inline double round_to_grid(DoubleDouble value) {
  return round_to_whole({value.hi * 0x1p40, value.lo * 0x1p40}) * 0x1p-40;
}

inline double round_significant(DoubleDouble value) {
  if (value.hi == 0.0 || !std::isfinite(value.hi)) return value.hi;
  int exponent = 0;
  (void)std::frexp(value.hi, &exponent);
  return std::ldexp(round_to_whole({std::ldexp(value.hi, 40 - exponent), std::ldexp(value.lo, 40 - exponent)}),
                    exponent - 40);
}

// Returns a measure with values in [0, 1]: what is below 1e-12 is nothing, what is above 1 is 1.
template <class Number>
double round_bounded(Number value, double leading) {
  if (!(leading >= 1e-12)) return 0.0;
  return leading >= 1.0 ? 1.0 : round_to_grid(value);
}
inline double round_bounded(double value) { return round_bounded(value, value); }
inline double round_bounded(DoubleDouble value) { return round_bounded(value, value.hi); }

// Returns `round` of a value that is off by `error` at most; NaN if that leaves two results, or is not a number.
template <class Round>
double round_if_sure(double value, double error, Round&& round) {
  const double low = round(value - error);
  const bool sure = value - error <= value + error && low == round(value + error);
  return sure ? low : std::numeric_limits<double>::quiet_NaN();
}
template <class Round>
double round_if_sure(DoubleDouble value, double error, Round&& round) {
  const double low = round(value + -error);
  return low == round(value + error) ? low : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace thresher
