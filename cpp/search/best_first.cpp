#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <map>
#include <utility>
#include <vector>

#include "search/cfs.hpp"
#include "search/order.hpp"

namespace thresher {
namespace {

// The redundancies of all features with the features that were ever members of an expanded subset.
class RedundancyRows {
 public:
  // `features`: those whose redundancies are wanted.
  RedundancyRows(PairMeasure& measure, std::vector<std::uint32_t> features, bool zero_to_one, double unit)
      : measure_(measure), features_(std::move(features)), zero_to_one_(zero_to_one), unit_(unit) {}

  const std::vector<double>& row(std::uint32_t reference) {
    if (!rows_.contains(reference)) request({&reference, 1});
    return rows_.at(reference);
  }

  bool knows(std::uint32_t reference) const { return rows_.contains(reference); }

  // Requests the rows of `references`, which must not be known, with one call of the measure.
  void request(std::span<const std::uint32_t> references) {
    std::vector<std::vector<std::uint32_t>> missing(references.size());
    std::vector<std::vector<double>> terms(references.size());
    std::vector<TermRequest> requests;
    for (std::size_t k = 0; k < references.size(); ++k) {
      const auto before = references.first(k);
      std::ranges::copy_if(features_, std::back_inserter(missing[k]), [&](std::uint32_t f) {
        return f != references[k] && !knows(f) && std::ranges::find(before, f) == before.end();
      });
      terms[k].resize(missing[k].size());
      n_evaluations_ += missing[k].size();
      requests.push_back({references.subspan(k, 1), missing[k], terms[k]});
    }
    measure_.fill(requests);
    for (std::size_t k = 0; k < references.size(); ++k) {
      std::vector<double> row(measure_.n_features(), 0.0);
      for (const auto& [f, other] : rows_) row[f] = other[references[k]];
      for (std::size_t i = 0; i < missing[k].size(); ++i) {
        row[missing[k][i]] = zero_to_one_ && terms[k][i] < 1e-6 * unit_ ? unit_ : terms[k][i];
      }
      rows_.emplace(references[k], std::move(row));
    }
  }

  bool works_in_rounds() const { return measure_.hints().round_size > 0; }

  std::size_t n_evaluations() const { return n_evaluations_; }

 private:
  PairMeasure& measure_;
  std::vector<std::uint32_t> features_;
  bool zero_to_one_;
  double unit_;
  std::map<std::uint32_t, std::vector<double>> rows_;
  std::size_t n_evaluations_ = 0;
};

struct Subset {
  std::vector<std::uint32_t> members;  // ascending
  double relevance_sum = 0.0, redundancy_sum = 0.0, merit = 0.0;
};

double merit_of(double relevance_sum, double redundancy_sum, std::size_t size, double unit) {
  return size == 0 ? 0.0 : relevance_sum / std::sqrt(unit * static_cast<double>(size) + 2.0 * redundancy_sum);
}

Subset extended(const Subset& subset, std::uint32_t feature, double relevance_sum, double redundancy_sum,
                double merit) {
  Subset out{subset.members, relevance_sum, redundancy_sum, merit};
  out.members.insert(std::lower_bound(out.members.begin(), out.members.end(), feature), feature);
  return out;
}

std::vector<std::uint32_t> all_features(std::span<const double> relevance, const Candidates& candidates) {
  auto features = open_candidates(relevance, candidates);
  features.insert(features.end(), candidates.kept.begin(), candidates.kept.end());
  std::sort(features.begin(), features.end());
  return features;
}

class BestFirstRun {
 public:
  BestFirstRun(PairMeasure& measure, std::span<const double> relevance, const BestFirstOptions& options,
               Interrupt& interrupt)
      : relevance_(relevance),
        options_(options),
        interrupt_(interrupt),
        rows_(measure, all_features(relevance, options.candidates), options.zero_to_one, options.unit),
        is_open_(relevance.size(), 0),
        sums_(relevance.size(), 0.0) {
    for (const std::uint32_t f : open_candidates(relevance, options.candidates)) is_open_[f] = 1;
  }

  BestFirstResult run() {
    best_ = start();
    open_list_.push_back(best_);
    BestFirstResult result;
    for (std::size_t stale = 0; stale < options_.max_stale && !open_list_.empty();) {
      const Subset head = std::move(open_list_.front());
      open_list_.erase(open_list_.begin());
      stale = expand(head) ? 0 : stale + 1;
    }
    result.merit = best_.merit;
    if (options_.locally_predictive) add_locally_predictive();
    result.selected.assign(options_.candidates.kept.begin(), options_.candidates.kept.end());
    for (const std::uint32_t f : best_.members) {
      if (is_open_[f] != 0) result.selected.push_back(f);
    }
    result.n_evaluations = rows_.n_evaluations();
    result.against = against(result.selected);
    return result;
  }

 private:
  Subset start() {
    Subset subset;
    for (const std::uint32_t f : options_.candidates.kept) {
      const double redundancy = redundancy_with(subset, f);
      subset = extended(subset, f, subset.relevance_sum + relevance_[f], subset.redundancy_sum + redundancy, 0.0);
    }
    subset.merit = merit_of(subset.relevance_sum, subset.redundancy_sum, subset.members.size(), options_.unit);
    return subset;
  }

  double redundancy_with(const Subset& subset, std::uint32_t feature) {
    double sum = 0.0;
    for (const std::uint32_t g : subset.members) sum += rows_.row(g)[feature];
    return sum;
  }

  // In rounds: the rows that are needed, and those of the sets that are likely to be expanded next.
  void request_rows(const Subset& head) {
    std::vector<std::uint32_t> references;
    const auto add_members = [&](const Subset& subset) {
      for (const std::uint32_t g : subset.members) {
        if (!rows_.knows(g) && std::ranges::find(references, g) == references.end()) references.push_back(g);
      }
    };
    add_members(head);
    if (references.empty()) return;
    for (const Subset& subset : open_list_) add_members(subset);
    rows_.request(references);
  }

  // Returns whether any extension by one feature is an improvement on the best set found before.
  bool expand(const Subset& head) {
    if (rows_.works_in_rounds()) request_rows(head);
    std::fill(sums_.begin(), sums_.end(), 0.0);
    for (const std::uint32_t g : head.members) {
      interrupt_.check();
      const auto& row = rows_.row(g);
      for (std::size_t f = 0; f < sums_.size(); ++f) sums_[f] += row[f];
    }
    std::vector<std::uint8_t> is_member(sums_.size(), 0);
    for (const std::uint32_t g : head.members) is_member[g] = 1;
    const double min_gain = options_.min_gain * std::sqrt(options_.unit);
    bool progress = false;
    for (std::uint32_t f = 0; f < sums_.size(); ++f) {
      if (is_open_[f] == 0 || is_member[f] != 0) continue;
      const double relevance_sum = head.relevance_sum + relevance_[f];
      const double redundancy_sum = head.redundancy_sum + sums_[f];
      const double merit = merit_of(relevance_sum, redundancy_sum, head.members.size() + 1, options_.unit);
      const bool is_best = merit - best_.merit > min_gain;
      if (!is_best && !fits(merit)) continue;
      Subset subset = extended(head, f, relevance_sum, redundancy_sum, merit);
      if (is_best) {
        best_ = subset;
        progress = true;
      }
      insert(std::move(subset));
    }
    return progress;
  }

  // Equal merits stay in the order in which they came.
  bool fits(double merit) const {
    return open_list_.size() < options_.max_stale || (!open_list_.empty() && merit > open_list_.back().merit);
  }

  void insert(Subset&& subset) {
    if (!fits(subset.merit)) return;
    if (open_list_.size() == options_.max_stale) open_list_.pop_back();
    const auto position = std::find_if(open_list_.begin(), open_list_.end(),
                                       [&](const Subset& other) { return subset.merit > other.merit; });
    open_list_.insert(position, std::move(subset));
  }

  // Every other feature by decreasing relevance: it joins unless some member is more redundant with it than it is
  // relevant.
  void add_locally_predictive() {
    std::vector<std::uint8_t> others = is_open_;
    for (const std::uint32_t g : best_.members) others[g] = 0;
    std::vector<double> largest(relevance_.size(), -1.0);
    const auto meet = [&](std::uint32_t g) {
      interrupt_.check();
      const auto& row = rows_.row(g);
      for (std::size_t f = 0; f < largest.size(); ++f) largest[f] = std::max(largest[f], row[f]);
    };
    for (const std::uint32_t g : best_.members) meet(g);
    for (const std::uint32_t f : order_by_relevance(relevance_, others)) {
      if (largest[f] > relevance_[f]) continue;
      best_.members.insert(std::lower_bound(best_.members.begin(), best_.members.end(), f), f);
      meet(f);
    }
  }

  // Of rows that are known, as those of the selected are: their set was expanded.
  ExtremeTerms against(std::span<const std::uint32_t> selected) {
    ExtremeTerms terms(relevance_.size());
    for (const std::uint32_t g : selected) {
      if (!rows_.knows(g)) continue;
      const auto& row = rows_.row(g);
      for (std::size_t f = 0; f < row.size(); ++f) {
        if (f == g || (terms.partner[f] >= 0 && row[f] <= terms.extreme[f])) continue;
        terms.extreme[f] = row[f];
        terms.partner[f] = g;
      }
    }
    return terms;
  }

  std::span<const double> relevance_;
  const BestFirstOptions& options_;
  Interrupt& interrupt_;
  RedundancyRows rows_;
  std::vector<std::uint8_t> is_open_;
  std::vector<double> sums_;
  Subset best_;
  std::vector<Subset> open_list_;
};

}  // namespace

BestFirstResult cfs_best_first(PairMeasure& measure, std::span<const double> relevance, const BestFirstOptions& options,
                               Interrupt& interrupt) {
  check_search_input(measure, relevance, options.candidates);
  return BestFirstRun(measure, relevance, options, interrupt).run();
}

}  // namespace thresher
