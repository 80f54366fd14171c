// The range of a column, and the scale and centre that it suggests for sums over the rows.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>

namespace thresher {

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double least, double most) {
    low = std::min(low, least);
    high = std::max(high, most);
  }
  double magnitude() const { return std::max(std::fabs(low), std::fabs(high)); }
  // Returns the power of two that brings the largest magnitude near 1, where squares, or sums of squares, would
  // overflow or underflow; else 0, as for infinite values, which no power brings there.
  int scale() const {
    const double most = magnitude();
    const double width = high - low;
    if (!(most > 0.0) || std::isinf(most) || (most < 1e140 && most > 1e-140 && (width == 0.0 || width > 1e-140)))
      return 0;
    return -std::clamp(std::ilogb(most), -1000, 1000);
  }
  // Near the mean where differences from there are exact: all values lie within a factor of two. Elsewhere 0, from
  // which no mean is further than twice the root of n standard deviations.
  double centre(double mean) const {
    if (low > 0.0 && high <= 2.0 * low) return std::clamp(mean, low, high);
    if (high < 0.0 && low >= 2.0 * high) return std::clamp(mean, low, high);
    return 0.0;
  }
};

}  // namespace thresher
