#include "consistency/leave_one_out.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace thresher::consistency {

namespace {

constexpr std::size_t kNoMember = static_cast<std::size_t>(-1);

// SplitMix64's finaliser.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

}  // namespace

LeaveOneOut::LeaveOneOut(const CodedRows& rows, const GroupCost& cost, std::span<const std::uint32_t> features)
    : cost_(cost), width_(features.size()), n_classes_(rows.n_classes) {
  const std::vector<std::uint32_t> used = rows.used();
  n_groups_ = used.size();
  values_.resize(n_groups_ * width_);
  hashes_.assign(n_groups_, 0);
  class_weights_.assign(n_groups_ * n_classes_, 0.0);
  costs_.assign(n_groups_, 0.0);
  merged_of_.assign(n_groups_, 0);
  table_.resize(std::bit_ceil(2 * n_groups_ + 2));
  for (std::size_t j = 0; j < width_; ++j) {
    const std::uint8_t* column = rows.column(features[j]);
    for (std::size_t g = 0; g < n_groups_; ++g) {
      values_[g * width_ + j] = column[used[g]];
      hashes_[g] += word(j, column[used[g]]);
    }
  }
  for (std::size_t g = 0; g < n_groups_; ++g) {
    class_weights_[g * n_classes_ + static_cast<std::size_t>(rows.classes[used[g]])] = rows.weight(used[g]);
  }
  collapse(kNoMember);
}

std::uint64_t LeaveOneOut::word(std::size_t member, std::uint8_t value) const {
  return mix((static_cast<std::uint64_t>(member) << 8) | value);
}

bool LeaveOneOut::equal_but(std::size_t member, std::uint32_t a, std::uint32_t b) const {
  const std::uint8_t* left = values_.data() + a * width_;
  const std::uint8_t* right = values_.data() + b * width_;
  if (member == kNoMember) return std::memcmp(left, right, width_) == 0;
  return std::memcmp(left, right, member) == 0 &&
         std::memcmp(left + member + 1, right + member + 1, width_ - member - 1) == 0;
}

void LeaveOneOut::begin_lookup() {
  if (++stamp_ == 0) {
    std::fill(table_.begin(), table_.end(), Slot{});
    stamp_ = 1;
  }
}

std::uint32_t LeaveOneOut::representative(std::uint32_t group, std::uint64_t key, std::size_t member) {
  const std::size_t mask = table_.size() - 1;
  for (std::size_t i = (key ^ (key >> 32)) & mask;; i = (i + 1) & mask) {
    Slot& slot = table_[i];
    if (slot.stamp != stamp_) {
      slot = {key, group, stamp_};
      return group;
    }
    if (slot.key == key && equal_but(member, slot.group, group)) return slot.group;
  }
}

double LeaveOneOut::risk_without(std::size_t member) {
  begin_lookup();
  merged_groups_.clear();
  merged_weights_.clear();
  double sum = cost_sum_;
  for (std::uint32_t g = 0; g < n_groups_; ++g) {
    const std::uint64_t key = hashes_[g] - word(member, values_[g * width_ + member]);
    const std::uint32_t first = representative(g, key, member);
    if (first == g) continue;
    std::uint32_t index = merged_of_[first];
    if (index >= merged_groups_.size() || merged_groups_[index] != first) {
      index = static_cast<std::uint32_t>(merged_groups_.size());
      merged_of_[first] = index;
      merged_groups_.push_back(first);
      const double* weights = class_weights_.data() + first * n_classes_;
      merged_weights_.insert(merged_weights_.end(), weights, weights + n_classes_);
      sum -= costs_[first];
    }
    const double* weights = class_weights_.data() + g * n_classes_;
    double* target = merged_weights_.data() + index * n_classes_;
    for (std::size_t c = 0; c < n_classes_; ++c) target[c] += weights[c];
    sum -= costs_[g];
  }
  for (std::size_t i = 0; i < merged_groups_.size(); ++i) sum += cost_(merged_weights_.data() + i * n_classes_);
  return cost_.risk(sum);
}

void LeaveOneOut::remove(std::size_t member) { collapse(member); }

void LeaveOneOut::add_classes(std::uint32_t into, std::uint32_t from) {
  for (std::size_t c = 0; c < n_classes_; ++c) {
    class_weights_[into * n_classes_ + c] += class_weights_[from * n_classes_ + c];
  }
}

// Joins groups that are equal without `member` (equal at all: kNoMember) and closes the gaps.
void LeaveOneOut::collapse(std::size_t member) {
  begin_lookup();
  std::vector<std::uint32_t> firsts;
  for (std::uint32_t g = 0; g < n_groups_; ++g) {
    if (member != kNoMember) hashes_[g] -= word(member, values_[g * width_ + member]);
    const std::uint32_t first = representative(g, hashes_[g], member);
    if (first == g) {
      firsts.push_back(g);
    } else {
      add_classes(first, g);
    }
  }
  cost_sum_ = 0.0;
  for (std::size_t i = 0; i < firsts.size(); ++i) {
    const std::size_t g = firsts[i];
    if (g != i) {
      std::memcpy(values_.data() + i * width_, values_.data() + g * width_, width_);
      hashes_[i] = hashes_[g];
      std::copy_n(class_weights_.begin() + static_cast<std::ptrdiff_t>(g * n_classes_), n_classes_,
                  class_weights_.begin() + static_cast<std::ptrdiff_t>(i * n_classes_));
    }
    if (member != kNoMember) values_[i * width_ + member] = 0;
    costs_[i] = cost_(class_weights_.data() + i * n_classes_);
    cost_sum_ += costs_[i];
  }
  n_groups_ = firsts.size();
}

}  // namespace thresher::consistency
