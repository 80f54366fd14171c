#include "neighbours/row_table.hpp"

#include <algorithm>
#include <cmath>

#include "core/interrupt.hpp"
#include "core/parallel.hpp"
#include "moments/moment_kernels.hpp"

namespace thresher {
namespace {

constexpr std::size_t kBins = 8;

// Levels of the values present: distinct values of a nominal feature; else bins of equal frequency,
// floor(B (2 less + equal) / (2 n)).
template <class T>
std::size_t assign_levels(std::span<const T> column, bool nominal, std::vector<std::int32_t>& levels) {
  const std::vector<T> x(column.begin(), column.end());  // sorted and compared: values must stay as they are
  levels.assign(x.size(), -1);
  std::vector<std::uint32_t> order;
  for (std::size_t r = 0; r < x.size(); ++r) {
    if (!std::isnan(x[r])) order.push_back(static_cast<std::uint32_t>(r));
  }
  std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return x[a] < x[b]; });
  const std::size_t n = order.size();
  std::int32_t level = -1;
  std::size_t last = static_cast<std::size_t>(-1);
  for (std::size_t begin = 0; begin < n;) {
    std::size_t end = begin;
    while (end < n && x[order[end]] == x[order[begin]]) ++end;
    const std::size_t bin = nominal ? begin : kBins * (2 * begin + (end - begin)) / (2 * n);
    if (bin != last) ++level;
    last = bin;
    for (std::size_t i = begin; i < end; ++i) levels[order[i]] = level;
    begin = end;
  }
  return static_cast<std::size_t>(level + 1);
}

template <class T>
MissingFeature describe_missing(const RowTable<T>& table, std::size_t feature, bool nominal) {
  MissingFeature result;
  result.feature = feature;
  result.n_classes = table.n_classes;
  const std::size_t n_levels = assign_levels(table.columns.column(feature), nominal, result.levels);
  std::vector<double> present(table.n_classes);
  std::vector<double> share(table.n_classes * n_levels);
  for (std::size_t r = 0; r < table.columns.n_rows; ++r) {
    if (result.levels[r] < 0) continue;
    const auto c = static_cast<std::size_t>(table.class_of(r));
    present[c] += 1.0;
    share[c * n_levels + static_cast<std::size_t>(result.levels[r])] += 1.0;
  }
  result.unlike.assign(share.size(), 1.0);
  for (std::size_t c = 0; c < table.n_classes; ++c) {
    for (std::size_t v = 0; v < n_levels; ++v) {
      double& p = share[c * n_levels + v];
      if (present[c] > 0.0) p /= present[c];
      result.unlike[c * n_levels + v] = 1.0 - p;
    }
  }
  result.both.resize(table.n_classes * table.n_classes);
  for (std::size_t a = 0; a < table.n_classes; ++a) {
    for (std::size_t b = 0; b < table.n_classes; ++b) {
      double same = 0.0;
      for (std::size_t v = 0; v < n_levels; ++v) same += share[a * n_levels + v] * share[b * n_levels + v];
      result.both[a * table.n_classes + b] = 1.0 - same;
    }
  }
  return result;
}

struct Range {
  double min = 0.0;
  double max = 0.0;
  double mean = 0.0;
  bool any_missing = false;
};

template <class T>
Range range_of(std::span<const T> x) {
  const RangeSum summary = typed(THRESHER_DISPATCH(moment_kernels), x.data()).range_sum(x.data(), nullptr, x.size());
  // A NaN anywhere makes the sum NaN (infinities are rejected before).
  if (!std::isnan(summary.sum))
    return {summary.minimum, summary.maximum, summary.sum / static_cast<double>(x.size()), false};
  Range result{0.0, 0.0, 0.0, true};
  bool first = true;
  for (const T v : x) {
    if (std::isnan(v)) continue;
    const double d = static_cast<double>(v);
    result.min = first ? d : std::min(result.min, d);
    result.max = first ? d : std::max(result.max, d);
    first = false;
  }
  return result;
}

template <class T>
std::vector<Range> ranges_of(const DenseColumns<T>& columns, std::size_t n_threads) {
  std::vector<Range> ranges(columns.n_features);
  parallel_for(columns.n_features, 64, n_threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) ranges[f] = range_of(columns.column(f));
  });
  return ranges;
}

}  // namespace

template <class T>
double RowTable<T>::missing_diff(const MissingFeature& feature, std::size_t a, std::size_t b) const {
  const std::int32_t level_a = feature.levels[a];
  const std::int32_t level_b = feature.levels[b];
  const auto class_a = static_cast<std::size_t>(class_of(a));
  const auto class_b = static_cast<std::size_t>(class_of(b));
  if (level_a < 0 && level_b < 0) return feature.both[class_a * n_classes + class_b];
  if (level_a < 0) return feature.unlike[class_a * feature.n_levels() + static_cast<std::size_t>(level_b)];
  if (level_b < 0) return feature.unlike[class_b * feature.n_levels() + static_cast<std::size_t>(level_a)];
  const auto x = columns.column(feature.feature);
  const double difference = std::fabs(static_cast<double>(x[a]) - static_cast<double>(x[b]));
  const double width = scale[feature.feature];
  if (width < 0.0) return difference != 0.0 ? 1.0 : 0.0;  // nominal
  return width > 0.0 ? difference / width : 0.0;
}

template <class T>
RowTable<T> scaled_by_range(const DenseColumns<T>& columns, std::span<const std::uint8_t> nominal_flags,
                            std::span<const std::int32_t> classes, std::size_t n_classes, std::size_t n_threads) {
  RowTable<T> table;
  table.columns = columns;
  table.classes = classes;
  table.n_classes = n_classes;
  table.offset.resize(columns.n_features);
  table.scale.resize(columns.n_features);
  const std::vector<Range> ranges = ranges_of(columns, n_threads);
  for (std::size_t f = 0; f < columns.n_features; ++f) {
    check_interrupt();
    const bool nominal = nominal_flags[f] != 0;
    table.offset[f] = ranges[f].min;
    table.scale[f] = nominal ? -1.0 : ranges[f].max - ranges[f].min;
    if (ranges[f].any_missing) {
      table.missing.push_back(describe_missing(table, f, nominal));
    } else if (ranges[f].min != ranges[f].max) {
      (nominal ? table.nominal : table.numeric).push_back(static_cast<std::uint32_t>(f));
    }
  }
  return table;
}

template <class T>
RowTable<T> unscaled(const DenseColumns<T>& columns, std::size_t n_threads) {
  RowTable<T> table;
  table.columns = columns;
  table.offset.resize(columns.n_features);
  table.scale.assign(columns.n_features, 1.0);
  const std::vector<Range> ranges = ranges_of(columns, n_threads);
  for (std::size_t f = 0; f < columns.n_features; ++f) {
    table.offset[f] = ranges[f].mean;
    if (ranges[f].min != ranges[f].max) table.numeric.push_back(static_cast<std::uint32_t>(f));
  }
  return table;
}

template struct RowTable<float>;
template struct RowTable<double>;
template RowTable<float> scaled_by_range(const DenseColumns<float>&, std::span<const std::uint8_t>,
                                         std::span<const std::int32_t>, std::size_t, std::size_t);
template RowTable<double> scaled_by_range(const DenseColumns<double>&, std::span<const std::uint8_t>,
                                          std::span<const std::int32_t>, std::size_t, std::size_t);
template RowTable<float> unscaled(const DenseColumns<float>&, std::size_t);
template RowTable<double> unscaled(const DenseColumns<double>&, std::size_t);

}  // namespace thresher
