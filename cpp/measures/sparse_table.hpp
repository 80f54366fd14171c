// Numeric features of a sparse matrix in compressed column form, never densified.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "measures/association.hpp"
#include "measures/numeric_values.hpp"
#include "measures/pair_measure.hpp"
#include "moments/column_moments.hpp"
#include "moments/segment_layout.hpp"

namespace thresher {

// A CSC matrix with sorted, unique row indices. The arrays are borrowed.
struct CscView {
  std::size_t n_rows = 0;
  std::size_t n_features = 0;
  std::span<const std::int64_t> starts;  // n_features + 1
  std::span<const std::int32_t> rows;
  std::span<const double> values;
};

class StoredColumn;

// Sums of sparse columns about 0, per part of the rows; zeros that are not stored add nothing to them.
class SparseTable {
 public:
  SparseTable(CscView matrix, std::span<const std::int32_t> parts, PartSets sets, std::span<const double> weights);

  std::size_t n_features() const { return matrix_.n_features; }
  std::size_t n_given_rows() const { return matrix_.n_rows; }
  // Values stored per feature, about.
  std::size_t mean_size() const { return matrix_.values.size() / std::max<std::size_t>(n_features(), 1) + 16; }
  std::size_t n_replicates() const { return layout_.n_replicates(); }
  const SegmentLayout& layout() const { return layout_; }

  // body(row in the layout's order, segment, value) for every stored value of a row in use.
  template <class Body>
  void for_stored(std::size_t feature, Body&& body) const {
    const auto last = static_cast<std::size_t>(matrix_.starts[feature + 1]);
    auto at = static_cast<std::size_t>(matrix_.starts[feature]);
    if (is_plain()) {
      for (; at < last; ++at) body(static_cast<std::uint32_t>(matrix_.rows[at]), 0u, matrix_.values[at]);
      return;
    }
    for (; at < last; ++at) {
      const std::uint32_t position = position_[static_cast<std::size_t>(matrix_.rows[at])];
      if (position < n_used_) body(position, segment_[position], matrix_.values[at]);
    }
  }
  double weight(std::size_t position) const { return layout_.weights() == nullptr ? 1.0 : layout_.weights()[position]; }
  // In the layout's order.
  std::vector<double> dense_column(std::size_t feature) const;
  const CscView& matrix() const { return matrix_; }
  // Returns whether rows are in use as they were given, in one segment.
  bool is_plain() const { return layout_.order().empty() && layout_.n_segments() == 1; }
  // Returns the unit by which sums of this column are split (see moment_kernels.hpp).
  double split(std::size_t feature) const { return split_for(rows_, minimum_[feature], maximum_[feature]); }
  std::span<const double> minimum() const { return minimum_; }
  std::span<const double> maximum() const { return maximum_; }

  // About 0: with the norms of the centred columns, and of the columns as they are.
  const ColumnMoments& centred() const { return centred_; }
  ColumnMoments uncentred() const;
  // [feature * n_replicates + replicate]: one distinct value on that replicate.
  std::span<const std::uint8_t> kept_constant() const { return kept_constant_; }

 private:
  void read_column(std::size_t feature, StoredColumn& stored, ColumnReader& reader);

  CscView matrix_;
  SegmentLayout layout_;
  double rows_;
  std::size_t n_used_;
  std::vector<std::uint32_t> position_;
  std::vector<std::uint32_t> segment_;
  std::vector<double> minimum_;
  std::vector<double> maximum_;
  std::vector<std::uint8_t> kept_constant_;
  ColumnMoments centred_;
};

// Values of every feature with the target, [feature * n_replicates + replicate].
std::vector<double> relevance_of_numbers(const SparseTable& table, NumericKind kind, std::span<const double> target,
                                         std::size_t n_threads);
std::vector<double> relevance_of_classes(const SparseTable& table, ClassKind kind,
                                         std::span<const std::int32_t> classes, std::size_t n_classes,
                                         std::size_t n_threads, Interrupt& interrupt);

// The values that are stored of one column after the other, by segment. Keeps its memory; one per thread.
class StoredColumn {
 public:
  explicit StoredColumn(const SparseTable& table) : table_(table), segments_(table.layout().n_segments() + 1) {}

  // Valid until the next one is read.
  ColumnRows read(std::size_t feature);
  std::size_t size() const { return segments_.back(); }
  // Rows in the layout's order.
  std::size_t position(std::size_t i) const {
    return table_.is_plain() ? static_cast<std::size_t>(rows_[i]) : positions_[i];
  }

 private:
  const SparseTable& table_;
  std::vector<std::size_t> segments_, next_;
  const std::int32_t* rows_ = nullptr;  // as given
  std::vector<double> values_, weights_;
  std::vector<std::uint32_t> positions_;
};

class SparsePairMeasure final : public PairMeasure {
 public:
  SparsePairMeasure(const SparseTable& table, NumericKind kind, std::size_t n_threads);

  std::size_t n_features() const override { return table_.n_features(); }
  std::size_t n_replicates() const override { return table_.n_replicates(); }
  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override;

 private:
  void set_reference(std::uint32_t feature);

  const SparseTable& table_;
  NumericKind kind_;
  std::size_t n_threads_;
  std::vector<PackedMoments> moments_;
  // The feature measured against last, and its values times their weights, row by row.
  std::optional<std::uint32_t> reference_;
  std::vector<double> weighted_;
};

}  // namespace thresher
