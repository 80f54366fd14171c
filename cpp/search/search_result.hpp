// Input and results of all searches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/memory.hpp"
#include "measures/pair_measure.hpp"
#include "search/objective.hpp"

namespace thresher {

// The strongest term against each feature, among those that a search computed.
struct ExtremeTerms {
  LargeVector<double> extreme;
  LargeVector<std::int64_t> partner;  // the selected feature of that term, -1 if there is none

  explicit ExtremeTerms(std::size_t n_features = 0) : extreme(n_features, 0.0), partner(n_features, -1) {}
};

// The terms of each feature that a search computed.
struct FeatureRecord : ExtremeTerms {
  LargeVector<std::uint32_t> depth;  // number of terms
  LargeVector<double> total;         // their sum (or smallest)

  explicit FeatureRecord(std::size_t n_features = 0, double empty = 0.0)
      : ExtremeTerms(n_features), depth(n_features, 0), total(n_features, empty) {}

  // Adds the term of a feature with a selected one.
  template <class Terms>
  void add(std::uint32_t feature, std::uint32_t selected, double term) {
    if (partner[feature] < 0 || Terms::more_extreme(term, extreme[feature])) {
      extreme[feature] = term;
      partner[feature] = selected;
    }
    total[feature] = Terms::add(total[feature], term);
    ++depth[feature];
  }

  // Adds the terms of features with a selected one.
  template <class Terms>
  void add_all(std::span<const std::uint32_t> features, std::uint32_t selected, std::span<const double> terms) {
    for (std::size_t i = 0; i < features.size(); ++i) add<Terms>(features[i], selected, terms[i]);
  }

  // Removes the terms of a feature; the extreme term stays.
  void forget(std::uint32_t feature, double empty) {
    depth[feature] = 0;
    total[feature] = empty;
  }
};

// A feature taken, and the numbers reported for it.
struct Step {
  std::uint32_t feature = 0;
  double score = 0.0;
  double relevance = 0.0;
  double redundancy = 0.0;
};

// The steps of a search, one entry each.
struct Steps {
  std::vector<std::uint32_t> selected;
  std::vector<double> scores;  // at the time of choice; of the first feature, its relevance
  std::vector<double> relevance;
  std::vector<double> redundancy;  // mean over the features selected before; 0 for the first

  void append(const Step& step);
};

// Further results of the searches by partial correlation.
struct PartialSeries {
  std::vector<double> complementarity;  // one entry per step; none without complementarity

  // One entry per feature; nan for those that are not candidates.
  std::vector<double> relevance;
  std::vector<double> mean_redundancy;  // over the selected features compared; nan without any
  std::vector<double> last_score;       // when last evaluated
  std::vector<std::uint8_t> collinear;  // with the selected ones

  // Number of features selected when the target was found to be used up; none if it never was.
  std::optional<std::size_t> exhausted_at;

  explicit PartialSeries(std::size_t n_features = 0);
};

// Further results of the walk by conditional mutual information.
struct WalkSeries {
  // One entry per selected feature: the entropy of the class that remains after it, H(C|S) (bits; the mean over
  // replicates), and the number of blocks into which the selected features split the rows that any replicate counts.
  std::vector<double> unknown;
  std::vector<std::uint32_t> n_blocks;

  // One entry per feature of the list that was compared with its successor, in order: both values (bits).
  std::vector<std::uint32_t> examined;
  std::vector<double> value;
  std::vector<double> successor_value;

  std::size_t n_walked = 0;  // features of the list examined
};

// The result of a forward search.
struct SearchResult : Steps {
  std::size_t n_evaluations = 0;  // values computed for it
  ExtremeTerms against;           // of searches by terms of pairs; empty otherwise
  std::optional<PartialSeries> partials;
  std::optional<WalkSeries> walk;
};

// The features a search may take, and those it takes first.
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
void check_candidates(std::size_t n_features, const Candidates& candidates);

// Returns the candidates that are not kept, by decreasing relevance.
std::vector<std::uint32_t> open_candidates(std::span<const double> relevance, const Candidates& candidates);

// Adds the terms of `features` with the selected feature `reference` to the record; leaves them in `terms`.
template <class Terms = SummedTerms>
void add_column(PairMeasure& measure, std::uint32_t reference, std::span<const std::uint32_t> features,
                FeatureRecord& record, std::vector<double>& terms) {
  terms.resize(features.size());
  measure.values(reference, features, terms);
  record.add_all<Terms>(features, reference, terms);
}

}  // namespace thresher
