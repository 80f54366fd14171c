#include "measures/class_scatter.hpp"

#include <algorithm>
#include <cmath>

#include "core/interrupt.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/prefetch.hpp"
#include "measures/exact_fallback.hpp"
#include "moments/feature_major.hpp"
#include "moments/row_moment_kernels.hpp"

namespace thresher {
namespace {

constexpr std::size_t kBlockColumns = 256;
constexpr std::size_t kBlockBytes = std::size_t{1} << 18;
// Rows that are prefetched while one is read.
constexpr std::size_t kAhead = 32;
// Rows whose mean is the centre of a column.
constexpr std::size_t kSample = 16;
// Roundings behind a sum of squares, in units of 2^-53 of it.
constexpr double kSquareUnits = static_cast<double>(kRowsOfSquares) + 12.0;

// The moments of some columns of a matrix by class, in one pass over the rows.
template <class T>
class RowMoments {
 public:
  RowMoments(std::size_t n_columns, std::span<const std::int32_t> classes, std::size_t n_classes)
      : n_columns_(n_columns),
        stride_((n_columns + kLine - 1) / kLine * kLine),
        size_(stride_ * n_classes),
        n_rows_(static_cast<double>(classes.size())),
        memory_(stride_ + 5 * size_, 0.0),
        count_(n_classes),
        parts_(n_classes) {
    for (const std::int32_t c : classes) count_[static_cast<std::size_t>(c)] += 1.0;
    centres_ = memory_.data();
    cells_ = centres_ + stride_;
  }

  // Centres from some rows: value(i, j) of each; that of a constant column is its value.
  template <class Value>
  void centre(std::size_t n_samples, const Value& value) {
    std::vector<double> distance(n_columns_);
    for (std::size_t j = 0; j < n_columns_; ++j) centres_[j] = value(0, j);
    for (std::size_t i = 1; i < n_samples; ++i) {
      for (std::size_t j = 0; j < n_columns_; ++j) distance[j] += value(i, j) - centres_[j];
    }
    for (std::size_t j = 0; j < n_columns_; ++j) centres_[j] += distance[j] / static_cast<double>(n_samples);
  }

  void add(const RowBlock<T>& block) {
    THRESHER_DISPATCH(row_moment_kernels)
        .of(block.first)
        .add(block, centres_,
             {cells_, cells_ + size_, cells_ + 2 * size_, cells_ + 3 * size_, cells_ + 4 * size_, count_.size(),
              stride_});
  }

  // Returns the value of column j; NaN, and `open`, if its sums do not settle it.
  double value(std::size_t j, ClassKind kind, bool& open) {
    const double centre = centres_[j];
    double total = 0.0;
    double total_rest = 0.0;
    for (std::size_t c = 0; c < count_.size(); ++c) {
      total += cells_[c * stride_ + j];
      total_rest += cells_[size_ + c * stride_ + j];
    }
    open = !std::isfinite(total);
    if (open) return kNaN;
    // From the centre to the mean, about which sums of classes give the scatter between them.
    const double mean = (total + total_rest) / n_rows_;
    double squares = 0.0;
    double about_centre = 0.0;
    double units = kSquareUnits;
    bool means_are_equal = true;
    for (std::size_t c = 0; c < count_.size(); ++c) {
      const double* cell = cells_ + c * stride_ + j;
      const double before = cell[2 * size_] + cell[3 * size_];
      const double sum = std::fma(-count_[c], mean, cell[0]) + cell[size_];
      const double old_sum = std::fma(-count_[c], centre, cell[0]) + cell[size_];
      const double after = before - (mean - centre) * (old_sum + sum);
      parts_[c] = {count_[c], sum, after};
      means_are_equal = means_are_equal && old_sum == 0.0;
      squares += after;
      about_centre += before;
      if (kind == ClassKind::fir) units = std::max(units, kSquareUnits * before / after);
    }
    // Squares of tiny values vanish, too.
    if (about_centre == 0.0 && means_are_equal) return 0.0;
    units = std::max(units, kSquareUnits * about_centre / squares);
    // A low word of n terms, each at most 2^-53 of the sum of all magnitudes.
    const double magnitudes = n_rows_ * std::fabs(centre) + std::sqrt(n_rows_ * about_centre);
    const double sum_error = sum_error_ = n_rows_ * n_rows_ * magnitudes * 0x1p-106;
    const std::span<const ClassPart<double>> parts = parts_;
    const double result = kind == ClassKind::fir ? sure_distance(parts, units, sum_error)
                                                 : sure_class_value(kind, parts, squares, units, sum_error);
    open = std::isnan(result) || !(squares > 1e-270) || !(squares < 1e280);
    return result;
  }

  // That of the same column from its sums of classes and the sum of squares about 0, if these settle it; else NaN.
  double exact_value(std::size_t j, ClassKind kind, DoubleDouble squares) const {
    if (kind == ClassKind::fir || !(squares.hi > 1e-250) || !(squares.hi < 1e280)) return kNaN;
    std::vector<ClassPart<DoubleDouble>> parts;
    for (std::size_t c = 0; c < count_.size(); ++c) {
      const double* cell = cells_ + c * stride_ + j;
      parts.push_back({count_[c], two_sum(cell[0], cell[size_]), 0.0});
    }
    const double units = n_rows_ * n_rows_ * 0x1p-106 / kRounding<DoubleDouble> + 4.0;
    return sure_class_value<DoubleDouble>(kind, parts, squares, units, sum_error_);
  }

 private:
  static constexpr std::size_t kLine = 8;  // doubles of a cache line

  std::size_t n_columns_;
  std::size_t stride_;  // from one class to the next
  std::size_t size_;
  double n_rows_;
  double sum_error_ = 0.0;
  std::vector<double, UninitialisedAllocator<double>> memory_;  // begins with a line
  double* centres_;
  double* cells_;
  std::vector<double> count_;
  std::vector<ClassPart<double>> parts_;
};

// Blocks of columns, each read in pieces of some rows: piece(first column, width, first row, number of rows) gives a
// RowBlock, at(row, column) where a value lies.
template <class T, class Piece, class At>
std::vector<double> separations_by_rows(std::size_t n_rows, std::size_t n_features, const SeparationOptions& options,
                                        const Piece& piece, const At& at) {
  std::vector<double> result(n_features);
  const std::size_t n_blocks = (n_features + kBlockColumns - 1) / kBlockColumns;
  const std::size_t step = std::max<std::size_t>(16, kBlockBytes / (sizeof(T) * std::min(kBlockColumns, n_features)));
  const SegmentLayout all_rows(n_rows, {}, PartSets(), {});
  parallel_for(n_blocks, 1, options.n_threads, [&](std::size_t block, std::size_t) {
    const std::size_t start = block * kBlockColumns;
    const std::size_t width = std::min(kBlockColumns, n_features - start);
    RowMoments<T> moments(width, options.classes, options.n_classes);
    std::vector<T> buffer;
    const std::size_t n_samples = std::min(kSample, n_rows);
    moments.centre(n_samples, [&](std::size_t i, std::size_t j) {
      return static_cast<double>(at(i * n_rows / n_samples, start + j));
    });
    for (std::size_t row = 0; row < n_rows; row += step) {
      check_interrupt();
      moments.add(piece(start, width, row, std::min(step, n_rows - row), buffer));
    }
    for (std::size_t j = 0; j < width; ++j) {
      bool open = false;
      result[start + j] = moments.value(j, options.kind, open);
      if (!open) continue;
      buffer.resize(n_rows);
      for (std::size_t row = 0; row < n_rows; ++row) {
        prefetch(&at(std::min(row + kAhead, n_rows - 1), start + j));
        buffer[row] = at(row, start + j);
      }
      // Finite values may have an infinite sum.
      result[start + j] = kNaN;
      if (!std::all_of(buffer.begin(), buffer.end(), [](T value) { return std::isfinite(value); })) continue;
      const DoubleDouble squares = typed(THRESHER_DISPATCH(exact_kernels), buffer.data(), buffer.data())
                                       .products(buffer.data(), buffer.data(), nullptr, n_rows, 0.0, 0.0);
      result[start + j] = moments.exact_value(j, options.kind, squares);
      if (!std::isnan(result[start + j])) continue;
      NumericColumn column;
      if constexpr (sizeof(T) == sizeof(float)) {
        column.float32 = buffer.data();
      } else {
        column.float64 = buffer.data();
      }
      result[start + j] =
          class_sums(column, options.classes.data(), options.n_classes, all_rows, 0).value(options.kind);
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
      },
      [&](std::size_t row, std::size_t column) -> const T& { return matrix.data[row * matrix.stride + column]; });
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
      },
      [&](std::size_t row, std::size_t column) -> const T& { return columns.column(column)[row]; });
}

template std::vector<double> separations(const RowMatrix<float>&, const SeparationOptions&);
template std::vector<double> separations(const RowMatrix<double>&, const SeparationOptions&);
template std::vector<double> separations(const DenseColumns<float>&, const SeparationOptions&);
template std::vector<double> separations(const DenseColumns<double>&, const SeparationOptions&);

}  // namespace thresher
