// The same greedy selection on every replicate of the data, at little more than the cost of one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "measures/pair_measure.hpp"
#include "search/greedy.hpp"

namespace thresher {

enum class EnsembleStrategy {
  lazy,   // only terms that can still decide, best bounds first, in batches
  scan,   // only terms that can still decide, one by one: less work per term
  dense,  // every pair of the features selected by any replicate; fewest steps per pair
};

struct EnsembleOptions {
  std::size_t n_select = 10;  // kept features included
  ObjectiveKind objective = ObjectiveKind::difference;
  double weight = 1.0;
  double offset = 0.0;
  EnsembleStrategy strategy = EnsembleStrategy::lazy;
  std::span<const std::uint32_t> replicates;  // those to search, in this order; empty: all
  std::span<const std::uint8_t> candidates;   // one row of marks per replicate searched; empty: all features
  std::span<const std::uint32_t> kept;        // chosen first by every replicate
  std::size_t memory_limit = 0;               // bytes of pair values kept; 0: no limit
  bool always_share = false;                  // keep values even where the lazy search would compute them again faster
};

struct ReplicateSelection {
  std::vector<std::uint32_t> selected;
  std::vector<double> scores;
  std::vector<double> redundancy;
};

struct EnsembleResult {
  std::vector<ReplicateSelection> replicates;
  std::size_t n_evaluations = 0;  // distinct pairs requested by any replicate
  bool cache_full = false;        // values were computed again because memory ran out
};

// `relevance` has one row of n_features values per replicate searched. Each replicate's list is that of
// greedy_forward on it alone; a pair is computed once for all replicates, but for measures whose replicates are quicker
// to compute one by one (PairMeasure::replicate). What is selected and counted does not depend on it.
EnsembleResult greedy_ensemble(PairMeasure& measure, std::span<const double> relevance, const EnsembleOptions& options,
                               Interrupt& interrupt);

}  // namespace thresher
