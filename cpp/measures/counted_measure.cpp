#include "measures/counted_measure.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "measures/cell_values.hpp"

namespace thresher {

CountedMeasure::CountedMeasure(std::shared_ptr<CountSource> source, FeatureMargins margins, PartSets sets,
                               std::size_t round_size)
    : DeliveredMeasure(std::move(sets), round_size),
      source_(std::move(source)),
      margins_(std::move(margins)),
      xlogx_(margins_.n_rows) {
  if (margins_.n_parts % this->sets().n_parts() != 0) throw std::invalid_argument("margins and sets differ in parts");
  if (!margins_.incomplete.empty() && margins_.incomplete.size() != margins_.levels.size()) {
    throw std::invalid_argument("incomplete must have one mark per feature");
  }
  begin_ = {0};
  for (const std::uint32_t n_levels : margins_.levels) begin_.push_back(begin_.back() + n_levels * margins_.n_parts);
  if (margins_.counts.size() != begin_.back()) {
    throw std::invalid_argument("margins must have one count per feature, level and part: " +
                                std::to_string(begin_.back()) + ", got " + std::to_string(margins_.counts.size()));
  }
  if (std::ranges::any_of(margins_.counts, [](std::int64_t count) { return count < 0; })) {
    throw std::invalid_argument("margins must not be negative");
  }
}

bool CountedMeasure::is_incomplete(std::uint32_t feature, std::uint32_t reference) const {
  return !margins_.incomplete.empty() && (margins_.incomplete[feature] != 0 || margins_.incomplete[reference] != 0);
}

void CountedMeasure::fetch(const PairRequest& request, std::span<double* const> out) {
  const auto [references, features] = request;
  std::vector<std::size_t> begin = {0};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const bool incomplete = is_incomplete(features[i], references[i]);
    const std::size_t n_counts = n_counts_needed(levels(features[i]), levels(references[i]), incomplete);
    begin.push_back(begin.back() + n_counts * margins_.n_parts);
  }
  std::vector<std::int64_t> counts(begin.back());
  source_->count(request, counts);
  for (std::size_t i = 0; i < out.size(); ++i) {
    complete(features[i], references[i], counts.data() + begin[i]);
    store(features[i], references[i], cells_, out[i]);
  }
}

void CountedMeasure::complete(std::uint32_t feature, std::uint32_t reference, const std::int64_t* reported) {
  const std::size_t a_levels = levels(feature), b_levels = levels(reference);
  const std::size_t n_parts = margins_.n_parts;
  cells_.assign(a_levels * b_levels * n_parts, 0);
  if (is_incomplete(feature, reference)) {
    std::copy_n(reported, cells_.size(), cells_.begin());
  } else if (!cells_.empty()) {
    const std::int64_t* of_a = margins_.counts.data() + begin_[feature];
    const std::int64_t* of_b = margins_.counts.data() + begin_[reference];
    for (std::size_t part = 0; part < n_parts; ++part) {
      std::int64_t* cells = cells_.data() + part * a_levels * b_levels;
      for (std::size_t i = 0; i + 1 < a_levels; ++i) {
        std::int64_t rest = of_a[i * n_parts + part];
        for (std::size_t j = 0; j + 1 < b_levels; ++j) rest -= cells[i * b_levels + j] = *reported++;
        cells[i * b_levels + b_levels - 1] = rest;
      }
      for (std::size_t j = 0; j < b_levels; ++j) {
        std::int64_t rest = of_b[j * n_parts + part];
        for (std::size_t i = 0; i + 1 < a_levels; ++i) rest -= cells[i * b_levels + j];
        cells[(a_levels - 1) * b_levels + j] = rest;
      }
    }
  }
  if (std::ranges::any_of(cells_, [](std::int64_t count) { return count < 0; })) {
    throw std::invalid_argument("the counts delivered for features " + std::to_string(feature) + " and " +
                                std::to_string(reference) +
                                " are negative or do not fit the margins; every block of rows must be counted once");
  }
}

void CountedPairs::store(std::uint32_t feature, std::uint32_t, std::span<const std::int64_t> cells, double* out) {
  table_values<std::int64_t>(measure_, xlogx(), sets(), cells, levels(feature), out);
}

void CountedTriples::store(std::uint32_t feature, std::uint32_t reference, std::span<const std::int64_t> cells,
                           double* out) {
  const std::size_t n_pair_cells = levels(feature) * levels(reference);
  turned_.resize(cells.size());
  for (std::size_t part = 0; part < sets().n_parts(); ++part) {
    const std::int64_t* from = cells.data() + part * n_classes_ * n_pair_cells;
    std::int64_t* to = turned_.data() + part * n_classes_ * n_pair_cells;
    for (std::size_t c = 0; c < n_classes_; ++c) {
      for (std::size_t i = 0; i < n_pair_cells; ++i) to[i * n_classes_ + c] = from[c * n_pair_cells + i];
    }
  }
  triple_values<std::int64_t>(term_, xlogx(), sets(), {0, sets().n_replicates()}, turned_, levels(feature),
                              levels(reference), n_classes_, out);
}

}  // namespace thresher
