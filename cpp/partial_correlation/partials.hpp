// Partial correlations of all features with a target, given a growing set of features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "partial_correlation/centred_columns.hpp"

namespace thresher {

// Below this share of its variance left, a column counts as explained by the given ones.
inline constexpr double kCollinear = 1e-10;

// A correlation, or with several target columns a multiple one, and the share of the variance it leaves.
//
// `unexplained` is 1 - correlation^2, kept apart because near a perfect fit it can be known much more accurately.
struct Correlation {
  double value = 0.0;
  double unexplained = 1.0;
};

// Keeps, for each feature, the squared length of its residual and the products of that residual with the target's.
//
// Folding a feature in costs one read-only product over all columns: the new direction is orthogonal to the earlier
// ones, so the original columns may replace their residuals, and nothing of the table's size is rewritten. The explicit
// residual is formed only where the running values have lost too many digits.
class Partials {
 public:
  // `target`: one or several columns of n_rows values each; made orthonormal here, dependent ones dropped.
  // `features`: those to follow. The columns must outlive this object.
  Partials(const CentredColumns& columns, std::span<const double> target, std::span<const std::uint32_t> features,
           Interrupt& interrupt);
  // Adds a feature to the given set. A collinear one adds nothing.
  void fold(std::uint32_t feature, Interrupt& interrupt);

  // Number of features folded in, collinear ones included.
  std::size_t n_given() const { return n_given_; }

  // Returns whether nothing is left of the target, or no row is left that distinguishes candidates.
  bool exhausted() const {
    return pivots_.empty() || columns_.n_samples() <= static_cast<double>(n_given_ + 1 + pivots_.size());
  }

  // By position in `features`. A constant feature counts as explained.
  bool collinear(std::size_t position) const { return left_[position] <= kCollinear; }

  // The correlations of all residuals with the target's, by position in `features`; none for collinear features.
  void correlations(std::span<Correlation> out, Interrupt& interrupt) const;

 private:
  std::size_t n_targets() const { return target_.size() / n_rows_; }
  double* target(std::size_t index) { return target_.data() + index * n_rows_; }
  const double* target(std::size_t index) const { return target_.data() + index * n_rows_; }
  double unit(std::size_t position) const;
  Correlation correlation(std::size_t position, std::span<double> solved) const;
  void factor_target();
  void refresh(std::size_t position);
  void refresh_all(Interrupt& interrupt);
  double exact_unexplained(std::size_t position) const;

  const CentredColumns& columns_;
  std::vector<std::uint32_t> features_;
  std::size_t n_rows_;
  std::size_t n_given_ = 0;
  std::vector<double> target_;       // residuals of the target columns, one after the other
  std::vector<double> directions_;   // orthonormal directions of the given features, one after the other
  std::vector<double> left_;         // per feature: squared length of the residual of the unit column
  std::vector<double> left_exact_;   // the same when it was last known exactly
  std::vector<double> products_;     // per feature and target: product of the residuals
  std::vector<std::size_t> pivots_;  // target columns that span the residual target
  std::vector<double> factor_;       // their Cholesky factor, lower, row by row
  std::vector<double> basis_;        // an orthonormal basis of the residual target
};

}  // namespace thresher
