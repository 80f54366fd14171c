// Terms of two features and the target, for the criteria that look at triples.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "counting/pair_counter.hpp"
#include "measures/pair_measure.hpp"
#include "measures/triple_values.hpp"
#include "packing/coded_table.hpp"

namespace thresher {

std::optional<ThreeWayTerm> three_way_term_named(std::string_view name);

class PlainTriples;

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

 private:
  // What a reference is counted by on plain rows, kept for its next use; null where the general way is needed.
  const PlainTriples* plain_triples(std::uint32_t reference);
  static constexpr std::size_t kMostReferences = 512;

  template <class Cell>
  void compute(std::uint32_t f, std::size_t g_levels, const ReferenceColumn& composite, CountScratch& scratch,
               std::vector<Cell>& cells, double* out) const;

  std::shared_ptr<const CodedTable> table_;
  std::vector<std::int32_t> classes_;  // by place
  std::size_t n_classes_;
  ThreeWayTerm term_;
  std::size_t n_threads_;
  std::unordered_map<std::uint32_t, std::unique_ptr<PlainTriples>> plain_;
};

}  // namespace thresher
