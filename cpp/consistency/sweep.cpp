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
  labels_ = refinement.separation;
  std::sort(labels_.begin(), labels_.end());
  labels_.erase(std::unique(labels_.begin(), labels_.end()), labels_.end());
  maxima_.emplace_back(refinement.separation.size());
  for (std::size_t i = 0; i < refinement.separation.size(); ++i) {
    const auto place = std::lower_bound(labels_.begin(), labels_.end(), refinement.separation[i]);
    maxima_[0][i] = static_cast<std::uint32_t>(place - labels_.begin());
  }
  for (std::size_t width = 1; 2 * width <= refinement.separation.size(); width *= 2) {
    const std::vector<std::uint32_t>& half = maxima_.back();
    std::vector<std::uint32_t> level(half.size() - width);
    for (std::size_t i = 0; i < level.size(); ++i) level[i] = std::max(half[i], half[i + width]);
    maxima_.push_back(std::move(level));
  }
}

std::uint32_t Sweep::largest_between(std::uint32_t left, std::uint32_t right) const {
  const std::size_t k = static_cast<std::size_t>(std::bit_width(right - left)) - 1;
  return std::max(maxima_[k][left], maxima_[k][right - (std::size_t{1} << k)]);
}

// Neighbours of each group; those that a kept feature separates never meet.
void Sweep::collect_edges() {
  edges_.clear();
  const bool some_never = !labels_.empty() && labels_.back() == static_cast<std::int32_t>(order_.size());
  const auto never = static_cast<std::uint32_t>(labels_.size() - (some_never ? 1 : 0));
  std::uint32_t begin = 0;
  for (const std::uint32_t end : ends_) {
    for (std::uint32_t i = begin + 1; i < end; ++i) {
      const std::uint32_t level = largest_between(members_[i - 1], members_[i]);
      if (level < never) edges_.push_back({members_[i - 1], members_[i], level});
    }
    begin = end;
  }
}

void Sweep::sort_edges() {
  next_.assign(labels_.size() + 1, 0);
  for (const Edge& edge : edges_) ++next_[edge.level + 1];
  std::partial_sum(next_.begin(), next_.end(), next_.begin());
  sorted_.resize(edges_.size());
  for (const Edge& edge : edges_) sorted_[next_[edge.level]++] = edge;
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
  const auto value = [&](std::uint32_t member) { return column[refinement_.rows[member]]; };
  std::vector<std::uint32_t> ends;
  std::array<std::uint32_t, 256> next{};
  std::uint32_t begin = 0;
  for (const std::uint32_t end : ends_) {
    std::uint8_t highest = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      ++next[value(members_[i])];
      highest = std::max(highest, value(members_[i]));
    }
    std::uint32_t position = begin;
    for (std::size_t v = 0; v <= highest; ++v) {
      if (next[v] == 0) continue;
      const std::uint32_t size = next[v];
      next[v] = position;
      position += size;
      ends.push_back(position);
    }
    for (std::uint32_t i = begin; i < end; ++i) buffer_[next[value(members_[i])]++] = members_[i];
    std::fill_n(next.begin(), highest + std::size_t{1}, 0U);
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
    while (i < sorted_.size() && labels_[sorted_[i].level] < start) merge(sorted_[i++]);
    std::int32_t found = n;
    while (i < sorted_.size() && found == n) {
      const std::uint32_t level = sorted_[i].level;
      const double before = cost_.risk(cost_sum_);
      while (i < sorted_.size() && sorted_[i].level == level) merge(sorted_[i++]);
      const double risk = cost_.risk(cost_sum_);
      if (!cost_.at_most(rule == SweepRule::total ? risk : risk - before, bound)) found = labels_[level];
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
