// Greedy selection for measures that work in request rounds: where a request costs more than its pairs, few large ones.
//
// As in the lazy search, a candidate's key with the terms known bounds its score. A round requests the candidates with
// the best bounds, each with all the terms it lacks, until there are enough pairs; every further round of a step is
// twice as large. The first one is at least as large as what the step before has turned out to need, and a quarter.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "measures/pair_measure.hpp"
#include "search/stepwise_search.hpp"

namespace thresher {

template <class Objective>
class RoundSearch : public StepwiseSearch<RoundSearch<Objective>, Objective> {
 public:
  // `order`: the candidates.
  RoundSearch(PairMeasure& measure, std::span<const double> relevance, const std::vector<std::uint32_t>& order)
      : Base(measure), smallest_(measure.hints().round_size) {
    for (const std::uint32_t f : order)
      slots_.push_back({relevance[f], Objective::kEmpty, 0.0, 0.0, f, 0, 0, kNone, {}});
  }

  void begin(std::span<const std::uint32_t> selected, const Objective& objective, const Leader& floor = {}) {
    this->begin_step(selected, objective, floor);
    requested_.clear();
    size_ = std::max(static_cast<double>(smallest_), 1.25 * static_cast<double>(n_needed_));
    open_.resize(slots_.size());
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      slots_[s].key = objective(slots_[s].relevance, slots_[s].total);
      open_[s] = static_cast<std::uint32_t>(s);
    }
    std::make_heap(open_.begin(), open_.end(), behind());
  }

  bool collect() {
    batch_.clear();
    std::size_t n_pairs = 0;
    while (static_cast<double>(n_pairs) < size_ && !open_.empty() && beats_leader(slots_[open_.front()])) {
      const std::uint32_t s = open_.front();
      std::pop_heap(open_.begin(), open_.end(), behind());
      open_.pop_back();
      if (look_up(slots_[s])) {
        weigh(s);
      } else {
        batch_.push_back(s);
        n_pairs += slots_[s].lacking.size();
      }
    }
    if (batch_.empty()) return false;
    size_ *= 2.0;
    write_requests(n_pairs);
    return true;
  }

  void apply() {
    for (std::size_t i = 0; i < batch_.size(); ++i) {
      Slot& slot = slots_[batch_[i]];
      const TermRequest& request = requests_[i];
      requested_.push_back({slot.key, request.terms.size()});
      for (std::size_t j = 0; j < request.terms.size(); ++j) add_term(slot, request.references[j], request.terms[j]);
      slot.lacking.clear();
      n_evaluations_ += request.terms.size();
      weigh(batch_[i]);
    }
  }

  Leader finish() {
    n_needed_ = 0;
    for (const Requested& requested : requested_) n_needed_ += requested.bound >= leader_.key ? requested.n_pairs : 0;
    if (leader_.found()) {
      retired_.push_back(slots_[leader_.slot]);
      slots_[leader_.slot] = std::move(slots_.back());
      slots_.pop_back();
    }
    return leader_;
  }

  std::size_t n_left() const { return slots_.size(); }

  // Adds the terms of all candidates, winners included.
  void record(ExtremeTerms& out) const {
    for (const auto* slots : {&retired_, &slots_}) Base::template record<Slot>(*slots, out);
  }

 private:
  using Base = StepwiseSearch<RoundSearch<Objective>, Objective>;
  using Base::add_term, Base::beats_leader, Base::kNone, Base::lead;
  using Base::leader_, Base::measure_, Base::n_evaluations_, Base::objective_, Base::requests_, Base::selected_,
      Base::takes_kept_terms_;

  struct Slot {
    double relevance, total, key, extreme;
    std::uint32_t feature, depth, n_seen, partner;  // n_seen: selected features that were taken note of
    std::vector<std::uint32_t> lacking;             // those of them whose term is not known
  };

  // A candidate of a request of this step: its bound before, and the terms it lacked.
  struct Requested {
    double bound;
    std::size_t n_pairs;
  };

  auto behind() const {
    return [this](std::uint32_t a, std::uint32_t b) {
      const Slot &x = slots_[a], &y = slots_[b];
      return is_better(y.key, y.relevance, y.feature, x.key, x.relevance, x.feature);
    };
  }

  // Returns whether the measure keeps terms that the candidate lacks; they are added.
  bool look_up(Slot& slot) {
    const auto fresh = selected_.subspan(slot.n_seen);
    slot.lacking.insert(slot.lacking.end(), fresh.begin(), fresh.end());
    slot.n_seen = static_cast<std::uint32_t>(selected_.size());
    if (!takes_kept_terms_) return false;
    terms_.resize(slot.lacking.size());
    measure_->look_up(slot.feature, slot.lacking, terms_);
    std::size_t n_lacking = 0;
    for (std::size_t i = 0; i < terms_.size(); ++i) {
      if (std::isnan(terms_[i])) {
        slot.lacking[n_lacking++] = slot.lacking[i];
      } else {
        add_term(slot, slot.lacking[i], terms_[i]);
      }
    }
    slot.lacking.resize(n_lacking);
    return n_lacking < terms_.size();
  }

  void write_requests(std::size_t n_pairs) {
    terms_.resize(n_pairs);
    requests_.clear();
    double* terms = terms_.data();
    for (const std::uint32_t s : batch_) {
      const Slot& slot = slots_[s];
      requests_.push_back({slot.lacking, {&slot.feature, 1}, {terms, slot.lacking.size()}});
      terms += slot.lacking.size();
    }
  }

  // After terms were added.
  void weigh(std::uint32_t s) {
    Slot& slot = slots_[s];
    slot.key = (*objective_)(slot.relevance, slot.total);
    if (slot.depth < selected_.size()) {
      open_.push_back(s);
      std::push_heap(open_.begin(), open_.end(), behind());
    } else if (beats_leader(slot)) {
      lead(slot, s);
    }
  }

  std::size_t smallest_;  // pairs of a round
  std::vector<Slot> slots_, retired_;
  std::size_t n_needed_ = 0;  // pairs, in the step before

  // The step in progress.
  double size_ = 0.0;                // pairs of the next round
  std::vector<std::uint32_t> open_;  // a heap of slots, the best bound on top
  std::vector<std::uint32_t> batch_;
  std::vector<Requested> requested_;
  std::vector<double> terms_;
};

}  // namespace thresher
