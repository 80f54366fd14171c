// Feature-major numeric columns that are read as centred vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/interrupt.hpp"

namespace thresher {

using ColumnPointer = std::variant<const std::int16_t*, const std::int32_t*, const float*, const double*>;

// Columns of one table, centred on the fly: nothing of the table's size is copied.
//
// Integer columns are ranks: they are zero-sum as they are, and their products with each other are exact integers.
//
// With row weights, columns are centred on their weighted means and stretched by the square roots of the weights, so
// that products are weighted ones. All vectors are understood to be stretched like that.
class CentredColumns {
 public:
  // One row of n_rows values per feature. The memory belongs to the caller. `weights`: none, or one per row, for
  // columns of floats only; a row of weight 0 is not there.
  CentredColumns(ColumnPointer values, std::size_t n_features, std::size_t n_rows, std::size_t n_threads,
                 Interrupt& interrupt, std::span<const double> weights = {});

  std::size_t n_features() const { return n_features_; }
  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_threads() const { return n_threads_; }

  // Rows; if all weights are integers, rows with their repeats.
  double n_samples() const { return n_samples_; }

  // Squared length of the centred column; exactly 0 for one that is constant where weights are positive.
  double square(std::size_t feature) const { return square_[feature]; }

  // Writes the centred column.
  void write(std::size_t feature, double* out) const;

  // Centres, and stretches, n_rows values that are no column of the table.
  void prepare(double* values) const;

  // Takes from a vector what rounding has left of a mean.
  void centre(double* vector) const;

  // out[i] = centred column features[i] times the vector.
  void multiply(std::span<const std::uint32_t> features, const double* vector, std::span<double> out,
                Interrupt& interrupt) const;

  // out[i] = correlation of the columns features[i] with a centred vector of the given squared length, in [-1, 1]; 0 if
  // either is constant. With rank columns the vector must contain ranks too, and the products are exact.
  void correlate(std::span<const std::uint32_t> features, const double* vector, double vector_square,
                 std::span<double> out, Interrupt& interrupt) const;

 private:
  double dot(std::size_t feature, const double* vector) const;
  void stretch(double* vector) const;
  void measure_weighted(std::span<const double> weights, Interrupt& interrupt);

  ColumnPointer values_;
  std::size_t n_features_;
  std::size_t n_rows_;
  std::size_t n_threads_;
  double n_samples_;
  std::vector<double> stretch_;    // square roots of the weights; none without weights
  std::vector<double> direction_;  // of a constant column: the same, of length one
  std::vector<double> mean_;
  std::vector<double> square_;
};

}  // namespace thresher
