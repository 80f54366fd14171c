// What the forward searches by partial correlation share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "partial_correlation/centred_columns.hpp"
#include "partial_correlation/partials.hpp"
#include "search/search_result.hpp"

namespace thresher {

struct PartialResult : SearchResult {
  std::vector<double> complementarity;  // one entry per step; none without complementarity

  // One entry per feature; nan for those not in play.
  std::vector<double> feature_relevance;
  std::vector<double> feature_redundancy;  // mean over the selected features met; nan if none was
  std::vector<double> feature_score;       // when last looked at
  std::vector<std::uint8_t> collinear;     // with the selected ones

  // Number of features selected when the target was found to be used up; none if it never was.
  std::optional<std::size_t> exhausted_at;

  explicit PartialResult(std::size_t n_features = 0);
};

// The features in play, kept ones and candidates, each at a position by increasing index.
class Field {
 public:
  // All features that are not marked as candidates or kept are left out.
  Field(std::size_t n_features, const Candidates& candidates);

  std::size_t size() const { return features_.size(); }
  std::span<const std::uint32_t> features() const { return features_; }
  std::size_t position(std::uint32_t feature) const;

  bool is_selected(std::size_t position) const { return selected_[position] != 0; }
  void select(std::size_t position) { open_[position] = 0, selected_[position] = 1; }

  // The lowest position of a candidate whose score is within 1e-10 max(1, |best|) of the best; those marked in
  // `blocked` (none, if it is empty) do not take part.
  std::optional<std::size_t> best(std::span<const double> score, std::span<const std::uint8_t> blocked) const;

 private:
  std::vector<std::uint32_t> features_;
  std::vector<std::uint8_t> open_;      // candidates not yet selected
  std::vector<std::uint8_t> selected_;  // kept features are neither, until their turn
};

// Correlation of each feature with the target before anything is selected.
//
// `target`: one or several columns. One column: straight from the products, so that equal rank products give equal
// values.
std::vector<Correlation> marginal_correlations(const CentredColumns& columns, std::span<const double> target,
                                               std::span<const std::uint32_t> features, Interrupt& interrupt);

}  // namespace thresher
