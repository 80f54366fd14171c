// Greedy forward selection by relevance and redundancy (mRMR and its relatives).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "search/lazy_search.hpp"
#include "search/pair_measure.hpp"

namespace thresher {

enum class ObjectiveKind { difference, sum, quotient };

// How the search is carried out; the answer is the same.
enum class Strategy {
  lazy,   // best bounds first, one term at a time
  scan,   // in order of relevance, each candidate as far as it can still win
  naive,  // every candidate at every step
};

// Called after each step from the thread that called the search.
using Progress = std::function<void(std::size_t n_selected, std::uint32_t feature, double score)>;

struct GreedyOptions {
  std::size_t n_select = 10;  // kept features included
  ObjectiveKind objective = ObjectiveKind::difference;
  double weight = 1.0;  // of the redundancy, in a difference or a sum
  double offset = 0.0;  // added to the mean redundancy, in a quotient
  Strategy strategy = Strategy::lazy;
  std::span<const std::uint8_t> candidates;  // one mark per feature; empty: all
  std::span<const std::uint32_t> kept;       // chosen first, in this order
  Progress progress;
};

struct GreedyResult {
  std::vector<std::uint32_t> selected;
  std::vector<double> scores;      // at the time of choice; of the first feature, its relevance
  std::vector<double> relevance;   // of each selected feature
  std::vector<double> redundancy;  // mean over the features selected before; 0 for the first
  std::size_t n_evaluations = 0;
  FeatureRecord record{0};
};

// Throws std::invalid_argument on sizes that disagree and on relevances that are negative or not finite.
GreedyResult greedy_forward(PairMeasure& measure, std::span<const double> relevance, const GreedyOptions& options,
                            Interrupt& interrupt);

// Checks shared by all searches; `kept` features must exist and differ.
void check_search_input(const PairMeasure& measure, std::span<const double> relevance,
                        std::span<const std::uint8_t> candidates, std::span<const std::uint32_t> kept);

// The candidates that are not kept, by decreasing relevance.
std::vector<std::uint32_t> open_candidates(std::span<const double> relevance, std::span<const std::uint8_t> candidates,
                                           std::span<const std::uint32_t> kept);

}  // namespace thresher
