#include "measures/shared_bits.hpp"

#include <algorithm>
#include <cmath>

#include "core/elementary.hpp"
#include "core/rounding.hpp"
#include "core/xlogx.hpp"

namespace thresher {

double shared_bits(double value) {
  if (!(value > 0.0)) return value;
  return value < 1.0 ? round_to_grid(log2_double_double(1.0 - value) * -0.5) : kMostBits;
}

double novelty(double bits) {
  constexpr double kLn2 = 0.6931471805599453;
  constexpr double kNothing = 1100.0;  // less than the smallest number is left
  const double whole = std::floor(std::min(bits, kNothing));
  return std::ldexp(plain_exp(kLn2 * (whole - std::min(bits, kNothing))), -static_cast<int>(whole));
}

double rounded_log2(double relevance) { return round_to_grid(log2_double_double(relevance)); }

}  // namespace thresher
