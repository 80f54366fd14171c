#include "moments/segment_layout.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/double_double.hpp"

namespace thresher {

SegmentLayout::SegmentLayout(std::size_t n_rows, std::span<const std::int32_t> parts, PartSets sets,
                             std::span<const double> weights)
    : has_parts_(!parts.empty()), sets_(std::move(sets)) {
  if (n_rows > std::numeric_limits<std::uint32_t>::max()) throw std::invalid_argument("more than 2^32 rows");
  if (!parts.empty() && parts.size() != n_rows) throw std::invalid_argument("parts must have one entry per row");
  if (!weights.empty() && weights.size() != n_rows) throw std::invalid_argument("weights must have one entry per row");
  const std::size_t n_parts = sets_.n_parts();
  for (const std::int32_t part : parts) {
    if (part < 0 || static_cast<std::size_t>(part) >= n_parts)
      throw std::invalid_argument("parts: number out of range");
  }
  for (const double weight : weights) {
    if (!(weight >= 0.0)) throw std::invalid_argument("weights must not be negative");
  }
  const auto part_of = [&](std::size_t row) { return parts.empty() ? 0 : static_cast<std::size_t>(parts[row]); };
  const auto used = [&](std::size_t row) { return weights.empty() || weights[row] > 0.0; };

  segments_.assign(n_parts + 1, 0);
  for (std::size_t row = 0; row < n_rows; ++row) {
    if (used(row)) ++segments_[part_of(row) + 1];
  }
  for (std::size_t s = 0; s < n_parts; ++s) segments_[s + 1] += segments_[s];
  if (segments_.back() == 0) throw std::invalid_argument("no row has a weight above 0");

  if (!std::is_sorted(parts.begin(), parts.end()) || segments_.back() != n_rows) {
    order_.resize(segments_.back());
    std::vector<std::size_t> next(segments_.begin(), segments_.end() - 1);
    for (std::size_t row = 0; row < n_rows; ++row) {
      if (used(row)) order_[next[part_of(row)]++] = static_cast<std::uint32_t>(row);
    }
  }
  const bool all_ones = std::all_of(weights.begin(), weights.end(), [](double w) { return w == 1.0 || w == 0.0; });
  if (!all_ones) weights_ = arrange(weights);
  has_whole_weights_ = std::all_of(weights_.begin(), weights_.end(), [](double w) { return w == std::floor(w); });

  std::vector<double> rows(n_parts, 0.0);
  for (std::size_t s = 0; s < n_parts; ++s) {
    if (weights_.empty()) {
      rows[s] = static_cast<double>(segments_[s + 1] - segments_[s]);
    } else {
      DoubleDouble sum;
      for (std::size_t i = segments_[s]; i < segments_[s + 1]; ++i) sum = sum + weights_[i];
      rows[s] = sum.hi;
    }
  }
  kept_rows_.resize(n_replicates());
  sets_.sum(rows.data(), kept_rows_.data());
}

}  // namespace thresher
