// Numeric features and the results of one pass over each of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "core/memory.hpp"
#include "core/numeric_matrix.hpp"
#include "moments/column_moments.hpp"
#include "moments/segment_layout.hpp"

namespace thresher {

struct NumericOptions {
  std::span<const std::int32_t> parts;
  PartSets sets;  // of the parts
  std::span<const double> weights;
  // Values may be NaN; a pair is then measured on the rows where both are present.
  bool pairwise = false;
  std::size_t n_threads = 1;
};

// Keeps no copy of the matrix, unless rows have to be moved (parts out of order, weights of 0).
// The caller keeps the matrix alive.
class NumericTable {
 public:
  NumericTable(NumericMatrix matrix, const NumericOptions& options, Interrupt& interrupt);

  std::size_t n_features() const { return matrix_.n_features; }
  // Rows in use.
  std::size_t n_rows() const { return layout_.n_rows(); }
  // Rows of the matrix as it was given.
  std::size_t n_given_rows() const { return n_given_rows_; }
  std::size_t n_replicates() const { return layout_.n_replicates(); }
  bool pairwise() const { return pairwise_; }

  NumericColumn column(std::size_t feature) const { return thresher::column(matrix_, feature); }
  const NumericMatrix& matrix() const { return matrix_; }
  const SegmentLayout& layout() const { return layout_; }

  // Over the present values of all rows; NaN for a column without any.
  std::span<const double> mean() const { return mean_; }
  std::span<const double> minimum() const { return minimum_; }
  std::span<const double> maximum() const { return maximum_; }
  bool constant(std::size_t feature) const { return !(minimum_[feature] < maximum_[feature]); }
  // On the rows that each replicate keeps, [feature * n_replicates + replicate].
  std::span<const std::uint8_t> kept_constant() const { return kept_constant_; }

  // Sums about centres near the means; zeros with missing values.
  const ColumnMoments& centred() const { return centred_; }
  // Returns the centred moments, except that columns whose mean is within one standard deviation of zero are taken
  // about zero: that costs one bit, and the subtraction is saved. With weights or missing values the means are kept.
  ColumnMoments centred_where_needed() const;
  // Returns the same sums about 0, from those about the centres.
  ColumnMoments uncentred() const;
  // Returns the unit by which sums of x over some rows are split (see moment_kernels.hpp).
  double split(std::size_t feature) const;

 private:
  void arrange(std::size_t n_threads);
  void read_column(std::size_t feature, ColumnReader& reader);

  NumericMatrix matrix_;
  std::size_t n_given_rows_;
  bool pairwise_;
  SegmentLayout layout_;
  double units_;
  double rows_;
  struct Free {
    void operator()(void* memory) const noexcept { free_array(memory); }
  };
  std::unique_ptr<void, Free> arranged_;
  std::vector<double> mean_;
  std::vector<double> minimum_;
  std::vector<double> maximum_;
  std::vector<std::uint8_t> kept_constant_;
  ColumnMoments centred_;
};

}  // namespace thresher
