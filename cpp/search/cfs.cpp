#include "search/cfs.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "search/lazy_search.hpp"
#include "search/objective.hpp"
#include "search/order.hpp"

namespace thresher {
namespace {

class CfsRun {
 public:
  CfsRun(PairMeasure& measure, std::span<const double> relevance, const CfsOptions& options, Interrupt& interrupt)
      : measure_(measure), relevance_(relevance), options_(options), interrupt_(interrupt) {
    result_.record = FeatureRecord(relevance.size());
  }

  SearchResult run() {
    take_kept();
    auto order = open_candidates(relevance_, options_.candidates);
    if (options_.strategy == CfsStrategy::lazy) {
      run_lazy(std::move(order));
    } else {
      run_dense(std::move(order));
    }
    return std::move(result_);
  }

 private:
  std::size_t n_selected() const { return result_.selected.size(); }
  bool wants_more() const { return n_selected() < options_.n_select; }
  Merit objective() const { return Merit(relevance_sum_, redundancy_sum_, n_selected(), options_.unit); }

  void append(std::uint32_t feature, double total) {
    const std::size_t k = n_selected();
    merit_ = objective()(relevance_[feature], total);
    relevance_sum_ += relevance_[feature];
    redundancy_sum_ += total;
    result_.scores.push_back(merit_);
    result_.relevance.push_back(relevance_[feature]);
    result_.redundancy.push_back(k == 0 ? 0.0 : total / static_cast<double>(k));
    result_.selected.push_back(feature);
    if (options_.progress) options_.progress(k + 1, feature, merit_);
  }

  void take_kept() {
    const auto kept = options_.candidates.kept;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      append(kept[i], result_.record.total[kept[i]]);
      const auto later = kept.subspan(i + 1);
      if (!later.empty()) add_column(measure_, kept[i], later, result_.record, terms_);
      result_.n_evaluations += later.size();
    }
  }

  void run_lazy(std::vector<std::uint32_t> order) {
    // The first feature has no terms: the most relevant one, if it is relevant at all.
    if (n_selected() == 0) {
      if (order.empty() || !wants_more() || !(relevance_[order.front()] > 0.0)) return;
      append(order.front(), 0.0);
      order.erase(order.begin());
    }
    LazySearch<Merit> search(measure_, relevance_, std::move(order));
    while (wants_more() && search.n_left() > 0) {
      Leader set_so_far;  // an equal merit is no gain
      set_so_far.key = merit_;
      set_so_far.feature = -1;
      const Leader winner = search.next(result_.selected, objective(), interrupt_, set_so_far);
      if (!winner.found()) break;
      append(static_cast<std::uint32_t>(winner.feature), winner.total);
    }
    search.record(result_.record);
    result_.n_evaluations += search.n_evaluations();
  }

  void run_dense(std::vector<std::uint32_t> left) {
    std::sort(left.begin(), left.end());
    FeatureRecord& record = result_.record;
    std::size_t n_known = 0;  // selected features whose column has been added
    while (wants_more() && !left.empty()) {
      if (options_.strategy == CfsStrategy::naive) {
        for (const std::uint32_t f : left) {
          record.total[f] = 0.0;
          record.depth[f] = 0;
        }
        n_known = 0;
      }
      for (; n_known < n_selected(); ++n_known) {
        interrupt_.check();
        add_column(measure_, result_.selected[n_known], left, record, terms_);
        result_.n_evaluations += left.size();
      }
      const Merit merit_with = objective();
      std::size_t best = 0;
      double best_merit = -kInfinity;
      for (std::size_t i = 0; i < left.size(); ++i) {
        const double merit = merit_with(relevance_[left[i]], record.total[left[i]]);
        if (merit > best_merit) {
          best_merit = merit;
          best = i;
        }
      }
      if (!(best_merit > merit_)) break;
      const std::uint32_t winner = left[best];
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
      append(winner, record.total[winner]);
    }
  }

  PairMeasure& measure_;
  std::span<const double> relevance_;
  const CfsOptions& options_;
  Interrupt& interrupt_;
  SearchResult result_;
  double relevance_sum_ = 0.0, redundancy_sum_ = 0.0, merit_ = 0.0;
  std::vector<double> terms_;
};

}  // namespace

SearchResult cfs_forward(PairMeasure& measure, std::span<const double> relevance, const CfsOptions& options,
                         Interrupt& interrupt) {
  check_search_input(measure, relevance, options.candidates);
  return CfsRun(measure, relevance, options, interrupt).run();
}

}  // namespace thresher
