#include "search/search_result.hpp"

#include <limits>
#include <stdexcept>
#include <string>

#include "search/objective.hpp"
#include "search/order.hpp"

namespace thresher {

void Steps::append(const Step& step) {
  selected.push_back(step.feature);
  scores.push_back(step.score);
  relevance.push_back(step.relevance);
  redundancy.push_back(step.redundancy);
}

PartialSeries::PartialSeries(std::size_t n_features)
    : relevance(n_features, std::numeric_limits<double>::quiet_NaN()),
      mean_redundancy(relevance),
      last_score(relevance),
      collinear(n_features) {}

void check_search_input(const PairMeasure& measure, std::span<const double> relevance, const Candidates& candidates) {
  if (measure.n_replicates() != 1) throw std::invalid_argument("measure must have one replicate");
  check_relevance(measure.n_features(), relevance, candidates);
}

void check_relevance(std::size_t p, std::span<const double> relevance, const Candidates& candidates) {
  if (relevance.size() != p) throw std::invalid_argument("relevance must have one value per feature");
  for (std::size_t f = 0; f < p; ++f) {
    if (!(relevance[f] >= 0.0 && relevance[f] < kInfinity)) {
      throw std::invalid_argument("relevance must be finite and not negative, feature " + std::to_string(f) + " has " +
                                  std::to_string(relevance[f]));
    }
  }
  check_candidates(p, candidates);
}

void check_candidates(std::size_t p, const Candidates& candidates) {
  if (!candidates.mask.empty() && candidates.mask.size() != p) {
    throw std::invalid_argument("candidates must have one mark per feature");
  }
  std::vector<std::uint8_t> seen(candidates.kept.empty() ? 0 : p, 0);
  for (const std::uint32_t feature : candidates.kept) {
    if (feature >= p) throw std::invalid_argument("kept contains a feature that does not exist");
    if (seen[feature]++ != 0) throw std::invalid_argument("kept names a feature twice");
  }
}

std::vector<std::uint32_t> open_candidates(std::span<const double> relevance, const Candidates& candidates) {
  auto order = order_by_relevance(relevance, candidates.mask);
  if (!candidates.kept.empty()) {
    std::vector<std::uint8_t> is_kept(relevance.size(), 0);
    for (const std::uint32_t feature : candidates.kept) is_kept[feature] = 1;
    std::erase_if(order, [&](std::uint32_t feature) { return is_kept[feature] != 0; });
  }
  return order;
}

}  // namespace thresher
