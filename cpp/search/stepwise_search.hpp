// Common steps of greedy searches by terms of pairs: a step requests terms until no candidate is left before its
// leader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "measures/pair_measure.hpp"
#include "search/leader.hpp"
#include "search/order.hpp"
#include "search/search_result.hpp"

namespace thresher {

// `Search` brings the pieces of a step, for callers that find the terms themselves: begin, then collect, fill in the
// terms of requests() and apply until collect says no, then finish.
template <class Search, class Objective>
class StepwiseSearch {
 public:
  // Returns the best candidate for the set `selected`, whose features were the winners of the steps before (or were
  // given at the start); no leader is found if none beats `floor`. The winner leaves the candidates.
  Leader next(std::span<const std::uint32_t> selected, const Objective& objective, Interrupt& interrupt,
              const Leader& floor = {}) {
    Search& search = static_cast<Search&>(*this);
    search.begin(selected, objective, floor);
    while (search.collect()) {
      interrupt.check();
      measure_->fill(requests_);
      search.apply();
    }
    return search.finish();
  }

  std::span<const TermRequest> requests() const { return requests_; }
  std::size_t n_evaluations() const { return n_evaluations_; }

 protected:
  explicit StepwiseSearch(PairMeasure& measure) : measure_(&measure), takes_kept_terms_(measure.hints().keeps_values) {}

  void begin_step(std::span<const std::uint32_t> selected, const Objective& objective, const Leader& floor) {
    selected_ = selected;
    objective_ = objective;
    leader_ = floor;
  }

  // Of slots with (at least) relevance, total, key, extreme, feature, depth and partner, which is kNone without terms.
  static constexpr std::uint32_t kNone = static_cast<std::uint32_t>(-1);

  template <class Slot>
  bool beats_leader(const Slot& slot) const {
    return is_better(slot.key, slot.relevance, slot.feature, leader_.key, leader_.relevance, leader_.feature);
  }

  template <class Slot>
  static void add_term(Slot& slot, std::uint32_t selected, double term) {
    if (slot.partner == kNone || Objective::more_extreme(term, slot.extreme)) {
      slot.extreme = term;
      slot.partner = selected;
    }
    slot.total = Objective::add(slot.total, term);
    ++slot.depth;
  }

  template <class Slot>
  void lead(const Slot& slot, std::size_t s) {
    leader_ = {slot.key, slot.relevance, static_cast<std::int64_t>(slot.feature), s, slot.total};
  }

  template <class Slot>
  static void record(std::span<const Slot> slots, ExtremeTerms& out) {
    for (const Slot& slot : slots) {
      out.extreme[slot.feature] = slot.extreme;
      out.partner[slot.feature] = slot.partner == kNone ? -1 : static_cast<std::int64_t>(slot.partner);
    }
  }

  PairMeasure* measure_;
  bool takes_kept_terms_;
  std::size_t n_evaluations_ = 0;

  // The step in progress.
  std::span<const std::uint32_t> selected_;
  std::optional<Objective> objective_;
  Leader leader_;
  std::vector<TermRequest> requests_;
};

}  // namespace thresher
