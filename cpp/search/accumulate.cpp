#include "search/accumulate.hpp"

#include "search/objective.hpp"
#include "search/term_criterion.hpp"

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

// The key is the score, whatever the size of the set.
template <class Key, bool kBounded = true>
struct Accumulated {
  static constexpr bool kHasBound = kBounded;
  using Objective = Key;
  Objective objective(std::size_t) const { return {}; }
  Leader floor() const { return {}; }
  Step step(std::uint32_t feature, double relevance, double total, std::size_t n_selected) const {
    if (n_selected == 0) return {feature, relevance, relevance, 0.0};
    return {feature, Key()(relevance, total), relevance, total};
  }
};

}  // namespace

ForwardSearch greedy_accumulate(PairMeasure& term, std::span<const double> relevance,
                                const AccumulateOptions& options) {
  const auto search = [&](auto formula) {
    return search_by_terms(term, relevance, options, options.strategy, formula);
  };
  switch (options.accumulation) {
    case Accumulation::sum: return search(Accumulated<TermSum, false>());
    case Accumulation::minus_sum: return search(Accumulated<RelevanceMinusSum, false>());
    case Accumulation::minus_positive_sum: return search(Accumulated<RelevanceMinusPositiveSum>());
    case Accumulation::smallest: return search(Accumulated<Smallest>());
    case Accumulation::smallest_and_relevance: break;
  }
  return search(Accumulated<SmallestAndRelevance>());
}

}  // namespace thresher
