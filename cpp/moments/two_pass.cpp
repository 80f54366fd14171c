#include "moments/two_pass.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/rounding.hpp"
#include "moments/paired_kernels.hpp"

namespace thresher {
namespace {

// body(row, weight) for every row kept.
template <class Body>
void for_kept_rows(const SegmentLayout& layout, std::size_t replicate, Body&& body) {
  const auto segments = layout.segments();
  const double* weights = layout.weights();
  for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
    if (!layout.sets().keeps(replicate, s)) continue;
    for (std::size_t row = segments[s]; row < segments[s + 1]; ++row) {
      body(row, weights == nullptr ? 1.0 : weights[row]);
    }
  }
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();

  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool constant() const { return !(low < high); }
  // A power of two that brings the largest magnitude near 1.
  double scale() const {
    const double magnitude = std::max(std::fabs(low), std::fabs(high));
    return magnitude > 0.0 ? std::ldexp(1.0, -std::clamp(std::ilogb(magnitude), -1000, 1000)) : 1.0;
  }
};

// body(begin, count, weights) for every segment kept.
template <class Body>
void for_kept_segments(const SegmentLayout& layout, std::size_t replicate, Body&& body) {
  const auto segments = layout.segments();
  const double* weights = layout.weights();
  for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
    if (!layout.sets().keeps(replicate, s)) continue;
    body(segments[s], segments[s + 1] - segments[s], weights == nullptr ? nullptr : weights + segments[s]);
  }
}

// Squares of such values, and sums of squares, have room in a double.
bool is_ordinary(const Range& range) {
  const double magnitude = std::max(std::fabs(range.low), std::fabs(range.high));
  const double width = range.high - range.low;
  return magnitude == 0.0 || (magnitude < 1e140 && magnitude > 1e-140 && (width == 0.0 || width > 1e-140));
}

// As `scaled_correlation`, by vector kernels; false if a column needs scaling.
template <class X, class Y>
bool plain_correlation(const X* x, const Y* y, bool centred, const SegmentLayout& layout, std::size_t replicate,
                       double& value) {
  const auto& kernels = typed(THRESHER_DISPATCH(paired_kernels), x, y);
  Range range_x;
  Range range_y;
  double n = 0.0;
  double sum_x = 0.0;
  double sum_y = 0.0;
  for_kept_segments(layout, replicate, [&](std::size_t begin, std::size_t count, const double* weights) {
    const PairedRange range = kernels.range(x + begin, y + begin, weights, count);
    if (range.low_x > range.high_x) return;
    range_x.add(range.low_x);
    range_x.add(range.high_x);
    range_y.add(range.low_y);
    range_y.add(range.high_y);
    n += range.rows;
    sum_x += range.sum_x;
    sum_y += range.sum_y;
  });
  value = 0.0;
  if (n == 0.0 || (centred && (range_x.constant() || range_y.constant()))) return true;
  if (!is_ordinary(range_x) || !is_ordinary(range_y)) return false;
  const double mean_x = centred ? sum_x / n : 0.0;
  const double mean_y = centred ? sum_y / n : 0.0;
  PairedSums total{0.0, 0.0, 0.0, 0.0, 0.0};
  for_kept_segments(layout, replicate, [&](std::size_t begin, std::size_t count, const double* weights) {
    const PairedSums sums = kernels.sums(x + begin, y + begin, weights, count, mean_x, mean_y);
    total.x += sums.x;
    total.y += sums.y;
    total.xx += sums.xx;
    total.yy += sums.yy;
    total.xy += sums.xy;
  });
  if (centred) {
    total.xx -= total.x * total.x / n;
    total.yy -= total.y * total.y / n;
    total.xy -= total.x * total.y / n;
  }
  value = absolute_correlation(total.xy, std::sqrt(total.xx) * std::sqrt(total.yy));
  return true;
}

// One value after the other, each brought near 1 by a power of two.
template <class X, class Y>
double scaled_correlation(const X* x, const Y* y, bool centred, const SegmentLayout& layout, std::size_t replicate) {
  const auto for_pairs = [&](auto&& body) {
    for_kept_rows(layout, replicate, [&](std::size_t row, double weight) {
      const double a = static_cast<double>(x[row]);
      const double b = static_cast<double>(y[row]);
      if (!std::isnan(a) && !std::isnan(b)) body(a, b, weight);
    });
  };
  Range range_x;
  Range range_y;
  for_pairs([&](double a, double b, double) {
    range_x.add(a);
    range_y.add(b);
  });
  if (centred && (range_x.constant() || range_y.constant())) return 0.0;
  const double scale_x = range_x.scale();
  const double scale_y = range_y.scale();
  double n = 0.0;
  double mean_x = 0.0;
  double mean_y = 0.0;
  if (centred) {
    for_pairs([&](double a, double b, double weight) {
      n += weight;
      mean_x += weight * (a * scale_x);
      mean_y += weight * (b * scale_y);
    });
    mean_x /= n;
    mean_y /= n;
  }
  double sum_x = 0.0;
  double sum_y = 0.0;
  double xx = 0.0;
  double yy = 0.0;
  double xy = 0.0;
  for_pairs([&](double a, double b, double weight) {
    const double u = a * scale_x - mean_x;
    const double v = b * scale_y - mean_y;
    sum_x += weight * u;
    sum_y += weight * v;
    xx += weight * u * u;
    yy += weight * v * v;
    xy += weight * u * v;
  });
  if (centred) {
    xx -= sum_x * sum_x / n;
    yy -= sum_y * sum_y / n;
    xy -= sum_x * sum_y / n;
  }
  return absolute_correlation(xy, std::sqrt(xx) * std::sqrt(yy));
}

}  // namespace

double two_pass_correlation(NumericColumn x, NumericColumn y, bool centred, const SegmentLayout& layout,
                            std::size_t replicate) {
  const auto measured = [&](const auto* a, const auto* b) {
    double value = 0.0;
    if (plain_correlation(a, b, centred, layout, replicate, value)) return value;
    return scaled_correlation(a, b, centred, layout, replicate);
  };
  // A target is always in double precision, a feature in that of its table.
  if (x.float64 != nullptr && y.float32 != nullptr) return measured(y.float32, x.float64);
  if (x.float32 != nullptr && y.float32 != nullptr) return measured(x.float32, y.float32);
  if (x.float32 != nullptr) return measured(x.float32, y.float64);
  return measured(x.float64, y.float64);
}

double two_pass_f(NumericColumn x, const std::int32_t* classes, std::size_t n_classes, const SegmentLayout& layout,
                  std::size_t replicate) {
  return visit_type(x, [&](const auto* values) {
    const auto for_present = [&](auto&& body) {
      for_kept_rows(layout, replicate, [&](std::size_t row, double weight) {
        const double value = static_cast<double>(values[row]);
        if (!std::isnan(value)) body(value, static_cast<std::size_t>(classes[row]), weight);
      });
    };
    Range range;
    for_present([&](double value, std::size_t, double) { range.add(value); });
    if (range.constant()) return 0.0;
    const double scale = range.scale();
    std::vector<double> rows(n_classes, 0.0);
    std::vector<double> means(n_classes, 0.0);
    for_present([&](double value, std::size_t label, double weight) {
      rows[label] += weight;
      means[label] += weight * (value * scale);
    });
    double n = 0.0;
    double mean = 0.0;
    std::size_t present = 0;
    for (std::size_t label = 0; label < n_classes; ++label) {
      if (rows[label] == 0.0) continue;
      ++present;
      n += rows[label];
      mean += means[label];
      means[label] /= rows[label];
    }
    mean /= n;
    double between = 0.0;
    for (std::size_t label = 0; label < n_classes; ++label) {
      between += rows[label] * (means[label] - mean) * (means[label] - mean);
    }
    double within = 0.0;
    for_present([&](double value, std::size_t label, double weight) {
      const double distance = value * scale - means[label];
      within += weight * distance * distance;
    });
    return f_from_scatter(between, within, n, present);
  });
}

double f_from_scatter(double between, double within, double n, std::size_t n_classes) {
  const double classes = static_cast<double>(n_classes);
  if (n_classes < 2 || n <= classes || !(between > 0.0)) return 0.0;
  // Like |r| < 1e-12: what rounding leaves of equal class means is no difference.
  if (between < 1e-24 * within) return 0.0;
  const double ratio = within > 0.0 ? std::min(between / within, 1e12) : 1e12;
  if (ratio != ratio) return 0.0;  // infinite sums
  return round_significant((n - classes) / (classes - 1.0) * ratio);
}

}  // namespace thresher
