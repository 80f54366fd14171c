// Correlation-based feature selection: sets are compared by Hall's merit.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "measures/pair_measure.hpp"
#include "search/forward.hpp"
#include "search/search_result.hpp"

namespace thresher {

struct CfsOptions : ForwardOptions {
  Strategy strategy = Strategy::lazy;
  double unit = 1.0;  // what a redundancy of one is; merits are sqrt(unit) times the true ones
};

// Adds the feature that raises the merit most, until none raises it. Scores are the merits reached.
ForwardSearch cfs_forward(PairMeasure& measure, std::span<const double> relevance, const CfsOptions& options);

struct BestFirstOptions {
  std::size_t max_stale = 5;        // expansions without progress before the search ends; also the list's capacity
  double min_gain = 1e-5;           // what counts as progress
  double unit = 1.0;                // what a redundancy of one is; merits are sqrt(unit) times the true ones
  bool zero_to_one = false;         // Weka's quirk: a redundancy below 1e-6 is taken as 1
  bool locally_predictive = false;  // afterwards, add features more relevant than redundant with any chosen one
  Candidates candidates;
};

struct BestFirstResult {
  std::vector<std::uint32_t> selected;  // kept features first, then by column
  double merit = 0.0;                   // of the set the search found, before the locally predictive step
  std::size_t n_evaluations = 0;        // distinct pairs
  ExtremeTerms against;                 // largest redundancy of each feature with another one of the selected
};

// Weka's best-first search, forward: a short list of open subsets, the best of which is expanded next.
BestFirstResult cfs_best_first(PairMeasure& measure, std::span<const double> relevance, const BestFirstOptions& options,
                               Interrupt& interrupt);

}  // namespace thresher
