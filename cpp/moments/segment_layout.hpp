// Which rows take part, in which order, with which weight; and sums over the rows of each replicate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/part_sets.hpp"

namespace thresher {

// Rows sorted by part, those of weight 0 left out. Segment s contains the rows of part s; without parts there is one
// segment and one replicate, all rows.
class SegmentLayout {
 public:
  SegmentLayout(std::size_t n_rows, std::span<const std::int32_t> parts, PartSets sets,
                std::span<const double> weights);

  // Rows in use.
  std::size_t n_rows() const { return segments_.back(); }
  std::size_t n_segments() const { return segments_.size() - 1; }
  std::size_t n_replicates() const { return sets_.n_replicates(); }
  const PartSets& sets() const { return sets_; }
  bool has_parts() const { return has_parts_; }
  // Returns whether there is one segment and one replicate, which keeps it.
  bool is_whole() const { return n_segments() == 1 && n_replicates() == 1 && sets_.keeps(0, 0); }
  std::span<const std::size_t> segments() const { return segments_; }
  std::size_t longest_segment() const {
    std::size_t longest = 0;
    for (std::size_t s = 0; s < n_segments(); ++s) longest = std::max(longest, segments_[s + 1] - segments_[s]);
    return longest;
  }

  // Null if all weights are one.
  const double* weights() const { return weights_.empty() ? nullptr : weights_.data(); }
  // Sums of weights are then exact.
  bool has_whole_weights() const { return has_whole_weights_; }
  // Original row of each row in use; empty if nothing moved.
  std::span<const std::uint32_t> order() const { return order_; }

  // Rows (sum of weights) kept by each replicate.
  std::span<const double> kept_rows() const { return kept_rows_; }

  // values[order], in the layout's order.
  template <class T>
  std::vector<T> arrange(std::span<const T> values) const {
    if (order_.empty()) return std::vector<T>(values.begin(), values.end());
    std::vector<T> out(order_.size());
    for (std::size_t i = 0; i < out.size(); ++i) out[i] = values[order_[i]];
    return out;
  }

 private:
  bool has_parts_;
  PartSets sets_;
  std::vector<std::size_t> segments_;
  std::vector<std::uint32_t> order_;
  std::vector<double> weights_;
  bool has_whole_weights_ = true;
  std::vector<double> kept_rows_;
};

}  // namespace thresher
