// Sums over rows as values that add and subtract, in double-double, and the measures they give.
//
// The same sums whether they come from the rows of a replicate, of a block or of several blocks added up. A value is
// the rounding of the exact number, so it does not depend on the way.
#pragma once

#include <vector>

#include "measures/numeric_values.hpp"
#include "moments/exact_kernels.hpp"

namespace thresher {

// Sums of squares that are a smaller share of what they were taken from are what rounding left of nothing.
inline constexpr double kNothing = 0x1p-80;

// Of two columns, each about a separate centre.
struct PairSums : PairedSums {
  double centre_x = 0.0, centre_y = 0.0;
  // The columns were multiplied by these powers of two.
  int scale_x = 0, scale_y = 0;

  PairSums about(double x, double y) const;
  // `sign` times the other's are added, about the mean of both.
  void add(const PairSums& other, double sign);
  double value(NumericKind kind) const;
};

// Of one column by class, about one centre.
struct ClassSums {
  std::vector<ClassSum> classes;
  double centre = 0.0;
  int scale = 0;

  ClassSums about(double x) const;
  void add(const ClassSums& other, double sign);
  double value(ClassKind kind) const;
};

}  // namespace thresher
