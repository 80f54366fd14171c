// Greedy forward selection by relevance and redundancy (mRMR and its relatives).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/interrupt.hpp"
#include "search/pair_measure.hpp"
#include "search/search_result.hpp"

namespace thresher {

enum class ObjectiveKind { difference, sum, quotient };

// How the search is carried out; the answer is the same.
enum class Strategy {
  lazy,   // best bounds first, one term at a time
  scan,   // in order of relevance, each candidate as far as it can still win
  naive,  // every candidate at every step
};

struct GreedyOptions {
  std::size_t n_select = 10;  // kept features included
  ObjectiveKind objective = ObjectiveKind::difference;
  double weight = 1.0;  // of the redundancy, in a difference or a sum
  double offset = 0.0;  // added to the mean redundancy, in a quotient
  Strategy strategy = Strategy::lazy;
  Candidates candidates;
  Progress progress;
};

SearchResult greedy_forward(PairMeasure& measure, std::span<const double> relevance, const GreedyOptions& options,
                            Interrupt& interrupt);

}  // namespace thresher
