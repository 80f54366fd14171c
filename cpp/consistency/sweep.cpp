#include "consistency/sweep.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace thresher::consistency {

Sweep::Sweep(const CodedRows& rows, const GroupCost& cost, const Refinement& refinement,
             std::span<const std::uint32_t> order)
    : data_(rows), cost_(cost), refinement_(refinement), order_(order) {
  const std::size_t n = refinement.rows.size();
  std::vector<std::uint32_t> gap_of(order_.size() + 2, 0);  // by label + 1, since Blocks::kTogether is -1
  for (const std::int32_t label : refinement.separation) gap_of[static_cast<std::size_t>(label + 1)] = 1;
  for (std::size_t label = 0; label < gap_of.size(); ++label) {
    if (gap_of[label] == 0) continue;
    gap_of[label] = static_cast<std::uint32_t>(labels_.size());
    labels_.push_back(static_cast<std::int32_t>(label) - 1);
  }
  // Rows that a kept feature separates never merge.
  const bool some_never = !labels_.empty() && labels_.back() == static_cast<std::int32_t>(order_.size());
  n_levels_ = static_cast<std::uint32_t>(labels_.size() - (some_never ? 1 : 0));
  all_.resize(n);
  classes_.resize(n);
  for (std::uint32_t i = 0; i < n; ++i) {
    all_[i] = {i, i == 0 ? kFirst : gap_of[static_cast<std::size_t>(refinement.separation[i - 1] + 1)]};
    classes_[i] = static_cast<std::uint32_t>(rows.classes[refinement.rows[i]]);
  }
  last_of_run_.resize(n);
  first_of_run_.resize(n);
  costs_.resize(n);
  class_weights_.resize(n * rows.n_classes);
  buffer_.resize(n);
  values_.resize(n);
}

void Sweep::sort_gaps() {
  first_of_.assign(n_levels_ + 2, 0);
  for (const Member& member : members_) {
    if (member.gap < n_levels_) ++first_of_[member.gap + 2];
  }
  std::partial_sum(first_of_.begin(), first_of_.end(), first_of_.begin());
  closing_.resize(first_of_.back());
  for (std::uint32_t i = 0; i < members_.size(); ++i) {
    if (members_[i].gap < n_levels_) closing_[first_of_[members_[i].gap + 1]++] = i;
  }
}

void Sweep::reset_merges() {
  const std::size_t n = members_.size();
  std::iota(last_of_run_.begin(), last_of_run_.begin() + static_cast<std::ptrdiff_t>(n), std::uint32_t{0});
  std::iota(first_of_run_.begin(), first_of_run_.begin() + static_cast<std::ptrdiff_t>(n), std::uint32_t{0});
  std::fill_n(costs_.begin(), n, 0.0);
  std::fill_n(class_weights_.begin(), n * data_.n_classes, 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t position = members_[i].position;
    class_weights_[i * data_.n_classes + classes_[position]] = data_.weight(refinement_.rows[position]);
  }
  cost_sum_ = 0.0;
}

// Joins the run that begins at member `right` to the one before it.
void Sweep::merge(std::uint32_t right) {
  const std::uint32_t into = first_of_run_[right - 1];
  const std::uint32_t last = last_of_run_[right];
  last_of_run_[into] = last;
  first_of_run_[last] = into;
  double* target = class_weights_.data() + into * data_.n_classes;
  const double* source = class_weights_.data() + right * data_.n_classes;
  for (std::size_t c = 0; c < data_.n_classes; ++c) target[c] += source[c];
  cost_sum_ -= costs_[into] + costs_[right];
  costs_[into] = cost_(target);
  cost_sum_ += costs_[into];
}

// Appends buffer_[begin, end), a group, to members_ unless it is of one class.
void Sweep::keep_impure(std::size_t begin, std::size_t end) {
  const std::uint32_t label = classes_[buffer_[begin].position];
  std::size_t i = begin + 1;
  while (i < end && classes_[buffer_[i].position] == label) ++i;
  if (i >= end) return;
  members_.insert(members_.end(), buffer_.begin() + static_cast<std::ptrdiff_t>(begin),
                  buffer_.begin() + static_cast<std::ptrdiff_t>(end));
  ends_.push_back(static_cast<std::uint32_t>(members_.size()));
}

void Sweep::split_groups(std::size_t feature) {
  const std::uint8_t* column = data_.column(feature);
  for (std::size_t i = 0; i < members_.size(); ++i) values_[i] = column[refinement_.rows[members_[i].position]];
  std::array<std::uint32_t, 256> next{};
  std::array<std::uint32_t, 256> gap_since;  // the largest gap since the last member of each value
  new_ends_.clear();
  for (std::uint32_t begin = 0; const std::uint32_t end : ends_) {
    std::uint8_t highest = 0;
    for (std::uint32_t i = begin; i < end; ++i) {
      ++next[values_[i]];
      highest = std::max(highest, values_[i]);
    }
    std::uint32_t position = begin;
    for (std::size_t v = 0; v <= highest; ++v) {
      if (next[v] == 0) continue;
      position += std::exchange(next[v], position);
      new_ends_.push_back(position);
    }
    std::fill_n(gap_since.begin(), highest + std::size_t{1}, kFirst);
    for (std::uint32_t i = begin; i < end; ++i) {
      const Member member = members_[i];
      for (std::size_t v = 0; v <= highest; ++v) gap_since[v] = std::max(gap_since[v], member.gap);
      const std::uint8_t value = values_[i];
      buffer_[next[value]++] = {member.position, std::exchange(gap_since[value], 0U)};
    }
    std::fill_n(next.begin(), highest + std::size_t{1}, 0U);
    begin = end;
  }
  members_.clear();
  ends_.clear();
  for (std::size_t begin = 0; const std::uint32_t end : new_ends_) {
    keep_impure(begin, end);
    begin = end;
  }
}

SweepResult Sweep::run(SweepRule rule, double bound, Interrupt& interrupt) {
  members_ = all_;
  ends_.assign(1, static_cast<std::uint32_t>(members_.size()));
  SweepResult result;
  const auto n = static_cast<std::int32_t>(order_.size());
  std::int32_t decided_up_to = 0;  // order_[0..decided_up_to) is decided
  while (true) {
    interrupt.check();
    sort_gaps();
    reset_merges();
    std::int32_t needed = n;
    for (std::uint32_t level = 0; level < n_levels_ && needed == n; ++level) {
      const double before = cost_.risk(cost_sum_);
      for (std::uint32_t i = first_of_[level]; i < first_of_[level + 1]; ++i) merge(closing_[i]);
      const double risk = cost_.risk(cost_sum_);
      const bool decided = labels_[level] < decided_up_to;
      if (!decided && !cost_.at_most(rule == SweepRule::total ? risk : risk - before, bound)) needed = labels_[level];
    }
    // Positions are counted from 1 in the search over decided_up_to + 1 .. n + 1; none is needed once all are decided.
    if (decided_up_to < n) {
      result.n_probes += count_probes(static_cast<std::size_t>(decided_up_to) + 1, static_cast<std::size_t>(n) + 1,
                                      static_cast<std::size_t>(needed) + 1);
    }
    if (needed == n) break;
    result.kept.push_back(static_cast<std::uint32_t>(needed));
    split_groups(order_[static_cast<std::size_t>(needed)]);
    decided_up_to = needed + 1;
  }
  result.risk = cost_.risk(cost_sum_);
  return result;
}

}  // namespace thresher::consistency
