#include "moments/column_moments.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>

#include "moments/moment_kernels.hpp"

namespace thresher {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Squares of magnitudes outside these, or sums of them, overflow or underflow.
constexpr double kLarge = 1e140;
constexpr double kSmall = 1e-140;
// A smaller sum of squares has lost terms to underflow.
constexpr double kLeastSquares = 1e-270;

// Columns up to this length are in the second-level cache when they are read again.
constexpr std::size_t kReadTwice = std::size_t{1} << 15;
constexpr std::size_t kSamples = 256;
// The share of a sum of squares that may come from the distance of centre and mean: it adds a third to the errors.
constexpr double kFar = 1.0 / 32.0;

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

}  // namespace

void ColumnMoments::resize(std::size_t n_features, std::size_t n_replicates) {
  centre.resize(n_features);
  kept_sum.resize(n_features * n_replicates);
  norm.resize(n_features * n_replicates);
  error.resize(n_features * n_replicates);
}

bool is_extreme(double low, double high) {
  const double magnitude = std::max(std::fabs(low), std::fabs(high));
  const double range = high - low;
  return magnitude > kLarge || (range > 0.0 && range < kSmall) || (magnitude > 0.0 && magnitude < kSmall);
}

double total_rows(const SegmentLayout& layout) {
  const double* weights = layout.weights();
  if (weights == nullptr) return static_cast<double>(layout.n_rows());
  return std::accumulate(weights, weights + layout.n_rows(), 0.0);
}

void set_undefined(ColumnMoments& moments, std::size_t at) {
  moments.norm[at] = 0.0;
  moments.kept_sum[at] = 0.0;
  moments.error[at] = 0.0;
}

// Sums of short tiles err less. On many replicates a pair has as many chances to leave a rounding open, which costs a
// second pass over its rows.
std::size_t tile_rows(const SegmentLayout& layout) {
  const bool is_long = layout.n_rows() > kShortRows;
  if (layout.n_replicates() == 1) return is_long ? 256 : 1024;
  return is_long ? 64 : 256;
}

// Of every product: two subtractions, one as a margin, one with a weight, and one for each that its lane adds up: those
// of a run, its last rows, and the runs. Then those of the sixteen lanes: four, or two if they go to a sum of two
// doubles, and its own.
double product_units(const SegmentLayout& layout) {
  const std::size_t tile = tile_rows(layout);
  const auto pieces = [](std::size_t rows, std::size_t size) { return (rows + size - 1) / size; };
  double units = 0.0;
  for (std::size_t s = 0; s < layout.n_segments(); ++s) {
    const std::size_t rows = layout.segments()[s + 1] - layout.segments()[s];
    const std::size_t together = std::min(rows, tile);
    const std::size_t of_runs = together > kRunRows ? pieces(together, kRunRows) : 0;
    const std::size_t in_a_lane = pieces(std::min(together, kRunRows), kMomentLanes) + of_runs;
    units = std::max(units, static_cast<double>(in_a_lane) + (rows <= tile ? 4.0 : 3.0));
  }
  units += layout.weights() == nullptr ? 3.0 : 4.0;
  const double of_segments = layout.has_parts() ? 1.0 : 0.0;
  const double of_rows = layout.has_whole_weights() ? 0.0 : 3.0;
  return units + of_segments + of_rows;
}

double split_for(double rows, double minimum, double maximum) {
  const double largest = rows * std::max(std::fabs(minimum), std::fabs(maximum));
  // The power of two that is not above it, times four.
  const double power = std::bit_cast<double>(std::bit_cast<std::uint64_t>(largest) & 0x7ff0000000000000u);
  return power > 0.0 && power < kInfinity ? 4.0 * power : 1.0;
}

ColumnReader::ColumnReader(const SegmentLayout& layout)
    : layout_(layout),
      rows_(total_rows(layout)),
      units_(product_units(layout)),
      tile_(tile_rows(layout)),
      low_(layout.n_segments()),
      high_(layout.n_segments()),
      sums_(layout.n_segments()),
      kept_(layout.n_replicates()) {}

void ColumnReader::read(const ColumnRows& column, double centre) {
  const MomentKernels& kernels = THRESHER_DISPATCH(moment_kernels);
  centre_ = centre;
  column.for_segments([&](const auto* x, const double* weights, std::size_t count, std::size_t s) {
    ColumnSums own{kInfinity, -kInfinity, {0.0, 0.0}};
    if (count > 0) own = typed(kernels, x).column_sums(x, weights, count, centre, tile_);
    const bool has_zeros = count < layout_.segments()[s + 1] - layout_.segments()[s];
    low_[s] = has_zeros ? std::min(own.minimum, 0.0) : own.minimum;
    high_[s] = has_zeros ? std::max(own.maximum, 0.0) : own.maximum;
    sums_[s] = own.about;
  });
}

void ColumnReader::read_with_missing(const ColumnRows& column) {
  centre_ = rows_ = 0.0;
  column.for_segments([&](const auto* x, const double* weights, std::size_t count, std::size_t s) {
    const RangeSum range = range_with_missing(x, weights, count, rows_);
    low_[s] = range.minimum;
    high_[s] = range.maximum;
    sums_[s].sum = range.sum;
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
  return centre_ + total().sum / rows_;
}

bool ColumnReader::is_off_centre() const {
  const auto [sum, squares] = total();
  return sum * (sum / rows_) > kFar * squares;
}

CentredSums ColumnReader::total() const {
  CentredSums total{0.0, 0.0};
  for (const CentredSums& segment : sums_) {
    total.sum += segment.sum;
    total.squares += segment.squares;
  }
  return total;
}

void ColumnReader::kept_constants(std::uint8_t* kept) const {
  layout_.sets().find_constant(low_.data(), high_.data(), kept);
}

void ColumnReader::set_moments(bool centred, std::size_t feature, ColumnMoments& moments) {
  const std::size_t at = feature * layout_.n_replicates();
  layout_.sets().sum_each(&sums_.front().sum, 2, 2, &kept_.front().sum, 2, 1);  // sums and squares
  const bool extreme = is_extreme(minimum(), maximum());
  const bool nothing = minimum() == 0.0 && maximum() == 0.0;
  for (std::size_t r = 0; r < layout_.n_replicates(); ++r) {
    if (nothing) {
      set_undefined(moments, at + r);
      continue;
    }
    const auto [sum, squares] = kept_[r];
    const double shift = centred ? sum * (sum / layout_.kept_rows()[r]) : 0.0;
    const double scatter = squares - shift;
    const bool lost = extreme || !(squares > kLeastSquares) || !(scatter > 0.0);
    // The sum is off by as many units of the root of rows times squares.
    const double units = units_ * (1.0 + 2.0 * std::sqrt(shift / squares));
    const double share = squares / scatter;
    moments.kept_sum[at + r] = sum;
    moments.norm[at + r] = lost ? 1.0 : std::sqrt(scatter);
    moments.error[at + r] = lost ? kInfinity : 0.5 * 0x1p-53 * (units * share + 3.0 * (share - 1.0));
  }
}

double likely_centre(const ColumnRows& column) {
  const std::size_t n = column.segments.back();
  if (n <= kReadTwice) return 0.0;
  return visit_type(column.values, [&](const auto* x) {
    const double first = static_cast<double>(x[0]);
    double distance = 0.0;
    for (std::size_t i = 0; i < kSamples; ++i) distance += static_cast<double>(x[i * n / kSamples]) - first;
    return first + distance / static_cast<double>(kSamples);
  });
}

ColumnMoments moments_of(std::span<const double> column, bool centred, const SegmentLayout& layout) {
  const ColumnRows values({nullptr, column.data()}, layout);
  ColumnReader reader(layout);
  reader.read(values, 0.0);
  ColumnMoments moments;
  moments.resize(1, layout.n_replicates());
  moments.centre[0] = centred ? reader.mean() : 0.0;
  if (centred) reader.read(values, moments.centre[0]);
  reader.set_moments(centred, 0, moments);
  std::vector<std::uint8_t> kept(layout.n_replicates());
  reader.kept_constants(kept.data());
  for (std::size_t r = 0; centred && r < kept.size(); ++r) {
    if (kept[r] != 0) set_undefined(moments, r);
  }
  return moments;
}

}  // namespace thresher
