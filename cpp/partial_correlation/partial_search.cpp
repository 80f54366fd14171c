#include "partial_correlation/partial_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thresher {

Field::Field(std::size_t n_features, const Candidates& candidates) {
  std::vector<std::uint8_t> is_kept(n_features);
  for (const std::uint32_t feature : candidates.kept) is_kept[feature] = 1;
  for (std::uint32_t feature = 0; feature < n_features; ++feature) {
    const bool is_candidate = candidates.mask.empty() || candidates.mask[feature] != 0;
    if (!is_candidate && !is_kept[feature]) continue;
    features_.push_back(feature);
    open_.push_back(!is_kept[feature]);
  }
  selected_.resize(features_.size());
}

std::size_t Field::position(std::uint32_t feature) const {
  return static_cast<std::size_t>(std::lower_bound(features_.begin(), features_.end(), feature) - features_.begin());
}

std::optional<std::size_t> Field::best(std::span<const double> score, std::span<const std::uint8_t> blocked) const {
  const auto takes_part = [&](std::size_t i) { return open_[i] && (blocked.empty() || !blocked[i]); };
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < score.size(); ++i) {
    if (takes_part(i)) best = std::max(best, score[i]);
  }
  const double least = best - 1e-10 * std::max(1.0, std::abs(best));
  for (std::size_t i = 0; i < score.size(); ++i) {
    if (takes_part(i) && score[i] >= least) return i;
  }
  return std::nullopt;
}

Step PartialCriterion::keep(std::span<const std::uint32_t> selected, std::span<const std::uint32_t> kept,
                            Interrupt& interrupt) {
  if (!selected.empty()) follow(selected, interrupt);
  return take(field_.position(kept.front()));
}

std::optional<Step> PartialCriterion::next(std::span<const std::uint32_t> selected, Interrupt& interrupt) {
  if (!selected.empty()) follow(selected, interrupt);
  const auto position = best();
  if (!position) return std::nullopt;
  return take(*position);
}

SearchResult PartialCriterion::seen() const {
  SearchResult result;
  result.n_evaluations = n_evaluations_;
  result.partials = series_;
  return result;
}

Step PartialCriterion::take(std::size_t position) {
  field_.select(position);
  return step(position);
}

std::vector<Correlation> marginal_correlations(const CentredColumns& columns, std::span<const double> target,
                                               std::span<const std::uint32_t> features, Interrupt& interrupt) {
  std::vector<Correlation> marginal(features.size());
  if (target.size() != columns.n_rows()) {
    Partials(columns, target, features, interrupt).correlations(marginal, interrupt);
    return marginal;
  }
  std::vector<double> column(target.begin(), target.end());
  columns.prepare(column.data());
  double square = 0.0;
  for (const double value : column) square += value * value;
  std::vector<double> values(features.size());
  columns.correlate(features, column.data(), square, values, interrupt);
  for (std::size_t i = 0; i < features.size(); ++i) marginal[i] = {values[i], 1.0 - values[i] * values[i]};
  return marginal;
}

}  // namespace thresher
