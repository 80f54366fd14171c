// Terms of two features and the target, for the criteria over triples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "counting/pair_counter.hpp"
#include "measures/pair_measure.hpp"
#include "measures/triple_values.hpp"
#include "packing/coded_table.hpp"

namespace thresher {

class PlainTriples;
class ShortColumns;

// The reference g and the target are counted as one column, so that one table gives every sum.
class ThreeWayMeasure final : public PairMeasure {
 public:
  ThreeWayMeasure(std::shared_ptr<const CodedTable> table, std::span<const std::int32_t> classes, std::size_t n_classes,
                  ThreeWayTerm term, std::size_t n_threads);
  ~ThreeWayMeasure() override;
  ThreeWayMeasure(const ThreeWayMeasure&) = delete;
  ThreeWayMeasure& operator=(const ThreeWayMeasure&) = delete;

  std::size_t n_features() const override { return table_->n_features(); }
  std::size_t n_replicates() const override { return table_->layout().n_replicates(); }
  bool is_symmetric() const override { return term_ != ThreeWayTerm::conditional; }
  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override;
  // Offered if counting on its rows costs less than keeping the values of all replicates; those that are made elsewhere
  // are used when there is no memory to keep any.
  RequestHints hints() const override { return {.offers_replicates = offers_replicates()}; }
  std::unique_ptr<PairMeasure> replicate(std::size_t number) override;

 private:
  friend class ThreeWayReplicate;

  bool offers_replicates() const;
  // Where all columns are planes and nothing is missing or weighted.
  bool has_plain_columns() const;
  // Returns whether these pairs can be counted by planes, on plain rows.
  bool can_plainly(std::uint32_t reference, std::span<const std::uint32_t> features) const;
  void compute(std::uint32_t reference, std::span<const std::uint32_t> features, ReplicateRange replicates,
               double* out) const;

  template <class Cell>
  void compute_one(std::uint32_t f, std::size_t g_levels, ReplicateRange replicates, const ReferenceColumn& composite,
                   CountScratch& scratch, std::vector<Cell>& cells, double* out) const;

  std::shared_ptr<const CodedTable> table_;
  std::vector<std::int32_t> classes_;  // by position
  std::size_t n_classes_;
  ThreeWayTerm term_;
  std::size_t n_threads_;
  std::unique_ptr<PlainTriples> plain_;  // of a table without parts or weights
  // Of the replicates of a table with parts, made for the first of them.
  std::unique_ptr<const ShortColumns> columns_;
  std::vector<CodedFeature> features_;
};

}  // namespace thresher
