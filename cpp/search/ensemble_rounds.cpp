#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "search/ensemble_strategies.hpp"
#include "search/objective_choice.hpp"
#include "search/pair_store.hpp"
#include "search/round_search.hpp"

namespace thresher {
namespace {

// The search of one replicate, which stops where it lacks terms.
template <class MakeObjective>
class ReplicateRun {
 public:
  // The store has the pairs of the kept features.
  ReplicateRun(PairStore& store, const ReplicateInput& input, std::size_t n_select, MakeObjective make)
      : store_(store),
        view_(store, input.replicate),
        input_(input),
        n_select_(n_select),
        make_(make),
        order_(open_candidates(input.relevance, input.candidates)) {
    append_kept(selection_, store, input, make);
  }

  // Continues while the terms are known. Returns whether it lacks terms, which are its requests then.
  bool advance() {
    if (!search_) {
      // Without terms the most relevant candidate is first.
      if (selection_.selected.empty() && !order_.empty() && n_select_ > 0) {
        take(order_.front(), 0.0);
        order_.erase(order_.begin());
      }
      search_.emplace(view_, input_.relevance, order_);
    }
    while (selection_.selected.size() < n_select_ && search_->n_left() > 0) {
      if (!in_step_) search_->begin(selection_.selected, make_(selection_.selected.size()));
      in_step_ = search_->collect();
      if (in_step_) return true;
      const Leader winner = search_->finish();
      take(static_cast<std::uint32_t>(winner.feature), winner.total);
    }
    return false;
  }

  std::span<const TermRequest> requests() const { return search_->requests(); }

  void apply() {
    store_.fill(input_.replicate, search_->requests());
    search_->apply();
  }

  ReplicateSelection&& selection() { return std::move(selection_); }

 private:
  using Objective = decltype(std::declval<MakeObjective>()(std::size_t{1}));

  void take(std::uint32_t feature, double total) {
    append(selection_, feature, input_.relevance[feature], total, make_);
  }

  PairStore& store_;
  ReplicateView view_;
  const ReplicateInput& input_;
  std::size_t n_select_;
  MakeObjective make_;
  std::vector<std::uint32_t> order_;
  std::optional<RoundSearch<Objective>> search_;
  ReplicateSelection selection_;
  bool in_step_ = false;
};

}  // namespace

EnsembleResult search_in_rounds(PairMeasure& measure, const std::vector<ReplicateInput>& inputs,
                                const EnsembleOptions& options, Interrupt& interrupt) {
  PairStore store(measure, options.memory_limit);
  std::vector<TermRequest> requests;
  for (std::size_t i = 1; i < options.kept.size(); ++i) {
    requests.push_back({options.kept.first(i), options.kept.subspan(i, 1), {}});
  }
  if (!requests.empty()) store.fetch(requests);
  EnsembleResult result;
  with_objective(options.objective, options.weight, options.offset, 1.0, [&](auto make) {
    using Run = ReplicateRun<decltype(make)>;
    std::vector<std::unique_ptr<Run>> runs;
    for (const ReplicateInput& input : inputs) {
      runs.push_back(std::make_unique<Run>(store, input, options.n_select, make));
    }
    for (;;) {
      interrupt.check();
      requests.clear();
      std::vector<Run*> lacking;
      for (const auto& run : runs) {
        if (!run->advance()) continue;
        lacking.push_back(run.get());
        requests.insert(requests.end(), run->requests().begin(), run->requests().end());
      }
      if (lacking.empty()) break;
      store.fetch(requests);
      for (Run* run : lacking) run->apply();
    }
    for (const auto& run : runs) result.replicates.push_back(run->selection());
  });
  result.n_evaluations = store.n_distinct();
  result.cache_full = store.is_full();
  return result;
}

}  // namespace thresher
