#include "consistency/listed_leave_one_out.hpp"

#include <algorithm>
#include <numeric>

#include "core/interrupt.hpp"
#include "core/runs.hpp"

namespace thresher::consistency {
namespace {

constexpr std::uint32_t kUnused = static_cast<std::uint32_t>(-1);
constexpr auto sum_of_group = [](const auto& moved) { return moved.sum; };

// Returns a number without pattern from another one (the finaliser of splitmix64).
std::uint64_t scramble(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

ListedLeaveOneOut::Sum ListedLeaveOneOut::number_of(std::uint32_t member, std::uint8_t code) {
  constexpr std::uint64_t kStep = 0x9e3779b97f4a7c15ULL;
  const std::uint64_t index = 2 * (std::uint64_t{member} * 256 + code);
  return {scramble((index + 1) * kStep), scramble((index + 2) * kStep)};
}

ListedLeaveOneOut::ListedLeaveOneOut(const CodedRows& rows, const GroupCost& cost,
                                     std::span<const std::uint32_t> features)
    : rows_(rows),
      cost_(cost),
      features_(features.begin(), features.end()),
      group_(rows.n_rows, kUnused),
      merged_(rows.n_classes) {
  std::vector<Sum> sum_of(rows.n_rows);
  for (std::uint32_t member = 0; member < features_.size(); ++member) {
    if (member % 256 == 0) check_interrupt();
    for (const auto& [row, code] : rows.listed(features_[member])) {
      const Sum number = number_of(member, code);
      sum_of[row].a += number.a;
      sum_of[row].b += number.b;
    }
  }
  for (const std::uint32_t row : rows.used()) {
    const auto [entry, is_new] = by_sum_.try_emplace(sum_of[row], static_cast<std::uint32_t>(sums_.size()));
    group_[row] = entry->second;
    if (is_new) {
      sums_.push_back(sum_of[row]);
      class_weights_.resize(class_weights_.size() + rows.n_classes);
    }
    class_weights(entry->second)[static_cast<std::size_t>(rows.classes[row])] += rows.weight(row);
  }
  joined_.resize(sums_.size());
  std::iota(joined_.begin(), joined_.end(), std::uint32_t{0});
  seen_.resize(sums_.size());
  for (std::uint32_t group = 0; group < sums_.size(); ++group) {
    costs_.push_back(cost_(class_weights(group)));
    cost_sum_ += costs_.back();
  }
}

std::uint32_t ListedLeaveOneOut::group_of(std::uint32_t row) {
  std::uint32_t& group = group_[row];
  while (joined_[group] != group) group = joined_[group] = joined_[joined_[group]];
  return group;
}

void ListedLeaveOneOut::add_weights(std::uint32_t group, double* weights) {
  const double* own = class_weights(group);
  for (std::size_t c = 0; c < rows_.n_classes; ++c) weights[c] += own[c];
}

void ListedLeaveOneOut::move_without(std::uint32_t member) {
  moved_.clear();
  ++request_;
  for (const auto& [row, code] : rows_.listed(features_[member])) {
    if (group_[row] == kUnused) continue;
    const std::uint32_t group = group_of(row);
    if (seen_[group] == request_) continue;
    seen_[group] = request_;
    const Sum number = number_of(member, code);
    moved_.push_back({{sums_[group].a - number.a, sums_[group].b - number.b}, group});
  }
  const std::size_t n_moved = moved_.size();
  for (std::size_t i = 0; i < n_moved; ++i) {
    const auto found = by_sum_.find(moved_[i].sum);
    if (found == by_sum_.end() || seen_[found->second] == request_) continue;
    seen_[found->second] = request_;
    moved_.push_back({moved_[i].sum, found->second});
  }
  std::ranges::sort(moved_);
}

void ListedLeaveOneOut::risks_without(std::span<const std::uint32_t> members, std::span<double> risks) {
  for (const std::uint32_t member : members) {
    check_interrupt();
    move_without(member);
    double sum = cost_sum_;
    visit_runs(Groups(moved_), sum_of_group, [&](Groups meeting) {
      if (meeting.size() == 1) return;
      std::ranges::fill(merged_, 0.0);
      for (const Moved& moved : meeting) {
        add_weights(moved.group, merged_.data());
        sum -= costs_[moved.group];
      }
      sum += cost_(merged_.data());
    });
    risks[member] = cost_.risk(sum);
  }
}

void ListedLeaveOneOut::remove(std::uint32_t member) {
  move_without(member);
  visit_runs(Groups(moved_), sum_of_group, [&](Groups meeting) {
    const std::uint32_t into = meeting.front().group;
    for (const Moved& moved : meeting) {
      by_sum_.erase(sums_[moved.group]);
      cost_sum_ -= costs_[moved.group];
      if (moved.group == into) continue;
      add_weights(moved.group, class_weights(into));
      joined_[moved.group] = into;
    }
    sums_[into] = meeting.front().sum;
    by_sum_[sums_[into]] = into;
    costs_[into] = cost_(class_weights(into));
    cost_sum_ += costs_[into];
  });
}

}  // namespace thresher::consistency
