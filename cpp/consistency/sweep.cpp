#include "consistency/sweep.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

namespace thresher::consistency {

Sweep::Sweep(const CodedRows& rows, const GroupCost& cost, const Refinement& refinement,
             std::span<const std::uint32_t> order)
    : data_(rows), cost_(cost), refinement_(refinement), order_(order) {
  const std::size_t n_rows = refinement.rows.size();
  members_.resize(n_rows);
  buffer_.resize(n_rows);
  parent_.resize(n_rows);
  costs_.resize(n_rows);
  class_weights_.resize(n_rows * rows.n_classes);
  maxima_.push_back(refinement.separation);
  for (std::size_t width = 1; 2 * width <= refinement.separation.size(); width *= 2) {
    const std::vector<std::int32_t>& half = maxima_.back();
    std::vector<std::int32_t> level(half.size() - width);
    for (std::size_t i = 0; i < level.size(); ++i) level[i] = std::max(half[i], half[i + width]);
    maxima_.push_back(std::move(level));
  }
  labels_ = refinement.separation;
  std::sort(labels_.begin(), labels_.end());
  labels_.erase(std::unique(labels_.begin(), labels_.end()), labels_.end());
}

std::int32_t Sweep::largest_between(std::uint32_t left, std::uint32_t right) const {
  const std::size_t k = static_cast<std::size_t>(std::bit_width(right - left)) - 1;
  return std::max(maxima_[k][left], maxima_[k][right - (std::size_t{1} << k)]);
}

// Neighbours of each group; those that a kept feature separates never meet.
void Sweep::collect_edges() {
  edges_.clear();
  const auto never = static_cast<std::int32_t>(order_.size());
  std::uint32_t begin = 0;
  for (const std::uint32_t end : ends_) {
    for (std::uint32_t i = begin + 1; i < end; ++i) {
      const std::int32_t label = largest_between(members_[i - 1], members_[i]);
      if (label < never) edges_.push_back({members_[i - 1], members_[i], label});
    }
    begin = end;
  }
}

void Sweep::sort_edges() {
  std::vector<std::uint32_t> next(labels_.size() + 1, 0);
  const auto bucket = [this](std::int32_t label) {
    return static_cast<std::size_t>(std::lower_bound(labels_.begin(), labels_.end(), label) - labels_.begin());
  };
  for (const Edge& edge : edges_) ++next[bucket(edge.label) + 1];
  std::partial_sum(next.begin(), next.end(), next.begin());
  sorted_.resize(edges_.size());
  for (const Edge& edge : edges_) sorted_[next[bucket(edge.label)]++] = edge;
}

void Sweep::reset_merges() {
  std::iota(parent_.begin(), parent_.end(), std::uint32_t{0});
  std::fill(costs_.begin(), costs_.end(), 0.0);
  std::fill(class_weights_.begin(), class_weights_.end(), 0.0);
  for (std::size_t i = 0; i < parent_.size(); ++i) {
    const std::size_t row = refinement_.rows[i];
    class_weights_[i * data_.n_classes + static_cast<std::size_t>(data_.classes[row])] = data_.weight(row);
  }
  cost_sum_ = 0.0;
}

std::uint32_t Sweep::root(std::uint32_t position) {
  while (parent_[position] != position) {
    parent_[position] = parent_[parent_[position]];
    position = parent_[position];
  }
  return position;
}

void Sweep::merge(const Edge& edge) {
  const std::uint32_t into = root(edge.left);
  const std::uint32_t from = root(edge.right);
  parent_[from] = into;
  double* target = class_weights_.data() + into * data_.n_classes;
  const double* source = class_weights_.data() + from * data_.n_classes;
  for (std::size_t c = 0; c < data_.n_classes; ++c) target[c] += source[c];
  cost_sum_ -= costs_[into] + costs_[from];
  costs_[into] = cost_(target);
  cost_sum_ += costs_[into];
}

void Sweep::split_groups(std::size_t feature) {
  const std::uint8_t* column = data_.column(feature);
  std::vector<std::uint32_t> ends;
  std::uint32_t begin = 0;
  for (const std::uint32_t end : ends_) {
    std::array<std::uint32_t, 256> next{};
    for (std::uint32_t i = begin; i < end; ++i) ++next[column[refinement_.rows[members_[i]]]];
    std::uint32_t position = begin;
    for (std::uint32_t& count : next) {
      if (count == 0) continue;
      const std::uint32_t size = count;
      count = position;
      position += size;
      ends.push_back(position);
    }
    for (std::uint32_t i = begin; i < end; ++i) buffer_[next[column[refinement_.rows[members_[i]]]]++] = members_[i];
    begin = end;
  }
  members_.swap(buffer_);
  ends_.swap(ends);
}

SweepResult Sweep::run(SweepRule rule, double bound, Interrupt& interrupt) {
  std::iota(members_.begin(), members_.end(), std::uint32_t{0});
  ends_.assign(1, static_cast<std::uint32_t>(members_.size()));
  SweepResult result;
  const auto n = static_cast<std::int32_t>(order_.size());
  std::int32_t start = 0;  // order_[0..start) is decided
  while (true) {
    interrupt.check();
    collect_edges();
    sort_edges();
    reset_merges();
    std::size_t i = 0;
    while (i < sorted_.size() && sorted_[i].label < start) merge(sorted_[i++]);
    std::int32_t found = n;
    while (i < sorted_.size() && found == n) {
      const std::int32_t label = sorted_[i].label;
      const double before = cost_.risk(cost_sum_);
      while (i < sorted_.size() && sorted_[i].label == label) merge(sorted_[i++]);
      const double risk = cost_.risk(cost_sum_);
      if (!cost_.at_most(rule == SweepRule::total ? risk : risk - before, bound)) found = label;
    }
    // Positions are counted from 1 in the search over start + 1 .. n + 1; none is needed once all are decided.
    if (start < n) {
      result.n_probes += count_probes(static_cast<std::size_t>(start) + 1, static_cast<std::size_t>(n) + 1,
                                      static_cast<std::size_t>(found) + 1);
    }
    if (found == n) break;
    result.kept.push_back(static_cast<std::uint32_t>(found));
    split_groups(order_[static_cast<std::size_t>(found)]);
    start = found + 1;
  }
  result.risk = cost_.risk(cost_sum_);
  return result;
}

}  // namespace thresher::consistency
