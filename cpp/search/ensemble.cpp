#include "search/ensemble.hpp"

#include <memory>
#include <numeric>
#include <stdexcept>
#include <utility>

#include "search/ensemble_input.hpp"
#include "search/lazy_search.hpp"
#include "search/objective_choice.hpp"
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
    if (replicates[i] >= measure.n_replicates()) throw std::invalid_argument("replicates names one that does not exist");
    const auto mask = options.candidates.empty() ? options.candidates : options.candidates.subspan(i * p, p);
    inputs.push_back({replicates[i], relevance.subspan(i * p, p), {mask, options.kept}});
    check_relevance(p, inputs.back().relevance, inputs.back().candidates);
  }
  return inputs;
}

template <class MakeObjective>
class LazyEnsemble {
 public:
  LazyEnsemble(PairMeasure& measure, const std::vector<ReplicateInput>& inputs, const EnsembleOptions& options,
               Interrupt& interrupt, MakeObjective make)
      : measure_(measure), inputs_(inputs), options_(options), interrupt_(interrupt), make_(make),
        store_(measure, options.memory_limit) {
    result_.replicates.resize(inputs.size());
  }

  // All replicates advance together, each by one batch per round, so that what several of them ask for is computed
  // in one call.
  EnsembleResult run() {
    for (std::size_t i = 0; i < inputs_.size(); ++i) start(i);
    for (;;) {
      interrupt_.check();
      active_.clear();
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        if (searches_[i] && collect(i)) active_.push_back(i);
      }
      if (active_.empty()) break;
      for (const std::size_t i : active_) ask(i);
      store_.compute_missing(interrupt_);
      for (const Deferred& term : deferred_) {
        *term.out = store_.find(term.reference, term.feature)[term.replicate];
      }
      deferred_.clear();
      for (const std::size_t i : active_) searches_[i]->apply();
      store_.end_round();
    }
    result_.n_evaluations = store_.n_distinct();
    result_.cache_full = store_.is_full();
    return std::move(result_);
  }

 private:
  using Objective = decltype(std::declval<MakeObjective>()(std::size_t{1}));

  struct Deferred {
    std::uint32_t reference, feature, replicate;
    double* out;
  };

  double value(std::uint32_t reference, std::uint32_t feature, std::uint32_t replicate) {
    const double* values = store_.find(reference, feature);
    if (values == nullptr) {
      store_.compute_missing(interrupt_);
      values = store_.find(reference, feature);
    }
    const double out = values[replicate];
    store_.end_round();
    return out;
  }

  void start(std::size_t i) {
    const ReplicateInput& input = inputs_[i];
    auto& selection = result_.replicates[i];
    for (const std::uint32_t f : options_.kept) {
      double total = 0.0;
      for (const std::uint32_t g : selection.selected) total += value(g, f, input.replicate);
      append(selection, f, input.relevance[f], total, make_);
    }
    auto order = open_candidates(input.relevance, input.candidates);
    if (selection.selected.empty() && options_.n_select > 0 && !order.empty()) {
      append(selection, order.front(), input.relevance[order.front()], 0.0, make_);
      order.erase(order.begin());
    }
    searches_.push_back(std::make_unique<LazySearch<Objective>>(measure_, input.relevance, std::move(order)));
    begin_or_end(i);
  }

  void begin_or_end(std::size_t i) {
    const auto& selected = result_.replicates[i].selected;
    if (selected.size() >= options_.n_select || searches_[i]->n_left() == 0) {
      searches_[i].reset();
    } else {
      searches_[i]->begin(selected, make_(selected.size()));
    }
  }

  // Carries the search on to its next questions; false when it is over.
  bool collect(std::size_t i) {
    while (searches_[i] && !searches_[i]->collect()) {
      const Leader winner = searches_[i]->finish();
      append(result_.replicates[i], static_cast<std::uint32_t>(winner.feature), winner.relevance, winner.total, make_);
      begin_or_end(i);
    }
    return searches_[i] != nullptr;
  }

  void ask(std::size_t i) {
    const std::uint32_t replicate = inputs_[i].replicate;
    for (const TermRequest& request : searches_[i]->requests()) {
      for (std::size_t j = 0; j < request.features.size(); ++j) {
        const double* values = store_.find(request.reference, request.features[j]);
        if (values != nullptr) {
          request.terms[j] = values[replicate];
        } else {
          deferred_.push_back({request.reference, request.features[j], replicate, &request.terms[j]});
        }
      }
    }
  }

  PairMeasure& measure_;
  const std::vector<ReplicateInput>& inputs_;
  const EnsembleOptions& options_;
  Interrupt& interrupt_;
  MakeObjective make_;
  PairStore store_;
  std::vector<std::unique_ptr<LazySearch<Objective>>> searches_;
  std::vector<std::size_t> active_;
  std::vector<Deferred> deferred_;
  EnsembleResult result_;
};

}  // namespace

EnsembleResult greedy_ensemble(PairMeasure& measure, std::span<const double> relevance, const EnsembleOptions& options,
                               Interrupt& interrupt) {
  std::vector<std::uint32_t> replicates;
  const auto inputs = split_input(measure, relevance, options, replicates);
  if (options.strategy == EnsembleStrategy::dense) return search_densely(measure, inputs, options, interrupt);
  return with_objective(options.objective, options.weight, options.offset, [&](auto make) {
    return LazyEnsemble<decltype(make)>(measure, inputs, options, interrupt, make).run();
  });
}

}  // namespace thresher
