#include "measures/dispersion.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <span>

#include "core/elementary.hpp"
#include "core/order_statistics.hpp"
#include "core/parallel.hpp"
#include "core/rounding.hpp"
#include "measures/range.hpp"
#include "moments/column_kernels.hpp"
#include "moments/moment_kernels.hpp"

namespace thresher {
namespace {

constexpr double kLargestExponent = 650.0;
constexpr double kLn2 = kLn2High + kLn2Low;

// Work space of one thread.
struct Scratch {
  std::vector<double> present;
  std::vector<double> scaled;
  std::vector<double> values;
  std::vector<double> other;
};

// The stored values of a column and how many zeros it has besides.
template <class T>
struct Stored {
  std::span<const T> values;
  std::size_t zeros = 0;

  std::size_t n() const { return values.size() + zeros; }
};

// Order statistics of a dense column. A few guesses by interpolation, each checked by counting, leave a short
// interval around the rank wanted; only what lies in it is copied and searched.
template <class T>
Neighbours dense_order_statistic(std::span<const T> x, std::size_t rank, double min, double max, Scratch& scratch) {
  constexpr std::size_t kShort = 24;
  constexpr int kMaxGuesses = 6;
  const auto& kernels = THRESHER_DISPATCH(column_kernels).of(x.data());
  T low = static_cast<T>(min);
  T high = std::numeric_limits<T>::infinity();
  double top = max;  // where the interpolation ends; `high` itself may be infinite
  std::size_t below_low = 0;
  std::size_t below_high = x.size();
  bool from_above = false;
  for (int guess = 0; guess < kMaxGuesses && below_high - below_low > kShort; ++guess) {
    const double size = static_cast<double>(below_high - below_low);
    const double margin = std::max(4.0, 0.05 * size) * (from_above ? 1.0 : -1.0);
    const double aim = std::clamp(static_cast<double>(rank - below_low) + 1.0 + margin, 0.5, size - 0.5);
    const T border = static_cast<T>(static_cast<double>(low) + (top - static_cast<double>(low)) * (aim / size));
    if (!(border > low) || !(border < high)) break;
    const std::size_t below = kernels.count_below(x.data(), x.size(), border);
    if (below <= rank) {
      low = border;
      below_low = below;
      from_above = true;
    } else if (below > rank + 1) {
      high = border;
      top = static_cast<double>(border);
      below_high = below;
      from_above = false;
    } else {
      from_above = true;
    }
  }
  scratch.values.resize(x.size() + 1);
  scratch.other.resize(x.size() + 1);
  std::size_t count = 0;
  for (const T v : x) {
    scratch.values[count] = static_cast<double>(v);
    count += (v >= low) & (v < high);
  }
  return select_with_next(std::span(scratch.values).first(count), scratch.other, rank - below_low);
}

// Order statistics of stored values plus a block of zeros: only the part the rank falls into is searched.
template <class T>
Neighbours order_statistic(const Stored<T>& column, std::size_t rank, double min, double max, Scratch& scratch) {
  if (column.zeros == 0) return dense_order_statistic(column.values, rank, min, max, scratch);
  scratch.values.resize(column.values.size());
  scratch.other.resize(column.values.size());
  const auto select = [&](std::size_t count, std::size_t position) {
    return select_with_next(std::span(scratch.values).first(count), scratch.other, position);
  };
  const auto copy_if = [&](auto keep) {
    std::size_t count = 0;
    for (const T v : column.values) {
      scratch.values[count] = static_cast<double>(v);
      count += keep(v);
    }
    return count;
  };
  std::size_t negative = 0;
  std::size_t positive = 0;
  for (const T v : column.values) {
    negative += v < T(0);
    positive += v > T(0);
  }
  const std::size_t first_positive = column.n() - positive;
  if (rank >= first_positive) return select(copy_if([](T v) { return v > T(0); }), rank - first_positive);
  if (rank < negative) {
    Neighbours result = select(copy_if([](T v) { return v < T(0); }), rank);
    if (rank + 1 == negative) result.next = 0.0;
    return result;
  }
  if (rank + 1 < first_positive) return {0.0, 0.0};
  if (positive == 0) return {0.0, 0.0};
  T smallest = std::numeric_limits<T>::max();
  for (const T v : column.values) smallest = v > T(0) && v < smallest ? v : smallest;
  return {0.0, static_cast<double>(smallest)};
}

template <class T>
double quantile(const Stored<T>& column, double fraction, double min, double max, Scratch& scratch) {
  const double position = static_cast<double>(column.n() - 1) * fraction;
  const double below = std::floor(position);
  const Neighbours result = order_statistic(column, static_cast<std::size_t>(below), min, max, scratch);
  return result.at + (position - below) * (result.next - result.at);
}

template <class T>
double median(const Stored<T>& column, double min, double max, Scratch& scratch) {
  const std::size_t n = column.n();
  const Neighbours result = order_statistic(column, (n - 1) / 2, min, max, scratch);
  return n % 2 == 1 ? result.at : 0.5 * (result.at + result.next);
}

// Of positive values.
template <class T>
double arithmetic_over_geometric(const Stored<T>& column, double log_mean) {
  double logs = 0.0;
  for (const T v : column.values) logs += plain_log(static_cast<double>(v));
  return plain_exp(log_mean - logs / static_cast<double>(column.n()));
}

template <class T>
double log_amgm(const Stored<T>& column, double mean, double min, double max) {
  const double n = static_cast<double>(column.n());
  const double zeros = static_cast<double>(column.zeros);
  if (std::max(max - mean, mean - min) < kLargestExponent) {
    double excess = zeros > 0.0 ? zeros * exp_excess(-mean) : 0.0;
    for (const T v : column.values) excess += exp_excess(static_cast<double>(v) - mean);
    return plain_log1p(excess / n);
  }
  double total = zeros > 0.0 ? zeros * plain_exp(-max) : 0.0;
  for (const T v : column.values) total += plain_exp(static_cast<double>(v) - max);
  return max - mean + plain_log(total / n);
}

template <class T>
double measure_column(const Stored<T>& column, Dispersion measure, Scratch& scratch);

// Returns the power of two by which a column is multiplied so that sums, and the squares of a variance, do not
// overflow.
int scale_for(Dispersion measure, const Range& range) {
  const int scale = range.scale();
  if (measure == Dispersion::variance || scale > 0) return scale;
  const double most = range.magnitude();
  return most >= 0x1p960 && std::isfinite(most) ? -64 : 0;
}

// By way of the column times 2^scale.
template <class T>
double measure_extreme(const Stored<T>& column, Dispersion measure, int scale, double max, Scratch& scratch) {
  scratch.scaled.clear();
  for (const T v : column.values) scratch.scaled.push_back(std::ldexp(static_cast<double>(v), scale));
  const Stored<double> scaled{scratch.scaled, column.zeros};
  const double mean =
      std::accumulate(scaled.values.begin(), scaled.values.end(), 0.0) / static_cast<double>(scaled.n());
  if (measure == Dispersion::am_gm) return arithmetic_over_geometric(column, plain_log(mean) - scale * kLn2);
  // Large values are so widely spaced that only the distance of the largest counts.
  if (measure == Dispersion::amgm && scale < 0) return std::ldexp(std::ldexp(max, scale) - mean, -scale);
  // Of small values it is half the variance.
  if (measure == Dispersion::amgm) return 0.5 * measure_extreme(column, Dispersion::variance, scale, max, scratch);
  return std::ldexp(measure_column(scaled, measure, scratch), measure == Dispersion::variance ? -2 * scale : -scale);
}

template <class T>
double measure_column(const Stored<T>& column, Dispersion measure, Scratch& scratch) {
  if (column.n() < 2 || column.values.empty()) return measure == Dispersion::am_gm && column.n() > 0 ? 1.0 : 0.0;
  const auto& kernels = THRESHER_DISPATCH(column_kernels).of(column.values.data());
  const T* x = column.values.data();
  const std::size_t stored = column.values.size();
  const auto& moments = typed(THRESHER_DISPATCH(moment_kernels), x);
  const RangeSum summary = moments.range_sum(x, nullptr, stored);
  const double zeros = static_cast<double>(column.zeros);
  const double n = static_cast<double>(column.n());
  const double min = column.zeros > 0 ? std::min(summary.minimum, 0.0) : summary.minimum;
  const double max = column.zeros > 0 ? std::max(summary.maximum, 0.0) : summary.maximum;
  if (measure == Dispersion::am_gm && !(min > 0.0)) return std::numeric_limits<double>::quiet_NaN();
  if (min == max) return measure == Dispersion::am_gm ? 1.0 : 0.0;
  if (const int scale = scale_for(measure, {min, max}); scale != 0) {
    return measure_extreme(column, measure, scale, max, scratch);
  }
  const double mean = summary.sum / n;
  switch (measure) {
    case Dispersion::variance: {
      const CentredSums about = moments.centred_sums(x, nullptr, stored, mean);
      const double off = about.sum - zeros * mean;  // not 0, as the mean is rounded
      return (about.squares + zeros * mean * mean - off * off / n) / n;
    }
    case Dispersion::mad: return (kernels.absolute_deviation(x, stored, mean) + zeros * std::fabs(mean)) / n;
    case Dispersion::mean_median: return std::fabs(mean - median(column, min, max, scratch));
    case Dispersion::iqr: return quantile(column, 0.75, min, max, scratch) - quantile(column, 0.25, min, max, scratch);
    case Dispersion::am_gm: return arithmetic_over_geometric(column, plain_log(mean));
    case Dispersion::amgm: return log_amgm(column, mean, min, max);
  }
  return 0.0;
}

// Returns the values present, as doubles, where some are missing.
template <class T>
Stored<double> without_missing(const Stored<T>& column, Scratch& scratch) {
  scratch.present.clear();
  for (const T v : column.values) {
    if (!std::isnan(v)) scratch.present.push_back(static_cast<double>(v));
  }
  return {scratch.present, column.zeros};
}

template <class Columns, class StoredOf>
std::vector<double> measure_all(const Columns& columns, const DispersionOptions& options, Interrupt& interrupt,
                                std::size_t mean_size, StoredOf stored_of) {
  std::vector<double> result(columns.n_features);
  // Pieces of about a million values, so that Ctrl-C is noticed in time.
  const std::size_t piece = std::max<std::size_t>(64, (std::size_t{1} << 22) / std::max<std::size_t>(1, mean_size));
  for (std::size_t first = 0; first < columns.n_features; first += piece) {
    interrupt.check();
    const std::size_t count = std::min(piece, columns.n_features - first);
    parallel_for(
        count, std::max<std::size_t>(1, piece / 64), options.n_threads, [&](std::size_t begin, std::size_t end) {
          Scratch scratch;
          for (std::size_t f = first + begin; f < first + end; ++f) {
            const auto stored = stored_of(f);
            const double value = options.skip_missing
                                     ? measure_column(without_missing(stored, scratch), options.measure, scratch)
                                     : measure_column(stored, options.measure, scratch);
            result[f] = round_significant(value);
          }
        });
  }
  return result;
}

}  // namespace

template <class T>
std::vector<double> dispersions(const DenseColumns<T>& columns, const DispersionOptions& options,
                                Interrupt& interrupt) {
  return measure_all(columns, options, interrupt, columns.n_rows,
                     [&](std::size_t f) { return Stored<T>{columns.column(f), 0}; });
}

template <class T>
std::vector<double> dispersions(const SparseColumns<T>& columns, const DispersionOptions& options,
                                Interrupt& interrupt) {
  const std::size_t mean_size =
      columns.n_features == 0 ? 1 : static_cast<std::size_t>(columns.starts[columns.n_features]) / columns.n_features;
  return measure_all(columns, options, interrupt, mean_size + 16,
                     [&](std::size_t f) { return Stored<T>{columns.values_of(f), columns.n_rows - columns.size(f)}; });
}

template std::vector<double> dispersions(const DenseColumns<float>&, const DispersionOptions&, Interrupt&);
template std::vector<double> dispersions(const DenseColumns<double>&, const DispersionOptions&, Interrupt&);
template std::vector<double> dispersions(const SparseColumns<float>&, const DispersionOptions&, Interrupt&);
template std::vector<double> dispersions(const SparseColumns<double>&, const DispersionOptions&, Interrupt&);

}  // namespace thresher
