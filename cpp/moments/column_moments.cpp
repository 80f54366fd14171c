#include "moments/column_moments.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "moments/moment_kernels.hpp"

namespace thresher {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Magnitudes outside these leave squares and their sums without room.
constexpr double kLarge = 1e140;
constexpr double kSmall = 1e-140;

bool is_extreme(double low, double high) {
  const double magnitude = std::max(std::fabs(low), std::fabs(high));
  const double range = high - low;
  return magnitude > kLarge || (range > 0.0 && range < kSmall) || (magnitude > 0.0 && magnitude < kSmall);
}

template <class T>
RangeSum range_with_missing(const T* x, const double* weights, std::size_t n, double& rows) {
  RangeSum range{kInfinity, -kInfinity, 0.0};
  for (std::size_t i = 0; i < n; ++i) {
    const double value = static_cast<double>(x[i]);
    if (std::isnan(value)) continue;
    const double weight = weights == nullptr ? 1.0 : weights[i];
    range.minimum = std::min(range.minimum, value);
    range.maximum = std::max(range.maximum, value);
    range.sum += value * weight;
    rows += weight;
  }
  return range;
}

double total_rows(const SegmentLayout& layout) {
  const double* weights = layout.weights();
  if (weights == nullptr) return static_cast<double>(layout.n_rows());
  return std::accumulate(weights, weights + layout.n_rows(), 0.0);
}

}  // namespace

void ColumnMoments::resize(std::size_t n_features, std::size_t n_replicates) {
  centre.resize(n_features);
  kept_sum.resize(n_features * n_replicates);
  norm.resize(n_features * n_replicates);
  unsafe.resize(n_features * n_replicates);
}

void set_undefined(ColumnMoments& moments, std::size_t at) {
  moments.norm[at] = 0.0;
  moments.kept_sum[at] = 0.0;
  moments.unsafe[at] = 0;
}

ColumnReader::ColumnReader(const SegmentLayout& layout)
    : layout_(layout),
      rows_(total_rows(layout)),
      low_(layout.n_segments()),
      high_(layout.n_segments()),
      sums_(layout.n_segments()),
      squares_(layout.n_segments()) {}

void ColumnReader::read_range(NumericColumn column, bool with_missing) {
  const MomentKernels& kernels = THRESHER_DISPATCH(moment_kernels);
  const auto segments = layout_.segments();
  if (with_missing) rows_ = 0.0;
  visit_type(column, [&](const auto* x) {
    for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
      const std::size_t begin = segments[s];
      const std::size_t count = segments[s + 1] - begin;
      const double* weights = layout_.weights() == nullptr ? nullptr : layout_.weights() + begin;
      RangeSum range{kInfinity, -kInfinity, 0.0};
      if (with_missing) {
        range = range_with_missing(x + begin, weights, count, rows_);
      } else if (count > 0) {
        range = typed(kernels, x).range_sum(x + begin, weights, count);
      }
      low_[s] = range.minimum;
      high_[s] = range.maximum;
      sums_[s] = range.sum;
    }
  });
}

double ColumnReader::minimum() const {
  return rows_ > 0.0 ? *std::min_element(low_.begin(), low_.end()) : std::numeric_limits<double>::quiet_NaN();
}

double ColumnReader::maximum() const {
  return rows_ > 0.0 ? *std::max_element(high_.begin(), high_.end()) : std::numeric_limits<double>::quiet_NaN();
}

// The mean of a constant column is that constant: a computed one may be off by a rounding.
double ColumnReader::mean() const {
  if (minimum() == maximum()) return minimum();
  return std::accumulate(sums_.begin(), sums_.end(), 0.0) / rows_;
}

void ColumnReader::kept_constants(std::uint8_t* kept) const {
  layout_.sets().find_constant(low_.data(), high_.data(), kept);
}

void ColumnReader::read_moments(NumericColumn column, bool centred, std::size_t feature, ColumnMoments& moments) {
  const MomentKernels& kernels = THRESHER_DISPATCH(moment_kernels);
  const auto segments = layout_.segments();
  const double centre = moments.centre[feature];
  visit_type(column, [&](const auto* x) {
    for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
      const std::size_t begin = segments[s];
      const double* weights = layout_.weights() == nullptr ? nullptr : layout_.weights() + begin;
      const CentredSums sums = typed(kernels, x).centred_sums(x + begin, weights, segments[s + 1] - begin, centre);
      sums_[s] = sums.sum;
      squares_[s] = sums.squares;
    }
  });
  const std::size_t n_replicates = layout_.n_replicates();
  const std::size_t at = feature * n_replicates;
  layout_.sets().sum(sums_.data(), 1, moments.kept_sum.data() + at, 1);
  layout_.sets().sum(squares_.data(), 1, moments.norm.data() + at, 1);
  const auto kept_rows = layout_.kept_rows();
  const bool extreme = is_extreme(minimum(), maximum());
  for (std::size_t r = 0; r < n_replicates; ++r) {
    const double sum = moments.kept_sum[at + r];
    const double squares = moments.norm[at + r];
    const double scatter = centred ? squares - sum * (sum / kept_rows[r]) : squares;
    moments.norm[at + r] = scatter > 0.0 ? std::sqrt(scatter) : 0.0;
    moments.unsafe[at + r] = extreme || (centred && !(scatter >= kSafeShare * squares));
  }
}

}  // namespace thresher
