// Greedy selection that computes only the terms that can still decide.
//
// Each candidate keeps the terms it has met so far, in the order of selection; its key with those terms is an upper
// bound of its score. A step extends the candidates with the best bounds by one term each, in batches, until a
// complete candidate stands before all bounds. The output is that of evaluating everything.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "search/objective.hpp"
#include "search/order.hpp"
#include "search/pair_measure.hpp"

namespace thresher {

// What a search has seen of each feature.
struct FeatureRecord {
  std::vector<std::uint32_t> depth;   // terms met
  std::vector<double> total;          // their sum (or smallest)
  std::vector<double> extreme;        // the term that speaks most against the feature
  std::vector<std::int64_t> partner;  // the selected feature of that term, -1 if none was met

  explicit FeatureRecord(std::size_t n_features, double empty = 0.0)
      : depth(n_features, 0), total(n_features, empty), extreme(n_features, 0.0), partner(n_features, -1) {}
};

// A candidate all of whose terms are known.
struct Leader {
  double key = -kInfinity;
  double relevance = 0.0;
  std::int64_t feature = std::numeric_limits<std::int64_t>::max();
  std::size_t slot = 0;
  double total = 0.0;

  bool found() const { return feature >= 0 && feature != std::numeric_limits<std::int64_t>::max(); }
};

inline constexpr std::size_t kBatch = 32;

template <class Objective>
class LazySearch {
 public:
  // `order`: the candidates by decreasing relevance, ties by index.
  LazySearch(PairMeasure& measure, std::span<const double> relevance, std::vector<std::uint32_t> order)
      : measure_(measure), relevance_(relevance), order_(std::move(order)), n_left_(order_.size()) {}

  // The best candidate for the set `selected`, whose features were the winners of the steps before (or were given
  // at the start); no leader is found if none beats `floor`. The winner leaves the candidates.
  Leader next(std::span<const std::uint32_t> selected, const Objective& objective, Interrupt& interrupt,
              Leader floor = {}) {
    selected_ = selected;
    objective_ = &objective;
    leader_ = floor;
    n_extended_ = 0;
    start_step();
    for (;;) {
      gather(batch_size());
      if (batch_.empty()) break;
      interrupt.check();
      extend();
    }
    if (leader_.found()) {
      leader_.total = total_[leader_.slot];
      last_key_ = leader_.key;
      retire(leader_.slot);
    }
    return leader_;
  }

  std::size_t n_left() const { return n_left_; }
  std::size_t n_evaluations() const { return n_evaluations_; }

  // Everything seen so far, winners included.
  void record(FeatureRecord& out) const {
    for (const Retired& entry : retired_) write(out, entry.feature, entry.depth, entry.total, entry.extreme, entry.partner);
    for (std::size_t s = 0; s < feature_.size(); ++s) {
      write(out, feature_[s], depth_[s], total_[s], extreme_[s], partner_[s]);
    }
  }

 private:
  static constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
  static constexpr std::size_t kBuckets = 512;
  static constexpr std::size_t kAdmitted = 256;

  struct Retired {
    std::uint32_t feature, depth;
    double total, extreme;
    std::int64_t partner;
  };

  static void write(FeatureRecord& out, std::uint32_t feature, std::uint32_t depth, double total, double extreme,
                    std::int64_t partner) {
    out.depth[feature] = depth;
    out.total[feature] = total;
    out.extreme[feature] = extreme;
    out.partner[feature] = partner;
  }

  // Candidates that were never near the top stay in `order_` beyond `admitted_`: their key depends on relevance
  // alone, so it falls along the list. Only admitted ones have a slot and a key of their own.
  void start_step() {
    const std::size_t n_slots = feature_.size();
    const Objective objective = *objective_;
    for (std::size_t s = 0; s < n_slots; ++s) key_[s] = objective(slot_relevance_[s], total_[s]);
    highest_ = -kInfinity;
    bool infinite = false;
    for (std::size_t s = 0; s < n_slots; ++s) {
      if (key_[s] == kInfinity) {
        infinite = true;
      } else if (key_[s] > highest_) {
        highest_ = key_[s];
      }
    }
    if (admitted_ < order_.size()) {
      const double key = untouched_key(admitted_);
      if (key == kInfinity) {
        infinite = true;
      } else {
        highest_ = std::max(highest_, key);
      }
    }
    // A first guess of the winning key; a wrong one costs time, never the answer.
    threshold_ = kInfinity;
    n_refills_ = 0;
    clear_buckets();
    if (!infinite) lower_threshold();
    rebuild();
  }

  double untouched_key(std::size_t position) const {
    return (*objective_)(relevance_[order_[position]], Objective::kEmpty);
  }

  void lower_threshold() {
    ++n_refills_;
    if (leader_.key > -kInfinity && leader_.key < threshold_) {
      threshold_ = leader_.key;
    } else if (n_refills_ == 1) {
      const double expected = selected_.size() > 1 && last_key_ < kInfinity ? objective_->expect(last_key_) : -kInfinity;
      if (expected > -kInfinity) {
        threshold_ = expected < highest_ ? expected - 0.25 * (highest_ - expected) : highest_ - 0.25 * std::abs(highest_);
      } else {
        threshold_ = -kInfinity;
      }
    } else if (n_refills_ < 5 && std::isfinite(threshold_) && highest_ > threshold_) {
      threshold_ -= 2.0 * (highest_ - threshold_);
    } else {
      threshold_ = -kInfinity;
    }
  }

  // More candidates may stand below the threshold, or beyond the last one admitted.
  bool refill() {
    if (leader_.key >= goal_) return false;
    if (limited_) {
      threshold_ = std::max(threshold_, leader_.key);
    } else if (threshold_ == -kInfinity) {
      return false;
    } else {
      lower_threshold();
    }
    rebuild();
    return true;
  }

  // Puts every open candidate with a key of at least the threshold into the buckets. Admission is limited, which
  // raises the threshold to the key of the last one admitted; equal keys go together (rounding can make keys of
  // different relevances equal, and then the index decides), except at +inf, where the list has the right order.
  void rebuild() {
    const std::size_t limit = std::max(kAdmitted, feature_.size() / 2);
    std::size_t n_admitted = 0;
    double last = kInfinity;
    limited_ = false;
    while (admitted_ < order_.size()) {
      const double key = untouched_key(admitted_);
      if (key < threshold_) break;
      if (n_admitted >= limit && (key < last || key == kInfinity)) {
        limited_ = true;
        break;
      }
      admit(order_[admitted_++], key);
      last = key;
      ++n_admitted;
    }
    goal_ = threshold_;
    if (limited_) goal_ = last;

    clear_buckets();
    double low = kInfinity, high = -kInfinity;
    open_.clear();
    for (std::size_t s = 0; s < feature_.size(); ++s) {
      if (key_[s] < goal_ || depth_[s] >= selected_.size()) continue;
      open_.push_back(static_cast<std::uint32_t>(s));
      if (key_[s] < kInfinity) {
        low = std::min(low, key_[s]);
        high = std::max(high, key_[s]);
      }
    }
    origin_ = low < kInfinity ? Objective::coordinate(low) : 0.0;
    const double width = low < kInfinity ? Objective::coordinate(high) - origin_ : 0.0;
    scale_ = static_cast<double>(kBuckets - 1) / width;
    if (!(scale_ < kInfinity)) scale_ = 0.0;
    for (const std::uint32_t s : open_) push(s);
  }

  void admit(std::uint32_t feature, double key) {
    feature_.push_back(feature);
    slot_relevance_.push_back(relevance_[feature]);
    total_.push_back(Objective::kEmpty);
    depth_.push_back(0);
    extreme_.push_back(0.0);
    partner_.push_back(-1);
    key_.push_back(key);
    link_.push_back(kNone);
  }

  void clear_buckets() {
    std::fill(head_, head_ + kBuckets + 1, kNone);
    top_ = 0;
  }

  void push(std::uint32_t slot) {
    std::size_t bucket = kBuckets;
    if (key_[slot] < kInfinity) {
      const double position = (Objective::coordinate(key_[slot]) - origin_) * scale_;
      bucket = position > 0.0 ? std::min(static_cast<std::size_t>(position), kBuckets - 1) : 0;
    }
    link_[slot] = head_[bucket];
    head_[bucket] = slot;
    top_ = std::max(top_, bucket);
  }

  bool beats_leader(std::uint32_t slot) const {
    return is_better(key_[slot], slot_relevance_[slot], feature_[slot], leader_.key, leader_.relevance,
                     leader_.feature);
  }

  // 32 terms at a time waste little. Once a step has touched a third of the candidates it is going to touch most:
  // larger batches then save calls and cost at most a sixteenth more.
  std::size_t batch_size() const {
    return n_extended_ > n_left_ / 3 ? std::max(kBatch, n_extended_ / 16) : kBatch;
  }

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
      const std::size_t taken = batch_.size();
      for (std::uint32_t s = head_[top_]; s != kNone; s = link_[s]) {
        if (beats_leader(s)) batch_.push_back(s);
      }
      head_[top_] = kNone;
      if (batch_.size() > wanted) {
        std::nth_element(batch_.begin() + static_cast<std::ptrdiff_t>(taken),
                         batch_.begin() + static_cast<std::ptrdiff_t>(wanted), batch_.end(),
                         [this](std::uint32_t a, std::uint32_t b) {
                           return is_better(key_[a], slot_relevance_[a], feature_[a], key_[b], slot_relevance_[b],
                                            feature_[b]);
                         });
        const std::size_t bucket = top_;
        for (std::size_t i = wanted; i < batch_.size(); ++i) {
          link_[batch_[i]] = head_[bucket];
          head_[bucket] = batch_[i];
        }
        batch_.resize(wanted);
      }
    }
  }

  // One term more for each candidate of the batch; those that wait for the same selected feature share a call.
  void extend() {
    group_head_.resize(selected_.size(), kNone);
    group_depths_.clear();
    for (const std::uint32_t s : batch_) {
      const std::uint32_t depth = depth_[s];
      if (group_head_[depth] == kNone) group_depths_.push_back(depth);
      link_[s] = group_head_[depth];
      group_head_[depth] = s;
    }
    for (const std::uint32_t depth : group_depths_) {
      wanted_.clear();
      slots_.clear();
      for (std::uint32_t s = group_head_[depth]; s != kNone; s = link_[s]) {
        slots_.push_back(s);
        wanted_.push_back(feature_[s]);
      }
      group_head_[depth] = kNone;
      terms_.resize(wanted_.size());
      measure_.values(selected_[depth], wanted_, terms_);
      for (std::size_t i = 0; i < slots_.size(); ++i) add_term(slots_[i], terms_[i]);
    }
    n_extended_ += batch_.size();
    n_evaluations_ += batch_.size();
  }

  void add_term(std::uint32_t s, double term) {
    if (partner_[s] < 0 || Objective::more_extreme(term, extreme_[s])) {
      extreme_[s] = term;
      partner_[s] = selected_[depth_[s]];
    }
    total_[s] = Objective::add(total_[s], term);
    ++depth_[s];
    key_[s] = (*objective_)(slot_relevance_[s], total_[s]);
    if (!beats_leader(s)) return;
    if (depth_[s] == selected_.size()) {
      leader_ = {key_[s], slot_relevance_[s], static_cast<std::int64_t>(feature_[s]), s, total_[s]};
    } else if (key_[s] >= goal_) {
      push(s);
    }
  }

  void retire(std::size_t s) {
    retired_.push_back({feature_[s], depth_[s], total_[s], extreme_[s], partner_[s]});
    const auto drop = [s](auto& values) {
      values[s] = values.back();
      values.pop_back();
    };
    drop(feature_);
    drop(slot_relevance_);
    drop(total_);
    drop(depth_);
    drop(extreme_);
    drop(partner_);
    drop(key_);
    drop(link_);
    --n_left_;
  }

  PairMeasure& measure_;
  std::span<const double> relevance_;
  std::vector<std::uint32_t> order_;
  std::size_t admitted_ = 0;
  std::size_t n_left_;

  // One entry per admitted candidate ("slot").
  std::vector<std::uint32_t> feature_, depth_, link_;
  std::vector<double> slot_relevance_, total_, extreme_, key_;
  std::vector<std::int64_t> partner_;
  std::vector<Retired> retired_;

  // The step in progress.
  std::span<const std::uint32_t> selected_;
  const Objective* objective_ = nullptr;
  Leader leader_;
  double threshold_ = 0.0;  // candidates below it are not looked at yet
  double goal_ = 0.0;       // the same, raised to the last admitted key while admission is limited
  double highest_ = 0.0, last_key_ = kInfinity, origin_ = 0.0, scale_ = 0.0;
  bool limited_ = false;
  std::size_t n_refills_ = 0, n_extended_ = 0, n_evaluations_ = 0;

  std::uint32_t head_[kBuckets + 1];
  std::size_t top_ = 0;
  std::vector<std::uint32_t> batch_, open_, slots_, wanted_, group_head_, group_depths_;
  std::vector<double> terms_;
};

}  // namespace thresher
