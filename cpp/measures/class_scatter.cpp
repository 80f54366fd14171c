#include "measures/class_scatter.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/elementary.hpp"
#include "core/interrupt.hpp"
#include "core/parallel.hpp"
#include "moments/column_kernels.hpp"
#include "moments/feature_major.hpp"
#include "moments/row_moment_kernels.hpp"

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

constexpr std::size_t kBlockColumns = 256;
constexpr std::size_t kBlockBytes = std::size_t{1} << 18;

// The moments of some columns of a matrix by class, in one pass over the rows.
template <class T>
class RowMoments {
 public:
  RowMoments(std::size_t n_columns, std::size_t n_classes)
      : n_columns_(n_columns),
        totals_(n_columns * n_classes),
        sums_(n_columns * n_classes),
        squares_(n_columns * n_classes),
        low_(n_columns * n_classes, std::numeric_limits<T>::infinity()),
        high_(n_columns * n_classes, -std::numeric_limits<T>::infinity()),
        count_(n_classes) {}

  void add(const RowBlock<T>& block) {
    const auto& kernels = THRESHER_DISPATCH(row_moment_kernels).of(block.first);
    std::fill(sums_.begin(), sums_.end(), 0.0);
    std::fill(squares_.begin(), squares_.end(), 0.0);
    std::fill(count_.begin(), count_.end(), 0.0);
    for (std::size_t r = 0; r < block.n_rows; ++r) count_[static_cast<std::size_t>(block.classes[r])] += 1.0;
    kernels.add(block, sums_.data(), low_.data(), high_.data());
    for (std::size_t c = 0; c < count_.size(); ++c) {
      for (std::size_t j = 0; count_[c] > 0.0 && j < n_columns_; ++j) sums_[c * n_columns_ + j] /= count_[c];
    }
    kernels.add_squares(block, sums_.data(), squares_.data());
    for (std::size_t c = 0; c < count_.size(); ++c) merge(c);
  }

  // The moments of column j. A class is constant by its range, not by a computed variance.
  void of(std::size_t j, std::span<ClassMoments> classes) const {
    for (std::size_t c = 0; c < classes.size(); ++c) {
      const std::size_t place = c * n_columns_ + j;
      ClassMoments moments = totals_[place];
      moments.min = static_cast<double>(low_[place]);
      moments.max = static_cast<double>(high_[place]);
      if (moments.min == moments.max) {
        moments.mean = moments.min;
        moments.square = 0.0;
      }
      classes[c] = moments;
    }
  }

 private:
  void merge(std::size_t c) {
    if (count_[c] == 0.0) return;
    for (std::size_t j = 0; j < n_columns_; ++j) {
      ClassMoments& total = totals_[c * n_columns_ + j];
      const double n = total.n + count_[c];
      const double shift = sums_[c * n_columns_ + j] - total.mean;
      total.mean += shift * (count_[c] / n);
      total.square += squares_[c * n_columns_ + j] + shift * shift * (total.n * count_[c] / n);
      total.n = n;
    }
  }

  std::size_t n_columns_;
  std::vector<ClassMoments> totals_;
  std::vector<double> sums_;
  std::vector<double> squares_;
  std::vector<T> low_;
  std::vector<T> high_;
  std::vector<double> count_;
};

// Blocks of columns, each read in pieces of some rows: piece(first column, width, first row, number of rows) gives a
// RowBlock. The sums depend on the sizes alone, so columns in any layout give the same bits.
template <class T, class Piece>
std::vector<double> separations_by_rows(std::size_t n_rows, std::size_t n_features, const SeparationOptions& options,
                                        const Piece& piece) {
  std::vector<double> result(n_features);
  const std::size_t n_blocks = (n_features + kBlockColumns - 1) / kBlockColumns;
  const std::size_t step = std::max<std::size_t>(16, kBlockBytes / (sizeof(T) * std::min(kBlockColumns, n_features)));
  parallel_for(n_blocks, 1, options.n_threads, [&](std::size_t block, std::size_t) {
    const std::size_t start = block * kBlockColumns;
    const std::size_t width = std::min(kBlockColumns, n_features - start);
    RowMoments<T> moments(width, options.n_classes);
    std::vector<T> buffer;
    for (std::size_t row = 0; row < n_rows; row += step) {
      ask_interrupt();
      moments.add(piece(start, width, row, std::min(step, n_rows - row), buffer));
    }
    std::vector<ClassMoments> classes(options.n_classes);
    for (std::size_t j = 0; j < width; ++j) {
      moments.of(j, classes);
      double check = 0.0;
      for (const ClassMoments& c : classes) check += c.square;
      result[start + j] =
          std::isfinite(check) ? separation(classes, options.measure) : std::numeric_limits<double>::quiet_NaN();
    }
  });
  return result;
}

}  // namespace

template <class T>
std::vector<double> separations(const RowMatrix<T>& matrix, const SeparationOptions& options) {
  return separations_by_rows<T>(
      matrix.n_rows, matrix.n_features, options,
      [&](std::size_t start, std::size_t width, std::size_t row, std::size_t count, std::vector<T>&) {
        return RowBlock<T>{matrix.data + row * matrix.stride + start, matrix.stride, count, width,
                           options.classes.data() + row};
      });
}

template <class T>
std::vector<double> separations(const DenseColumns<T>& columns, const SeparationOptions& options) {
  return separations_by_rows<T>(
      columns.n_rows, columns.n_features, options,
      [&](std::size_t start, std::size_t width, std::size_t row, std::size_t count, std::vector<T>& buffer) {
        buffer.resize(count * width);
        const StridedMatrix<T> tile{columns.column(start).data() + row, width, count,
                                    static_cast<std::ptrdiff_t>(columns.n_rows), 1};
        NeverInterrupt never;
        feature_major(tile, {}, buffer.data(), 1, never);
        return RowBlock<T>{buffer.data(), width, count, width, options.classes.data() + row};
      });
}

template <class T>
std::vector<double> separations(const SparseColumns<T>& columns, const SeparationOptions& options) {
  const Groups groups(options.classes, options.n_classes);
  std::vector<double> result(columns.n_features);
  const std::size_t mean_size =
      columns.n_features == 0 ? 1 : static_cast<std::size_t>(columns.starts[columns.n_features]) / columns.n_features;
  const std::size_t grain = std::max<std::size_t>(1, kBlockBytes / (mean_size + options.n_classes + 16));
  parallel_for(columns.n_features, grain, options.n_threads, [&](std::size_t begin, std::size_t end) {
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

template std::vector<double> separations(const RowMatrix<float>&, const SeparationOptions&);
template std::vector<double> separations(const RowMatrix<double>&, const SeparationOptions&);
template std::vector<double> separations(const DenseColumns<float>&, const SeparationOptions&);
template std::vector<double> separations(const DenseColumns<double>&, const SeparationOptions&);
template std::vector<double> separations(const SparseColumns<float>&, const SeparationOptions&);
template std::vector<double> separations(const SparseColumns<double>&, const SeparationOptions&);

}  // namespace thresher
