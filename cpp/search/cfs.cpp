#include "search/cfs.hpp"

#include "search/objective.hpp"
#include "search/term_criterion.hpp"

namespace thresher {
namespace {

// A candidate has to raise the merit of the set; an equal merit is not enough.
struct MeritGain {
  double unit;
  double relevance_sum = 0.0, redundancy_sum = 0.0, merit = 0.0;

  static constexpr bool kHasBound = true;
  using Objective = Merit;
  Merit objective(std::size_t n_selected) const { return Merit(relevance_sum, redundancy_sum, n_selected, unit); }
  Leader floor() const {
    Leader set_so_far;
    set_so_far.key = merit;
    set_so_far.feature = -1;
    return set_so_far;
  }
  Step step(std::uint32_t feature, double relevance, double total, std::size_t n_selected) {
    merit = objective(n_selected)(relevance, total);
    relevance_sum += relevance;
    redundancy_sum += total;
    return {feature, merit, relevance, n_selected == 0 ? 0.0 : total / static_cast<double>(n_selected)};
  }
};

}  // namespace

ForwardSearch cfs_forward(PairMeasure& measure, std::span<const double> relevance, const CfsOptions& options) {
  return search_by_terms(measure, relevance, options, options.strategy, MeritGain{options.unit});
}

}  // namespace thresher
