// Greedy selection that computes only the terms that can still decide.
//
// Each candidate keeps the terms computed for it, in the order of selection; its key with those terms is an upper bound
// of its score. A step extends the candidates with the best bounds by one term each, in batches, until a complete
// candidate stands before all bounds. The output is that of evaluating everything. Where reading a candidate costs more
// than a term, it is extended by a few terms at once. Where others have computed terms before, a candidate first takes
// all that are there; the others are put off, and often not needed any more.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "measures/pair_measure.hpp"
#include "search/deferred_terms.hpp"
#include "search/objective.hpp"
#include "search/stepwise_search.hpp"

namespace thresher {

// Candidates extended together, by one term or by several.
inline constexpr std::size_t kBatch = 32;
inline constexpr std::size_t kBatchOfSeveral = 16;

template <class Objective>
class LazySearch : public StepwiseSearch<LazySearch<Objective>, Objective> {
 public:
  // `order`: the candidates by decreasing relevance, ties by index.
  LazySearch(PairMeasure& measure, std::span<const double> relevance, std::vector<std::uint32_t> order)
      : Base(measure),
        n_at_once_(static_cast<std::uint32_t>(measure.hints().terms_at_once)),
        relevance_(relevance),
        order_(std::move(order)),
        n_left_(order_.size()) {}

  void begin(std::span<const std::uint32_t> selected, const Objective& objective, const Leader& floor = {}) {
    this->begin_step(selected, objective, floor);
    n_extended_ = 0;
    start_step();
  }

  bool collect() {
    do {
      gather(batch_size());
      if (batch_.empty()) return false;
      if (takes_kept_terms_) take_kept_terms();
    } while (batch_.empty());
    group();
    return true;
  }

  void apply() {
    const std::uint32_t* next = batch_.data();
    for (const TermRequest& request : requests_) {
      const auto first = static_cast<std::size_t>(request.references.data() - selected_.data());
      const double* term = request.terms.data();
      for (std::size_t i = 0; i < request.features.size(); ++i, ++next) {
        for (std::size_t j = 0; j < request.references.size(); ++j)
          add_term(slots_[*next], selected_[first + j], *term++);
        if (takes_kept_terms_) put_off_[*next].make_up(request.references.size());
        weigh(*next);
      }
      n_evaluations_ += request.terms.size();
    }
    n_extended_ += batch_.size();
  }

  Leader finish() {
    if (leader_.found()) {
      last_key_ = leader_.key;
      last_gap_ = std::max(highest_ - leader_.key, 0.0);
      retire(leader_.slot);
    }
    return leader_;
  }

  std::size_t n_left() const { return n_left_; }

  // Adds the terms of all candidates, winners included.
  void record(ExtremeTerms& out) const {
    for (const auto* slots : {&retired_, &slots_}) Base::template record<Slot>(*slots, out);
  }

 private:
  using Base = StepwiseSearch<LazySearch<Objective>, Objective>;
  using Base::add_term, Base::beats_leader, Base::kNone, Base::lead;
  using Base::leader_, Base::measure_, Base::n_evaluations_, Base::objective_, Base::requests_, Base::selected_,
      Base::takes_kept_terms_;

  static constexpr std::size_t kBuckets = 128;
  static constexpr std::size_t kAdmitted = 256;

  // An admitted candidate. `link` chains the slots of a bucket, or of those that wait for the same terms.
  struct Slot {
    double relevance, total, key, extreme;
    std::uint32_t feature, depth, partner, link;
  };

  // Candidates that were never near the top stay in `order_` beyond `n_admitted_`: their key depends on relevance
  // alone, so it falls along the list. Only admitted ones have a separate key.
  void start_step() {
    const Objective objective = *objective_;
    highest_ = -kInfinity;
    bool infinite = false;
    for (Slot& slot : slots_) {
      if constexpr (!Objective::kSteady) slot.key = objective(slot.relevance, slot.total);
      const double key = slot.key;
      infinite = infinite || key == kInfinity;
      highest_ = key > highest_ && key < kInfinity ? key : highest_;
    }
    if (n_admitted_ < order_.size()) {
      const double key = untouched_key(n_admitted_);
      infinite = infinite || key == kInfinity;
      highest_ = key > highest_ && key < kInfinity ? key : highest_;
    }
    threshold_ = kInfinity;
    n_refills_ = 0;
    if (!infinite) lower_threshold();
    rebuild(0);
  }

  double untouched_key(std::size_t position) const {
    return (*objective_)(relevance_[order_[position]], Objective::kEmpty);
  }

  // The threshold is a guess of the winning key, lowered when it proves too high: it saves time and decides nothing.
  void lower_threshold() {
    ++n_refills_;
    if (leader_.key > -kInfinity && leader_.key < threshold_) {
      threshold_ = leader_.key;
    } else if (n_refills_ == 1 && std::isfinite(last_key_)) {
      const double expected = objective_->expect(last_key_);
      threshold_ = expected < highest_ ? expected - 0.25 * (highest_ - expected) : highest_ - last_gap_;
    } else {
      threshold_ = next_best_key(n_refills_ * kAdmitted);
    }
  }

  // Returns the key that `n_wanted` open candidates with a slot reach, not counting those above the threshold; -inf if
  // there are fewer.
  double next_best_key(std::size_t n_wanted) {
    keys_.clear();
    for (const Slot& slot : slots_) {
      if (slot.key < threshold_ && slot.depth < selected_.size()) keys_.push_back(slot.key);
    }
    if (keys_.size() <= n_wanted) return -kInfinity;
    const auto position = keys_.begin() + static_cast<std::ptrdiff_t>(n_wanted);
    std::nth_element(keys_.begin(), position, keys_.end(), std::greater<>());
    return *position;
  }

  // More candidates may stand below the threshold, or not be admitted yet.
  bool refill() {
    if (leader_.key >= goal_) return false;
    if (limited_) {
      threshold_ = std::max(threshold_, leader_.key);
      rebuild(std::max(kAdmitted, slots_.size() / 2));
      return true;
    }
    if (threshold_ == -kInfinity) return false;
    lower_threshold();
    rebuild(0);
    return true;
  }

  // Puts every open candidate with a key of at least the threshold into the buckets, or as many as may be admitted.
  void rebuild(std::size_t n_admissible) {
    admit(n_admissible);
    std::fill(head_, head_ + kBuckets + 1, kNone);
    top_ = 0;
    const auto n_selected = static_cast<std::uint32_t>(selected_.size());
    open_.resize(slots_.size());
    std::uint32_t* open = open_.data();
    std::size_t n_open = 0;
    for (std::size_t s = 0; s < slots_.size(); ++s) {
      // Without branches: which slots are open is hard to predict.
      open[n_open] = static_cast<std::uint32_t>(s);
      n_open +=
          static_cast<std::size_t>(slots_[s].key >= goal_) & static_cast<std::size_t>(slots_[s].depth < n_selected);
    }
    double low = kInfinity, high = -kInfinity;
    for (std::size_t i = 0; i < n_open; ++i) {
      const double key = slots_[open[i]].key;
      low = key < low ? key : low;
      high = key > high && key < kInfinity ? key : high;
    }
    origin_ = low < kInfinity ? Objective::coordinate(low) : 0.0;
    scale_ = low < high ? static_cast<double>(kBuckets - 1) / (Objective::coordinate(high) - origin_) : 0.0;
    if (!(scale_ < kInfinity)) scale_ = 0.0;
    for (std::size_t i = 0; i < n_open; ++i) push(open[i]);
  }

  // Gives a slot to the next candidates whose key reaches the threshold. If there are more than admissible, the goal
  // rises so that no candidate left out reaches it. Equal keys go together (rounding can make keys of different
  // relevances equal, and then the index decides), except at +inf, where the list has the right order.
  void admit(std::size_t n_admissible) {
    const std::size_t limit = slots_.size() + n_admissible;
    double last = kInfinity;
    limited_ = false;
    goal_ = threshold_;
    for (; n_admitted_ < order_.size(); ++n_admitted_) {
      const double key = untouched_key(n_admitted_);
      if (key < threshold_) break;
      if (slots_.size() >= limit && (n_admissible == 0 || key < last || key == kInfinity)) {
        limited_ = true;
        goal_ = std::nextafter(key, kInfinity);
        break;
      }
      const std::uint32_t feature = order_[n_admitted_];
      slots_.push_back({relevance_[feature], Objective::kEmpty, key, 0.0, feature, 0, kNone, kNone});
      if (takes_kept_terms_) put_off_.emplace_back();
      last = key;
    }
  }

  void push(std::uint32_t s) {
    Slot& slot = slots_[s];
    std::size_t bucket = kBuckets;
    if (slot.key < kInfinity) {
      const double position = (Objective::coordinate(slot.key) - origin_) * scale_;
      bucket = position > 0.0 ? std::min(static_cast<std::size_t>(position), kBuckets - 1) : 0;
    }
    slot.link = head_[bucket];
    head_[bucket] = s;
    top_ = std::max(top_, bucket);
  }

  // Small batches waste little, as only the first candidate of a batch is certain to be needed; later batches of a step
  // may be larger, for they waste at most a quarter of what the step has needed.
  std::size_t batch_size() const { return std::max(n_at_once_ > 1 ? kBatchOfSeveral : kBatch, n_extended_ / 4); }

  // Takes the best open candidates that stand before the leader into batch_.
  void gather(std::size_t wanted) {
    batch_.clear();
    while (batch_.size() < wanted) {
      while (top_ > 0 && head_[top_] == kNone) --top_;
      if (head_[top_] == kNone) {
        if (!refill()) return;
        batch_.clear();
        continue;
      }
      const auto n_taken = static_cast<std::ptrdiff_t>(batch_.size());
      for (std::uint32_t s = head_[top_]; s != kNone; s = slots_[s].link) {
        if (beats_leader(slots_[s])) batch_.push_back(s);
      }
      head_[top_] = kNone;
      if (batch_.size() <= wanted) continue;
      std::nth_element(batch_.begin() + n_taken, batch_.begin() + static_cast<std::ptrdiff_t>(wanted), batch_.end(),
                       [this](std::uint32_t a, std::uint32_t b) {
                         const Slot &x = slots_[a], &y = slots_[b];
                         return is_better(x.key, x.relevance, x.feature, y.key, y.relevance, y.feature);
                       });
      for (std::size_t i = wanted; i < batch_.size(); ++i) {
        slots_[batch_[i]].link = head_[top_];
        head_[top_] = batch_[i];
      }
      batch_.resize(wanted);
    }
  }

  // Candidates of the batch for which others have computed terms go back with these; the rest stay in the batch.
  void take_kept_terms() {
    // All are looked up first: that waits for memory, but one candidate not for another.
    std::size_t n_terms = 0;
    for (const std::uint32_t s : batch_) n_terms += selected_.size() - put_off_[s].n_looked_up();
    kept_terms_.resize(n_terms);
    std::span<double> terms = kept_terms_;
    for (const std::uint32_t s : batch_) {
      const auto fresh = selected_.subspan(put_off_[s].n_looked_up());
      measure_->look_up(slots_[s].feature, fresh, terms.first(fresh.size()));
      terms = terms.subspan(fresh.size());
    }
    const double* next = kept_terms_.data();
    std::size_t n_stay = 0;
    for (const std::uint32_t s : batch_) {
      DeferredTerms& put_off = put_off_[s];
      const std::uint32_t n_before = slots_[s].depth;
      while (put_off.n_looked_up() < selected_.size()) {
        const double term = *next++;
        if (std::isnan(term)) {
          put_off.put_off();
        } else {
          add_term(slots_[s], selected_[put_off.n_looked_up()], term);
          put_off.take();
        }
      }
      if (slots_[s].depth > n_before) {
        weigh(s);
      } else {
        batch_[n_stay++] = s;
      }
    }
    batch_.resize(n_stay);
    std::erase_if(batch_, [this](std::uint32_t s) { return !beats_leader(slots_[s]); });
  }

  // Returns the position of the term that a candidate needs next.
  std::uint32_t next_position(std::uint32_t s) const {
    return takes_kept_terms_ ? put_off_[s].first() : slots_[s].depth;
  }

  // Terms of a candidate that are requested together: neighbours, up to a position that other candidates reach too.
  std::uint32_t n_next_terms(std::uint32_t s) const {
    const std::uint32_t position = next_position(s);
    const std::uint32_t end = position - position % n_at_once_ + n_at_once_;
    const std::uint32_t most = std::min(end, static_cast<std::uint32_t>(selected_.size())) - position;
    return takes_kept_terms_ ? put_off_[s].n_neighbours(most) : most;
  }

  // Orders the batch by position: candidates that wait for the same terms share a request.
  void group() {
    waiting_.resize(selected_.size(), kNone);
    positions_.clear();
    for (const std::uint32_t s : batch_) {
      Slot& slot = slots_[s];
      const std::uint32_t position = next_position(s);
      if (waiting_[position] == kNone) positions_.push_back(position);
      slot.link = waiting_[position];
      waiting_[position] = s;
    }
    features_.resize(batch_.size());
    terms_.resize(batch_.size() * n_at_once_);
    requests_.clear();
    std::size_t n = 0;
    double* terms = terms_.data();
    for (const std::uint32_t position : positions_) {
      const std::size_t first = n;
      std::size_t n_each = n_next_terms(waiting_[position]);
      for (std::uint32_t s = waiting_[position]; s != kNone; s = slots_[s].link) {
        if (takes_kept_terms_) n_each = std::min<std::size_t>(n_each, n_next_terms(s));
        batch_[n] = s;
        features_[n++] = slots_[s].feature;
      }
      waiting_[position] = kNone;
      const std::size_t size = (n - first) * n_each;
      requests_.push_back({selected_.subspan(position, n_each), {features_.data() + first, n - first}, {terms, size}});
      terms += size;
    }
  }

  // After terms were added.
  void weigh(std::uint32_t s) {
    Slot& slot = slots_[s];
    slot.key = (*objective_)(slot.relevance, slot.total);
    if (!beats_leader(slot)) return;
    if (slot.depth == selected_.size()) {
      lead(slot, s);
    } else if (slot.key >= goal_) {
      push(s);
    }
  }

  void retire(std::size_t s) {
    retired_.push_back(slots_[s]);
    slots_[s] = slots_.back();
    slots_.pop_back();
    if (takes_kept_terms_) {
      put_off_[s] = std::move(put_off_.back());
      put_off_.pop_back();
    }
    --n_left_;
  }

  std::uint32_t n_at_once_;
  std::span<const double> relevance_;
  std::vector<std::uint32_t> order_;
  std::size_t n_admitted_ = 0;
  std::size_t n_left_;
  std::vector<Slot> slots_, retired_;
  std::vector<DeferredTerms> put_off_;  // by slot, if kept terms are taken

  // The step in progress.
  double threshold_ = 0.0;  // candidates below it are not evaluated yet
  double goal_ = 0.0;       // the same, raised above those not admitted yet while admission is limited
  double highest_ = 0.0, last_key_ = kInfinity, last_gap_ = 0.0, origin_ = 0.0, scale_ = 0.0;
  bool limited_ = false;
  std::size_t n_refills_ = 0, n_extended_ = 0;

  std::uint32_t head_[kBuckets + 1];
  std::size_t top_ = 0;
  std::vector<std::uint32_t> batch_, open_, features_, waiting_, positions_;
  std::vector<double> terms_, keys_, kept_terms_;
};

}  // namespace thresher
