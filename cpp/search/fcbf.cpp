#include "search/fcbf.hpp"

#include <algorithm>
#include <vector>

namespace thresher {

SearchResult fcbf(PairMeasure& measure, std::span<const double> relevance, const FcbfOptions& options,
                  Interrupt& interrupt) {
  check_search_input(measure, relevance, options.candidates);
  SearchResult result;
  result.record = FeatureRecord(relevance.size());
  FeatureRecord& record = result.record;
  std::vector<std::uint32_t> left = open_candidates(relevance, options.candidates);
  std::erase_if(left, [&](std::uint32_t f) { return !(relevance[f] > options.threshold); });
  std::vector<double> terms;

  const auto take = [&](std::uint32_t feature) {
    result.selected.push_back(feature);
    result.scores.push_back(relevance[feature]);
    result.relevance.push_back(relevance[feature]);
    result.redundancy.push_back(record.extreme[feature]);
  };
  // `left` keeps its order: what follows `begin` is still in the race.
  const auto delete_redundant = [&](std::uint32_t feature, std::size_t begin) {
    interrupt.check();
    const std::span<const std::uint32_t> later(left.data() + begin, left.size() - begin);
    add_column(measure, feature, later, record, terms);
    result.n_evaluations += later.size();
    std::size_t n_left = begin;
    for (std::size_t i = begin; i < left.size(); ++i) {
      if (terms[i - begin] < relevance[left[i]]) left[n_left++] = left[i];
    }
    left.resize(n_left);
  };

  for (const std::uint32_t feature : options.candidates.kept) {
    take(feature);
    if (!left.empty()) delete_redundant(feature, 0);
  }
  for (std::size_t i = 0; i < left.size() && result.selected.size() < options.n_select; ++i) {
    take(left[i]);
    if (i + 1 < left.size() && result.selected.size() < options.n_select) delete_redundant(left[i], i + 1);
  }
  return result;
}

}  // namespace thresher
