#include "search/greedy.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "search/lazy_search.hpp"
#include "search/objective_choice.hpp"
#include "search/order.hpp"

namespace thresher {

namespace {

template <class MakeObjective>
class GreedyRun {
 public:
  GreedyRun(PairMeasure& measure, std::span<const double> relevance, const GreedyOptions& options, Interrupt& interrupt,
            MakeObjective make_objective)
      : measure_(measure), relevance_(relevance), options_(options), interrupt_(interrupt), make_(make_objective) {
    result_.record = FeatureRecord(relevance.size());
  }

  SearchResult run() {
    take_kept();
    auto order = open_candidates(relevance_, options_.candidates);
    switch (options_.strategy) {
      case Strategy::lazy: run_lazy(std::move(order)); break;
      case Strategy::scan: run_scan(std::move(order)); break;
      case Strategy::naive: run_naive(std::move(order)); break;
    }
    return std::move(result_);
  }

 private:
  using Objective = decltype(std::declval<MakeObjective>()(std::size_t{1}));

  std::size_t n_selected() const { return result_.selected.size(); }

  void append(std::uint32_t feature, double total) {
    const std::size_t k = n_selected();
    const double relevance = relevance_[feature];
    result_.scores.push_back(k == 0 ? relevance : make_(k).score(relevance, total));
    result_.relevance.push_back(relevance);
    result_.redundancy.push_back(k == 0 ? 0.0 : total / static_cast<double>(k));
    result_.selected.push_back(feature);
    if (options_.progress) options_.progress(k + 1, feature, result_.scores.back());
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
    const std::uint32_t first = order.empty() ? 0 : order.front();
    const bool takes_first = n_selected() == 0 && !order.empty() && options_.n_select > 0;
    if (takes_first) {
      order.erase(order.begin());
      append(first, 0.0);
    }
    LazySearch<Objective> search(measure_, relevance_, std::move(order));
    while (n_selected() < options_.n_select && search.n_left() > 0) {
      const Leader winner = search.next(result_.selected, make_(n_selected()), interrupt_);
      append(static_cast<std::uint32_t>(winner.feature), winner.total);
    }
    search.record(result_.record);
    result_.n_evaluations += search.n_evaluations();
  }

  void run_naive(std::vector<std::uint32_t> left) {
    std::sort(left.begin(), left.end());
    std::size_t n_known = 0;  // selected features whose column has been added
    while (n_selected() < options_.n_select && !left.empty()) {
      for (; n_known < n_selected(); ++n_known) {
        interrupt_.check();
        add_column(measure_, result_.selected[n_known], left, result_.record, terms_);
        result_.n_evaluations += left.size();
      }
      std::size_t best = 0;
      std::optional<Objective> objective;
      if (n_selected() > 0) objective.emplace(make_(n_selected()));
      const auto key = [&](std::uint32_t f) {
        return objective ? (*objective)(relevance_[f], result_.record.total[f]) : relevance_[f];
      };
      for (std::size_t i = 1; i < left.size(); ++i) {
        const std::uint32_t f = left[i], g = left[best];
        if (is_better(key(f), relevance_[f], f, key(g), relevance_[g], g)) best = i;
      }
      const std::uint32_t winner = left[best];
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
      append(winner, result_.record.total[winner]);
    }
  }

  // The candidates are visited by the number of terms they have met, most first; those without any by relevance.
  // Each is extended until it is complete or can no longer win; it is not visited again in the same step.
  void run_scan(std::vector<std::uint32_t> order) {
    FeatureRecord& record = result_.record;
    if (n_selected() == 0 && !order.empty() && options_.n_select > 0) {
      append(order.front(), 0.0);
      order.erase(order.begin());
    }
    std::vector<std::vector<std::uint32_t>> by_depth{std::move(order)};
    std::size_t n_left = by_depth[0].size();
    while (n_selected() < options_.n_select && n_left > 0) {
      const std::size_t k = n_selected();
      const Objective objective = make_(k);
      by_depth.resize(k + 1);
      Leader leader;
      std::vector<std::vector<std::uint32_t>> moved(k + 1);
      for (std::size_t depth = k + 1; depth-- > 0;) {
        std::vector<std::uint32_t> stay;
        for (const std::uint32_t f : by_depth[depth]) {
          const auto key = [&] { return objective(relevance_[f], record.total[f]); };
          const auto can_win = [&] {
            return is_better(key(), relevance_[f], f, leader.key, leader.relevance, leader.feature);
          };
          while (record.depth[f] < k && can_win()) {
            const std::uint32_t one[1] = {f};
            add_column(measure_, result_.selected[record.depth[f]], one, record, terms_);
            ++result_.n_evaluations;
            if (result_.n_evaluations % 256 == 0) interrupt_.check();
          }
          if (record.depth[f] == k && can_win()) leader = {key(), relevance_[f], f, 0, record.total[f]};
          (record.depth[f] == depth ? stay : moved[record.depth[f]]).push_back(f);
        }
        by_depth[depth] = std::move(stay);
      }
      const auto winner = static_cast<std::uint32_t>(leader.feature);
      for (std::size_t depth = 0; depth <= k; ++depth) {
        auto& list = by_depth[depth];
        list.insert(list.end(), moved[depth].begin(), moved[depth].end());
        std::erase(list, winner);
      }
      --n_left;
      append(winner, record.total[winner]);
    }
  }

  PairMeasure& measure_;
  std::span<const double> relevance_;
  const GreedyOptions& options_;
  Interrupt& interrupt_;
  MakeObjective make_;
  SearchResult result_;
  std::vector<double> terms_;
};

}  // namespace

SearchResult greedy_forward(PairMeasure& measure, std::span<const double> relevance, const GreedyOptions& options,
                            Interrupt& interrupt) {
  check_search_input(measure, relevance, options.candidates);
  return with_objective(options.objective, options.weight, options.offset, [&](auto make) {
    return GreedyRun<decltype(make)>(measure, relevance, options, interrupt, make).run();
  });
}

}  // namespace thresher
