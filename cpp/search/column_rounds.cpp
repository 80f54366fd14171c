#include "search/column_rounds.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace thresher {

std::size_t ColumnRounds::n_references(std::size_t n_features) const {
  const std::size_t n_by_size = n_features == 0 ? 0 : (measure_.hints().round_size + n_features - 1) / n_features;
  return std::max(kReferences, n_by_size);
}

void ColumnRounds::request(std::span<const std::uint32_t> references, std::span<const std::uint32_t> features) {
  struct ColumnRequest {
    std::uint32_t reference;
    std::vector<std::uint32_t> features;
    std::vector<double> terms;
  };
  std::vector<ColumnRequest> wanted;
  for (const std::uint32_t reference : references) {
    if (knows(reference)) continue;
    columns_.emplace(reference, std::vector<double>(measure_.n_features(), std::numeric_limits<double>::quiet_NaN()));
    const auto is_requested = [&](std::uint32_t f) {
      return std::ranges::count(wanted, f, &ColumnRequest::reference) > 0;
    };
    ColumnRequest missing;
    missing.reference = reference;
    for (const std::uint32_t f : features) {
      if (f == reference) continue;
      // The other column contains it, or has just requested it.
      const auto other = measure_.is_symmetric() ? columns_.find(f) : columns_.end();
      const bool is_known = other != columns_.end() && (!std::isnan(other->second[reference]) || is_requested(f));
      if (!is_known) missing.features.push_back(f);
    }
    missing.terms.resize(missing.features.size());
    n_evaluations_ += missing.features.size();
    wanted.push_back(std::move(missing));
  }
  std::vector<TermRequest> requests;
  for (ColumnRequest& missing : wanted) {
    requests.push_back({{&missing.reference, 1}, missing.features, missing.terms});
  }
  if (requests.empty()) return;
  measure_.fill(requests);
  for (const ColumnRequest& missing : wanted) {
    auto& column = columns_.find(missing.reference)->second;
    for (std::size_t i = 0; i < missing.features.size(); ++i) column[missing.features[i]] = missing.terms[i];
  }
}

void ColumnRounds::take(std::uint32_t reference, std::span<const std::uint32_t> features, std::vector<double>& terms) {
  terms.resize(features.size());
  const std::vector<double> column = std::move(columns_.at(reference));
  for (std::size_t i = 0; i < features.size(); ++i) {
    const double term = column[features[i]];
    terms[i] = std::isnan(term) ? columns_.at(features[i])[reference] : term;
  }
  columns_.erase(reference);
}

}  // namespace thresher
