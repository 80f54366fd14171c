// Shared by the ways of searching all replicates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "search/ensemble.hpp"
#include "search/pair_store.hpp"

namespace thresher {

// One replicate's view of the data.
struct ReplicateInput {
  std::uint32_t replicate;
  std::span<const double> relevance;
  Candidates candidates;
};

template <class MakeObjective>
void append(ReplicateSelection& selection, std::uint32_t feature, double relevance, double total,
            const MakeObjective& make) {
  const std::size_t k = selection.selected.size();
  selection.scores.push_back(k == 0 ? relevance : make(k).score(relevance, total));
  selection.redundancy.push_back(k == 0 ? 0.0 : total / static_cast<double>(k));
  selection.selected.push_back(feature);
}

// The kept features first, by the values of the store.
template <class MakeObjective>
void append_kept(ReplicateSelection& selection, PairStore& store, const ReplicateInput& input,
                 const MakeObjective& make) {
  for (const std::uint32_t f : input.candidates.kept) {
    double total = 0.0;
    for (const std::uint32_t g : selection.selected) total += store.value_of(input.replicate, g, f);
    append(selection, f, input.relevance[f], total, make);
  }
}

// Runs the lazy search on one replicate.
ReplicateSelection search_one(PairMeasure& replicate, const ReplicateInput& input, const EnsembleOptions& options,
                              Interrupt& interrupt);

// All replicates together, for measures that work in request rounds: a round requests what all of them lack.
EnsembleResult search_in_rounds(PairMeasure& measure, const std::vector<ReplicateInput>& inputs,
                                const EnsembleOptions& options, Interrupt& interrupt);

// One replicate after the other, each computing its own values; nothing if the measure does not offer that.
std::optional<EnsembleResult> search_unshared(PairMeasure& measure, const std::vector<ReplicateInput>& inputs,
                                              const EnsembleOptions& options, Interrupt& interrupt);

// One replicate after the other, one pair at a time: for values that cost about as little as finding them again.
EnsembleResult search_by_scan(PairMeasure& measure, const std::vector<ReplicateInput>& inputs,
                              const EnsembleOptions& options, Interrupt& interrupt);

// Every pair of the features that any replicate selects is computed; one row of values per such feature.
EnsembleResult search_densely(PairMeasure& measure, const std::vector<ReplicateInput>& inputs,
                              const EnsembleOptions& options, Interrupt& interrupt);

}  // namespace thresher
