#include <utility>
#include <vector>

#include "search/ensemble_strategies.hpp"
#include "search/objective_choice.hpp"
#include "search/order.hpp"
#include "search/pair_store.hpp"

namespace thresher {
namespace {

// The search of one replicate. Each step visits the candidates once and extends each while it can still win: those that
// lack one term first, the best of them before all, so that there is a strong leader from the start; then the others,
// and at last, by relevance, those that were never evaluated.
template <class MakeObjective>
class ScanRun {
 public:
  ScanRun(PairStore& store, const ReplicateInput& input, const EnsembleOptions& options, MakeObjective make)
      : store_(store), input_(input), options_(options), make_(make) {}

  ReplicateSelection run(Interrupt& interrupt) {
    append_kept(selection_, store_, input_, make_);
    order_ = open_candidates(input_.relevance, input_.candidates);
    while (selection_.selected.size() < options_.n_select && (!slots_.empty() || n_admitted_ < order_.size())) {
      interrupt.check();
      step();
    }
    return std::move(selection_);
  }

 private:
  using Objective = decltype(std::declval<MakeObjective>()(std::size_t{1}));
  static constexpr std::size_t kNone = ~std::size_t{0};

  struct Slot {
    double relevance, total, key;
    std::uint32_t feature, depth;
  };

  static bool is_before(const Slot& a, const Slot& b) {
    return is_better(a.key, a.relevance, a.feature, b.key, b.relevance, b.feature);
  }
  bool can_win(const Slot& slot) const { return leader_ == kNone || is_before(slot, slots_[leader_]); }

  void step() {
    leader_ = kNone;
    const std::size_t k = selection_.selected.size();
    if (k == 0) {
      const std::uint32_t first = order_[n_admitted_++];
      append(selection_, first, input_.relevance[first], 0.0, make_);
      return;
    }
    const Objective objective = make_(k);
    visit_known(objective, static_cast<std::uint32_t>(k));
    visit_untouched(objective);
    const Slot winner = slots_[leader_];
    slots_[leader_] = slots_.back();
    slots_.pop_back();
    append(selection_, winner.feature, winner.relevance, winner.total, make_);
  }

  void visit_known(const Objective& objective, std::uint32_t k) {
    std::size_t seed = kNone;
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      Slot& slot = slots_[s];
      slot.key = objective(slot.relevance, slot.total);
      if (slot.depth + 1 == k && (seed == kNone || is_before(slot, slots_[seed]))) seed = s;
    }
    if (seed != kNone) extend(seed, objective);
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      if (slots_[s].depth + 1 == k) extend(s, objective);
    }
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      if (slots_[s].depth + 1 < k) extend(s, objective);
    }
  }

  // Their keys depend on relevance alone and fall along the list. Rounding can make keys of different relevances equal,
  // and then the index decides: the walk continues while keys are equal. At +inf the list has the right order.
  void visit_untouched(const Objective& objective) {
    for (std::size_t i = n_admitted_; i < order_.size(); ++i) {
      const std::uint32_t f = order_[i];
      const double relevance = input_.relevance[f];
      const Slot slot{relevance, 0.0, objective(relevance, 0.0), f, 0};
      if (can_win(slot)) {
        slots_.push_back(slot);
        extend(slots_.size() - 1, objective);
      } else if (slot.key < slots_[leader_].key || slot.key == kInfinity) {
        n_admitted_ = i;
        break;
      } else {
        slots_.push_back(slot);
      }
      n_admitted_ = i + 1;
    }
  }

  // Adds terms while the candidate can still win.
  void extend(std::size_t s, const Objective& objective) {
    const auto& selected = selection_.selected;
    Slot& slot = slots_[s];
    while (slot.depth < selected.size() && can_win(slot)) {
      slot.total += store_.value_of(input_.replicate, selected[slot.depth++], slot.feature);
      slot.key = objective(slot.relevance, slot.total);
    }
    if (slot.depth == selected.size() && s != leader_ && can_win(slot)) leader_ = s;
  }

  PairStore& store_;
  const ReplicateInput& input_;
  const EnsembleOptions& options_;
  MakeObjective make_;
  ReplicateSelection selection_;
  std::vector<std::uint32_t> order_;  // the candidates by relevance; those before n_admitted_ have, or had, a slot
  std::size_t n_admitted_ = 0;
  std::vector<Slot> slots_;
  std::size_t leader_ = kNone;
};

}  // namespace

EnsembleResult search_by_scan(PairMeasure& measure, const std::vector<ReplicateInput>& inputs,
                              const EnsembleOptions& options, Interrupt& interrupt) {
  PairStore store(measure, options.memory_limit);
  EnsembleResult result;
  with_objective(options.objective, options.weight, options.offset, 1.0, [&](auto make) {
    for (const ReplicateInput& input : inputs) {
      result.replicates.push_back(ScanRun<decltype(make)>(store, input, options, make).run(interrupt));
    }
  });
  result.n_evaluations = store.n_distinct();
  result.cache_full = store.is_full();
  return result;
}

}  // namespace thresher
