#include "search/accumulate.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "search/lazy_search.hpp"
#include "search/objective.hpp"
#include "search/order.hpp"

namespace thresher {
namespace {

struct TermSum : SummedTerms {
  static bool more_extreme(double term, double than) { return term < than; }
  double operator()(double, double sum) const { return sum; }
  double expect(double last_key) const { return last_key; }
};

struct RelevanceMinusSum : SummedTerms {
  double operator()(double relevance, double sum) const { return relevance - sum; }
  double expect(double last_key) const { return last_key; }
};

struct RelevanceMinusPositiveSum : RelevanceMinusSum {
  static double add(double sum, double term) { return term > 0.0 ? sum + term : sum; }
};

struct Smallest : SmallestTerm {
  double operator()(double, double smallest) const { return smallest; }
  double expect(double last_key) const { return last_key; }
};

struct SmallestAndRelevance : SmallestTerm {
  double operator()(double relevance, double smallest) const { return smallest < relevance ? smallest : relevance; }
  double expect(double last_key) const { return last_key; }
};

template <class Objective, bool kHasBound>
class AccumulateRun {
 public:
  AccumulateRun(PairMeasure& term, std::span<const double> relevance, const AccumulateOptions& options,
                Interrupt& interrupt)
      : term_(term), relevance_(relevance), options_(options), interrupt_(interrupt) {
    result_.record = FeatureRecord(relevance.size(), Objective::kEmpty);
  }

  SearchResult run() {
    const auto kept = options_.candidates.kept;
    for (std::size_t i = 0; i < kept.size(); ++i) {
      append(kept[i], result_.record.total[kept[i]]);
      if (i + 1 < kept.size()) add_terms(kept[i], kept.subspan(i + 1));
    }
    auto order = open_candidates(relevance_, options_.candidates);
    if (n_selected() == 0 && wants_more() && !order.empty()) {
      append(order.front(), Objective::kEmpty);
      order.erase(order.begin());
    }
    if (kHasBound && options_.strategy == Strategy::lazy) {
      run_lazy(std::move(order));
    } else {
      run_dense(std::move(order));
    }
    return std::move(result_);
  }

 private:
  std::size_t n_selected() const { return result_.selected.size(); }
  bool wants_more() const { return n_selected() < options_.n_select; }

  void append(std::uint32_t feature, double total) {
    const bool is_first = n_selected() == 0;
    result_.scores.push_back(is_first ? relevance_[feature] : Objective()(relevance_[feature], total));
    result_.relevance.push_back(relevance_[feature]);
    result_.redundancy.push_back(is_first ? 0.0 : total);
    result_.selected.push_back(feature);
    if (options_.progress) options_.progress(n_selected(), feature, result_.scores.back());
  }

  void add_terms(std::uint32_t reference, std::span<const std::uint32_t> features) {
    FeatureRecord& record = result_.record;
    terms_.resize(features.size());
    term_.values(reference, features, terms_);
    result_.n_evaluations += features.size();
    for (std::size_t i = 0; i < features.size(); ++i) {
      const std::uint32_t f = features[i];
      if (record.partner[f] < 0 || Objective::more_extreme(terms_[i], record.extreme[f])) {
        record.extreme[f] = terms_[i];
        record.partner[f] = reference;
      }
      record.total[f] = Objective::add(record.total[f], terms_[i]);
      ++record.depth[f];
    }
  }

  void run_lazy(std::vector<std::uint32_t> order) {
    LazySearch<Objective> search(term_, relevance_, std::move(order));
    while (wants_more() && search.n_left() > 0) {
      const Leader winner = search.next(result_.selected, Objective(), interrupt_);
      append(static_cast<std::uint32_t>(winner.feature), winner.total);
    }
    search.record(result_.record);
    result_.n_evaluations += search.n_evaluations();
  }

  void run_dense(std::vector<std::uint32_t> left) {
    std::sort(left.begin(), left.end());
    std::size_t n_known = 0;
    while (wants_more() && !left.empty()) {
      for (; n_known < n_selected(); ++n_known) {
        interrupt_.check();
        add_terms(result_.selected[n_known], left);
      }
      std::size_t best = 0;
      const auto key = [&](std::uint32_t f) { return Objective()(relevance_[f], result_.record.total[f]); };
      double best_key = key(left[0]);
      for (std::size_t i = 1; i < left.size(); ++i) {
        const double this_key = key(left[i]);
        if (this_key > best_key) {
          best_key = this_key;
          best = i;
        }
      }
      const std::uint32_t winner = left[best];
      left.erase(left.begin() + static_cast<std::ptrdiff_t>(best));
      append(winner, result_.record.total[winner]);
    }
  }

  PairMeasure& term_;
  std::span<const double> relevance_;
  const AccumulateOptions& options_;
  Interrupt& interrupt_;
  SearchResult result_;
  std::vector<double> terms_;
};

}  // namespace

SearchResult greedy_accumulate(PairMeasure& term, std::span<const double> relevance, const AccumulateOptions& options,
                               Interrupt& interrupt) {
  check_search_input(term, relevance, options.candidates);
  switch (options.accumulation) {
    case Accumulation::sum: return AccumulateRun<TermSum, false>(term, relevance, options, interrupt).run();
    case Accumulation::minus_sum:
      return AccumulateRun<RelevanceMinusSum, false>(term, relevance, options, interrupt).run();
    case Accumulation::minus_positive_sum:
      return AccumulateRun<RelevanceMinusPositiveSum, true>(term, relevance, options, interrupt).run();
    case Accumulation::smallest: return AccumulateRun<Smallest, true>(term, relevance, options, interrupt).run();
    case Accumulation::smallest_and_relevance: break;
  }
  return AccumulateRun<SmallestAndRelevance, true>(term, relevance, options, interrupt).run();
}

}  // namespace thresher
