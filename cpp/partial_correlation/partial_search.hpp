// Common parts of the forward searches by partial correlation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "partial_correlation/centred_columns.hpp"
#include "partial_correlation/partials.hpp"
#include "search/forward.hpp"
#include "search/search_result.hpp"

namespace thresher {

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

  // Returns the lowest position of a candidate whose score is within 1e-10 max(1, |best|) of the best; those marked in
  // `blocked` (none, if it is empty) do not take part.
  std::optional<std::size_t> best(std::span<const double> score, std::span<const std::uint8_t> blocked) const;

 private:
  std::vector<std::uint32_t> features_;
  std::vector<std::uint8_t> open_;      // candidates not yet selected
  std::vector<std::uint8_t> selected_;  // kept features are neither, until their turn
};

// A forward search by partial correlations, on the features in play.
class PartialCriterion : public Criterion {
 public:
  Step keep(std::span<const std::uint32_t> selected, std::span<const std::uint32_t> kept, Interrupt& interrupt) final;
  std::optional<Step> next(std::span<const std::uint32_t> selected, Interrupt& interrupt) final;
  SearchResult seen() const override;

 protected:
  PartialCriterion(std::size_t n_features, const Candidates& candidates)
      : field_(n_features, candidates), score_(field_.size()), collinear_(field_.size()), series_(n_features) {}

  // Brings all scores up to date with the feature selected last.
  virtual void follow(std::span<const std::uint32_t> selected, Interrupt& interrupt) = 0;
  // Returns the position of the best candidate; none: stop.
  virtual std::optional<std::size_t> best() const = 0;
  // Returns the step of the feature at a position.
  virtual Step step(std::size_t position) = 0;

  Field field_;
  // By position.
  std::vector<double> score_;
  std::vector<std::uint8_t> collinear_;
  PartialSeries series_;
  std::size_t n_evaluations_ = 0;

 private:
  Step take(std::size_t position);
};

// Correlation of each feature with the target before anything is selected.
//
// `target`: one or several columns. One column: straight from the products, so that equal rank products give equal
// values.
std::vector<Correlation> marginal_correlations(const CentredColumns& columns, std::span<const double> target,
                                               std::span<const std::uint32_t> features, Interrupt& interrupt);

}  // namespace thresher
