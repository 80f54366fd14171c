// Measures of pairs of discrete features, and of features with the target, from counts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/memory.hpp"
#include "counting/pair_counter.hpp"
#include "measures/measure_values.hpp"
#include "measures/pair_measure.hpp"
#include "packing/coded_table.hpp"

namespace thresher {

// Sums of L over single columns, on every replicate: one half of every information value, needed once per column.
class MarginSums {
 public:
  MarginSums() = default;
  explicit MarginSums(const CodedTable& table);

  // sums[r] = sum of L over the column's levels on replicate r, from counts[level * n_parts + part]; returns the rows
  // of the most frequent level. `kept` has one count per replicate.
  static std::uint32_t sum(const CodedTable& table, const std::uint32_t* counts, std::size_t n_levels,
                           std::span<std::uint32_t> kept, std::int64_t* sums);

  const std::int64_t* of(std::size_t f) const { return sums_.data() + f * n_replicates_; }
  // No cell of the feature's tables has more rows.
  std::uint32_t largest_level(std::size_t f) const { return largest_levels_[f]; }
  bool empty() const { return sums_.empty(); }

 private:
  std::size_t n_replicates_ = 1;
  LargeVector<std::int64_t> sums_;
  LargeVector<std::uint32_t> largest_levels_;
};

// Constants of the number of rows of every replicate.
struct ReplicateRows {
  explicit ReplicateRows(const CodedTable& table);
  std::vector<std::int64_t> whole;  // L(rows)
  std::vector<double> unit;         // rows 2^shift
};

// Values of features against one reference column.
class ReferenceValues {
 public:
  // `index` is the reference's own feature number, or the number of features for another column.
  ReferenceValues(const CodedTable& table, const MarginSums& margins, const ReplicateRows& rows,
                  const ReferenceColumn& reference, std::size_t index, DiscreteMeasure measure);

  // out[i * n_replicates + r] = measure(features[i], reference).
  void compute(std::span<const std::uint32_t> features, double* out) const;

 private:
  struct Scratch;
  template <class Cell>
  void compute_general(std::uint32_t f, Scratch& scratch, std::vector<Cell>& cells, double* out) const;
  void compute_one(std::uint32_t f, Scratch& scratch, double* out) const;
  bool suits_kernels() const;
  bool is_looked_up(std::uint32_t f) const;
  void compute_by_kernels(std::span<const std::uint32_t> features, double* out) const;
  void store_information(std::uint32_t f, const std::int64_t* joint, double* out) const;
  void joint_of_cells(std::uint32_t f, Scratch& scratch) const;
  std::int64_t joint_of_apart(std::uint32_t f) const;

  const CodedTable& table_;
  const MarginSums& margins_;
  const ReplicateRows& rows_;
  const ReferenceColumn& reference_;
  DiscreteMeasure measure_;
  const std::int64_t* reference_margin_;
  std::uint32_t largest_level_;  // of the reference
  std::vector<std::int64_t> own_margin_;
};

class ShortColumns;

class DiscretePairMeasure final : public PairMeasure {
 public:
  DiscretePairMeasure(std::shared_ptr<const CodedTable> table, DiscreteMeasure measure, std::size_t n_threads);

  std::size_t n_features() const override { return table_->n_features(); }
  std::size_t n_replicates() const override { return table_->layout().n_replicates(); }
  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override;
  // Replicates are offered where there are few rows, and several terms at once, as the replicates do.
  RequestHints hints() const override;
  // Threads share the pairs of all requests with one reference: one alone may be too small for them.
  void fill(std::span<const TermRequest> requests) override;
  std::unique_ptr<PairMeasure> replicate(std::size_t number) override;

 private:
  ReferenceColumn column(std::uint32_t reference, std::span<const std::uint32_t> features) const;

  std::shared_ptr<const CodedTable> table_;
  DiscreteMeasure measure_;
  std::size_t n_threads_;
  MarginSums margins_;
  ReplicateRows rows_;
  bool offers_replicates_;
  std::shared_ptr<const ShortColumns> short_columns_;  // made for the first replicate
};

// out[r * n_features + f] = measure(f, y) on replicate r.
void discrete_relevance(const CodedTable& table, std::span<const std::int32_t> classes, std::size_t n_classes,
                        DiscreteMeasure measure, std::size_t n_threads, std::span<double> out);

}  // namespace thresher
