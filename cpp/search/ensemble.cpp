#include "search/ensemble.hpp"

#include <numeric>
#include <stdexcept>
#include <utility>

#include "search/ensemble_strategies.hpp"
#include "search/pair_store.hpp"

namespace thresher {
namespace {

std::vector<ReplicateInput> split_input(const PairMeasure& measure, std::span<const double> relevance,
                                        const EnsembleOptions& options, std::vector<std::uint32_t>& replicates) {
  const std::size_t p = measure.n_features();
  replicates.assign(options.replicates.begin(), options.replicates.end());
  if (replicates.empty()) {
    replicates.resize(measure.n_replicates());
    std::iota(replicates.begin(), replicates.end(), 0U);
  }
  if (relevance.size() != replicates.size() * p) {
    throw std::invalid_argument("relevance must have one row per replicate and one value per feature");
  }
  if (!options.candidates.empty() && options.candidates.size() != relevance.size()) {
    throw std::invalid_argument("candidates must have one row per replicate and one mark per feature");
  }
  std::vector<ReplicateInput> inputs;
  for (std::size_t i = 0; i < replicates.size(); ++i) {
    if (replicates[i] >= measure.n_replicates())
      throw std::invalid_argument("replicates names one that does not exist");
    const auto mask = options.candidates.empty() ? options.candidates : options.candidates.subspan(i * p, p);
    inputs.push_back({replicates[i], relevance.subspan(i * p, p), {mask, options.kept}});
    check_relevance(p, inputs.back().relevance, inputs.back().candidates);
  }
  return inputs;
}

// One replicate after the other: the values it requests are in the store, or are computed for all.
EnsembleResult search_lazily(PairMeasure& measure, const std::vector<ReplicateInput>& inputs,
                             const EnsembleOptions& options, Interrupt& interrupt) {
  PairStore store(measure, options.memory_limit);
  EnsembleResult result;
  for (const ReplicateInput& input : inputs) {
    ReplicateView replicate(store, input.replicate);
    result.replicates.push_back(search_one(replicate, input, options, interrupt));
  }
  result.n_evaluations = store.n_distinct();
  result.cache_full = store.is_full();
  return result;
}

}  // namespace

ReplicateSelection search_one(PairMeasure& replicate, const ReplicateInput& input, const EnsembleOptions& options,
                              Interrupt& interrupt) {
  GreedyOptions alone;
  alone.objective = options.objective;
  alone.weight = options.weight;
  alone.offset = options.offset;
  alone.candidates = input.candidates;
  auto search = greedy_forward(replicate, input.relevance, alone);
  search.extend(options.n_select, interrupt);
  const Steps& steps = search.steps();
  return {steps.selected, steps.scores, steps.redundancy};
}

EnsembleResult greedy_ensemble(PairMeasure& measure, std::span<const double> relevance, const EnsembleOptions& options,
                               Interrupt& interrupt) {
  std::vector<std::uint32_t> replicates;
  const auto inputs = split_input(measure, relevance, options, replicates);
  if (measure.hints().round_size > 0) return search_in_rounds(measure, inputs, options, interrupt);
  if (options.strategy == EnsembleStrategy::dense) return search_densely(measure, inputs, options, interrupt);
  if (options.strategy == EnsembleStrategy::scan) return search_by_scan(measure, inputs, options, interrupt);
  if (!options.always_share) {
    if (auto found = search_unshared(measure, inputs, options, interrupt)) return std::move(*found);
  }
  return search_lazily(measure, inputs, options, interrupt);
}

}  // namespace thresher
