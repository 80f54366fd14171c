// Numeric features of a sparse matrix in compressed column form, never densified.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/part_sets.hpp"
#include "measures/pair_measure.hpp"

namespace thresher {

// A CSC matrix with sorted, unique row indices. The arrays are borrowed.
struct CscView {
  std::size_t n_rows = 0;
  std::size_t n_features = 0;
  std::span<const std::int64_t> starts;  // n_features + 1
  std::span<const std::int32_t> rows;
  std::span<const double> values;
};

// Sums of sparse columns about their means, per part of the rows.
//
// With parts, a replicate is the rows of some of them; without, there is one replicate, all rows.
// Sums run over the stored values in row order; implicit zeros enter in closed form.
class SparseTable {
 public:
  SparseTable(CscView matrix, std::span<const std::int32_t> parts, PartSets sets, std::span<const double> weights);

  const CscView& matrix() const { return matrix_; }
  std::size_t n_features() const { return matrix_.n_features; }
  const PartSets& sets() const { return sets_; }
  std::size_t n_parts() const { return sets_.n_parts(); }
  std::size_t n_replicates() const { return sets_.n_replicates(); }
  bool has_parts() const { return has_parts_; }
  std::size_t part(std::size_t row) const { return has_parts_ ? static_cast<std::size_t>(parts_[row]) : 0; }
  double weight(std::size_t row) const { return weights_.empty() ? 1.0 : weights_[row]; }
  double mean(std::size_t feature) const { return mean_[feature]; }
  std::span<const double> part_weight() const { return part_weight_; }

  // out[replicate * n_features + feature], absolute and rounded.
  void relevance_pearson(std::span<const double> target, std::size_t n_threads, std::span<double> out) const;
  void relevance_cosine(std::span<const double> target, std::size_t n_threads, std::span<double> out) const;
  void relevance_f(std::span<const std::int32_t> classes, std::size_t n_classes, std::size_t n_threads,
                   std::span<double> out) const;
  // out[replicate * n_features + feature] = one distinct value on that replicate.
  void constant(std::span<std::uint8_t> out) const;

 private:
  CscView matrix_;
  std::vector<std::int32_t> parts_;
  std::vector<double> weights_;
  bool has_parts_;
  PartSets sets_;
  std::vector<double> part_weight_;
  std::vector<double> mean_;
};

// Absolute Pearson correlation or cosine of sparse columns.
class SparsePairMeasure final : public PairMeasure {
 public:
  SparsePairMeasure(const SparseTable& table, bool centred, std::size_t n_threads);

  std::size_t n_features() const override { return table_.n_features(); }
  std::size_t n_replicates() const override { return table_.n_replicates(); }
  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override;

 private:
  const SparseTable& table_;
  bool centred_;
  std::size_t n_threads_;
};

}  // namespace thresher
