#include "search/greedy.hpp"

#include <utility>

#include "search/objective_choice.hpp"
#include "search/term_criterion.hpp"

namespace thresher {
namespace {

// Relevance against the mean redundancy with the selected features.
template <class MakeObjective>
struct Trade {
  MakeObjective make;

  static constexpr bool kHasBound = true;
  using Objective = decltype(std::declval<MakeObjective>()(std::size_t{1}));
  Objective objective(std::size_t n_selected) const { return make(n_selected); }
  Leader floor() const { return {}; }
  Step step(std::uint32_t feature, double relevance, double total, std::size_t n_selected) const {
    if (n_selected == 0) return {feature, relevance, relevance, 0.0};
    const double score = make(n_selected).score(relevance, total);
    return {feature, score, relevance, total / static_cast<double>(n_selected)};
  }
};

}  // namespace

ForwardSearch greedy_forward(PairMeasure& measure, std::span<const double> relevance, const GreedyOptions& options) {
  return with_objective(options.objective, options.weight, options.offset, options.unit, [&](auto make) {
    return search_by_terms(measure, relevance, options, options.strategy, Trade<decltype(make)>{make});
  });
}

}  // namespace thresher
