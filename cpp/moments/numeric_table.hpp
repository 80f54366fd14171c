// Continuous features and what one pass over each of them gives.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "moments/numeric_matrix.hpp"
#include "moments/row_layout.hpp"

namespace thresher {

struct NumericOptions {
  std::span<const std::int32_t> parts;
  std::span<const double> weights;
  // Values may be NaN; a pair is then measured on the rows where both are present.
  bool pairwise = false;
  std::size_t n_threads = 1;
};

// Sums of single columns that pairs need, about a centre per column: its mean, or 0 for the cosine.
// Indexed [feature * n_replicates + replicate].
struct ColumnMoments {
  std::vector<double> centre;
  std::vector<double> kept_sum;
  // Square root of the (centred) sum of squares; 0 where the measure is undefined.
  std::vector<double> norm;
  // Sums about the common centre are not good enough here: measure from the rows.
  std::vector<std::uint8_t> unsafe;

  void resize(std::size_t n_features, std::size_t n_replicates);
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

  // Sums about the means.
  const ColumnMoments& centred() const { return centred_; }
  // Sums about 0.
  ColumnMoments uncentred(std::size_t n_threads) const;

  // Moments of a target in the layout's order, about its mean or about 0.
  ColumnMoments target_moments(std::span<const double> target, bool centred) const;

  // One-way F of every feature with the classes (one code per original row): [feature * n_replicates + replicate].
  std::vector<double> relevance_f(std::span<const std::int32_t> classes, std::size_t n_classes, std::size_t n_threads,
                                  Interrupt& interrupt) const;

  // Absolute Pearson correlation or cosine of every feature with a target (one value per original row).
  std::vector<double> relevance_correlation(std::span<const double> target, bool centred, std::size_t n_threads,
                                            Interrupt& interrupt) const;

 private:
  void arrange(std::size_t n_threads);
  void read_column(std::size_t feature);
  void read_column_with_missing(std::size_t feature);

  NumericMatrix matrix_;
  std::size_t n_given_rows_;
  bool pairwise_;
  SegmentLayout layout_;
  std::unique_ptr<unsigned char[]> arranged_;
  std::vector<double> mean_;
  std::vector<double> minimum_;
  std::vector<double> maximum_;
  std::vector<std::uint8_t> kept_constant_;
  ColumnMoments centred_;
};

}  // namespace thresher
