// The order in which a search visits its candidates.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace thresher {

// Returns the features marked in `candidates` (all, if it is empty) by decreasing relevance, ties by index. O(p).
// Relevances must not be negative.
std::vector<std::uint32_t> order_by_relevance(std::span<const double> relevance,
                                              std::span<const std::uint8_t> candidates);

// Is (key, relevance, feature) a better choice than the other? Larger keys first, then the lower feature; candidates
// at +inf (a ratio with a zero below) are ordered by relevance before the feature decides.
inline bool is_better(double key, double relevance, std::int64_t feature, double other_key, double other_relevance,
                      std::int64_t other_feature) {
  if (key != other_key) return key > other_key;
  if (key > 1.7976931348623157e308 && relevance != other_relevance) return relevance > other_relevance;
  return feature < other_feature;
}

}  // namespace thresher
