// The fast correlation-based filter of Yu and Liu.
#pragma once

#include <span>

#include "measures/pair_measure.hpp"
#include "search/forward.hpp"
#include "search/search_result.hpp"

namespace thresher {

struct FcbfOptions : ForwardOptions {
  double threshold = 0.0;  // only features with a larger relevance take part
};

// Walks the features by decreasing relevance; each one still there is selected and deletes every later one that is at
// least as redundant with it as relevant. Kept features come first and are never deleted. The record shows which
// feature deleted which; scores are relevances, redundancy is the largest of a selected feature.
ForwardSearch fcbf(PairMeasure& measure, std::span<const double> relevance, const FcbfOptions& options);

}  // namespace thresher
