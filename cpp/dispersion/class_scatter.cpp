#include "dispersion/class_scatter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.hpp"
#include "dispersion/column_kernels.hpp"
#include "dispersion/elementary.hpp"

namespace thresher {
namespace {

constexpr int kSignificantBits = 40;

// Rows of each class, one class after the other.
struct Groups {
  std::vector<std::uint32_t> rows;
  std::vector<std::size_t> starts;

  Groups(std::span<const std::int32_t> classes, std::size_t n_classes) : rows(classes.size()), starts(n_classes + 1) {
    for (const std::int32_t c : classes) ++starts[static_cast<std::size_t>(c) + 1];
    for (std::size_t c = 0; c < n_classes; ++c) starts[c + 1] += starts[c];
    std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
    for (std::size_t r = 0; r < classes.size(); ++r) {
      rows[next[static_cast<std::size_t>(classes[r])]++] = static_cast<std::uint32_t>(r);
    }
  }
  std::size_t size(std::size_t c) const { return starts[c + 1] - starts[c]; }
};

struct ClassMoments {
  double n = 0.0;
  double mean = 0.0;
  double square = 0.0;  // sum of squared deviations from the class mean
  double min = 0.0;
  double max = 0.0;
};

double separation(std::span<const ClassMoments> classes, Separation measure) {
  double min = std::numeric_limits<double>::infinity();
  double max = -min;
  double n = 0.0;
  double sum = 0.0;
  double within = 0.0;
  for (const ClassMoments& c : classes) {
    if (c.n == 0.0) continue;
    min = std::min(min, c.min);
    max = std::max(max, c.max);
    n += c.n;
    sum += c.n * c.mean;
    within += c.square;
  }
  if (!(min < max)) return 0.0;
  double value = 0.0;
  if (measure == Separation::ratio) {
    const double spread = classes[0].square / classes[0].n + classes[1].square / classes[1].n;
    const double distance = std::fabs(classes[0].mean - classes[1].mean);
    if (spread == 0.0) return std::numeric_limits<double>::infinity();
    value = distance / std::sqrt(spread);
  } else {
    if (within == 0.0) return std::numeric_limits<double>::infinity();
    const double mean = sum / n;
    double between = 0.0;
    for (const ClassMoments& c : classes) between += c.n * (c.mean - mean) * (c.mean - mean);
    value = between / within;
  }
  return round_significant(value, kSignificantBits);
}

// Fills the moments of one class from its stored values and its number of zeros.
template <class T>
ClassMoments moments_of(std::span<const T> values, std::size_t zeros) {
  ClassMoments result;
  result.n = static_cast<double>(values.size() + zeros);
  if (values.empty()) return result;
  const auto& kernels = THRESHER_DISPATCH(column_kernels).of(values.data());
  const SumAndRange summary = kernels.sum_and_range(values.data(), values.size());
  result.min = zeros > 0 ? std::min(summary.min, 0.0) : summary.min;
  result.max = zeros > 0 ? std::max(summary.max, 0.0) : summary.max;
  if (result.min == result.max) {
    result.mean = result.min;
    return result;
  }
  result.mean = summary.sum / result.n;
  result.square = kernels.square_deviation(values.data(), values.size(), result.mean) +
                  static_cast<double>(zeros) * result.mean * result.mean;
  return result;
}

template <class Body>
void over_features(std::size_t n_features, std::size_t column_size, std::size_t n_threads, Interrupt& interrupt,
                   const Body& body) {
  const std::size_t piece = std::max<std::size_t>(64, (std::size_t{1} << 22) / std::max<std::size_t>(1, column_size));
  for (std::size_t first = 0; first < n_features; first += piece) {
    interrupt.check();
    const std::size_t count = std::min(piece, n_features - first);
    parallel_for(count, std::max<std::size_t>(1, piece / 64), n_threads,
                 [&](std::size_t begin, std::size_t end) { body(first + begin, first + end); });
  }
}

}  // namespace

template <class T>
std::vector<double> separations(const DenseColumns<T>& columns, const SeparationOptions& options,
                                Interrupt& interrupt) {
  const Groups groups(options.classes, options.n_classes);
  std::vector<double> result(columns.n_features);
  over_features(columns.n_features, columns.n_rows, options.n_threads, interrupt,
                [&](std::size_t begin, std::size_t end) {
                  std::vector<T> sorted(columns.n_rows);
                  std::vector<ClassMoments> moments(options.n_classes);
                  for (std::size_t f = begin; f < end; ++f) {
                    const T* x = columns.column(f).data();
                    for (std::size_t r = 0; r < columns.n_rows; ++r) sorted[r] = x[groups.rows[r]];
                    for (std::size_t c = 0; c < options.n_classes; ++c) {
                      moments[c] = moments_of(std::span<const T>(sorted).subspan(groups.starts[c], groups.size(c)), 0);
                    }
                    result[f] = separation(moments, options.measure);
                  }
                });
  return result;
}

template <class T>
std::vector<double> separations(const SparseColumns<T>& columns, const SeparationOptions& options,
                                Interrupt& interrupt) {
  const Groups groups(options.classes, options.n_classes);
  std::vector<double> result(columns.n_features);
  const std::size_t mean_size =
      columns.n_features == 0 ? 1 : static_cast<std::size_t>(columns.starts[columns.n_features]) / columns.n_features;
  over_features(columns.n_features, mean_size + options.n_classes + 16, options.n_threads, interrupt,
                [&](std::size_t begin, std::size_t end) {
                  std::vector<std::vector<T>> stored(options.n_classes);
                  std::vector<ClassMoments> moments(options.n_classes);
                  for (std::size_t f = begin; f < end; ++f) {
                    for (auto& values : stored) values.clear();
                    const auto values = columns.values_of(f);
                    const auto rows = columns.rows_of(f);
                    for (std::size_t i = 0; i < values.size(); ++i) {
                      const auto c = options.classes[static_cast<std::size_t>(rows[i])];
                      stored[static_cast<std::size_t>(c)].push_back(values[i]);
                    }
                    for (std::size_t c = 0; c < options.n_classes; ++c) {
                      moments[c] = moments_of(std::span<const T>(stored[c]), groups.size(c) - stored[c].size());
                    }
                    result[f] = separation(moments, options.measure);
                  }
                });
  return result;
}

template std::vector<double> separations(const DenseColumns<float>&, const SeparationOptions&, Interrupt&);
template std::vector<double> separations(const DenseColumns<double>&, const SeparationOptions&, Interrupt&);
template std::vector<double> separations(const SparseColumns<float>&, const SeparationOptions&, Interrupt&);
template std::vector<double> separations(const SparseColumns<double>&, const SeparationOptions&, Interrupt&);

}  // namespace thresher
