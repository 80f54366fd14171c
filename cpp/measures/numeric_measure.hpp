// Measures of pairs of continuous features.
#pragma once

#include "measures/association.hpp"
#include "measures/pair_measure.hpp"

namespace thresher {

// The table must outlive the measure.
class NumericPairMeasure final : public PairMeasure {
 public:
  NumericPairMeasure(const NumericTable& table, NumericKind kind, std::size_t n_threads)
      : table_(table),
        kind_(kind),
        n_threads_(n_threads),
        moments_(kind == NumericKind::cosine ? table.uncentred() : table.centred_where_needed()),
        packed_(takes_requests(table) ? packed(moments_, table.n_replicates()) : std::vector<PackedMoments>{}),
        fallback_(table) {}

  std::size_t n_features() const override { return table_.n_features(); }
  std::size_t n_replicates() const override { return table_.n_replicates(); }

  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override {
    Reference column = reference_at(table_.column(reference), moments_, reference, table_.layout().kept_rows());
    column.fallback = &fallback_;
    column.feature = reference;
    associate(table_, moments_, column, kind_, features, n_threads_, out);
  }

  RequestHints hints() const override { return {.terms_at_once = takes_requests(table_) ? kTermsAtOnce : 1}; }

  void fill(std::span<const TermRequest> requests) override {
    if (!takes_requests(table_)) return PairMeasure::fill(requests);
    associate(table_, packed_, fallback_, kind_, requests, n_threads_);
  }

 private:
  const NumericTable& table_;
  NumericKind kind_;
  std::size_t n_threads_;
  ColumnMoments moments_;
  std::vector<PackedMoments> packed_;
  ExactFallback fallback_;
};

}  // namespace thresher
