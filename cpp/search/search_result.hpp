// What every search takes and hands back.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "search/pair_measure.hpp"

namespace thresher {

// What a search has seen of each feature.
struct FeatureRecord {
  std::vector<std::uint32_t> depth;   // terms met
  std::vector<double> total;          // their sum (or smallest)
  std::vector<double> extreme;        // the term that speaks most against the feature
  std::vector<std::int64_t> partner;  // the selected feature of that term, -1 if none was met

  explicit FeatureRecord(std::size_t n_features = 0, double empty = 0.0)
      : depth(n_features, 0), total(n_features, empty), extreme(n_features, 0.0), partner(n_features, -1) {}

  // The feature meets a selected one; terms are summed and the largest is the extreme one.
  void add(std::uint32_t feature, std::uint32_t selected, double term) {
    if (partner[feature] < 0 || term > extreme[feature]) {
      extreme[feature] = term;
      partner[feature] = selected;
    }
    total[feature] += term;
    ++depth[feature];
  }
};

struct SearchResult {
  std::vector<std::uint32_t> selected;
  std::vector<double> scores;      // at the time of choice; of the first feature, its relevance
  std::vector<double> relevance;   // of each selected feature
  std::vector<double> redundancy;  // mean over the features selected before; 0 for the first
  std::size_t n_evaluations = 0;   // values asked of the measure
  FeatureRecord record;
};

// Which features a search may take, and which it takes first.
struct Candidates {
  std::span<const std::uint8_t> mask;   // one mark per feature; empty: all
  std::span<const std::uint32_t> kept;  // chosen first, in this order; they count toward the number to select
};

// Called after each step from the thread that called the search.
using Progress = std::function<void(std::size_t n_selected, std::uint32_t feature, double score)>;

// Throws std::invalid_argument on sizes that disagree, on relevances that are negative or not finite, and on kept
// features that do not exist or are named twice.
void check_search_input(const PairMeasure& measure, std::span<const double> relevance, const Candidates& candidates);
void check_relevance(std::size_t n_features, std::span<const double> relevance, const Candidates& candidates);

// The candidates that are not kept, by decreasing relevance.
std::vector<std::uint32_t> open_candidates(std::span<const double> relevance, const Candidates& candidates);

// Adds the terms of `features` with the selected feature `reference` to the record.
void add_column(PairMeasure& measure, std::uint32_t reference, std::span<const std::uint32_t> features,
                FeatureRecord& record, std::vector<double>& terms);

}  // namespace thresher
