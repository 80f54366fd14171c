#include "consistency/leave_one_out.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/prefetch.hpp"

namespace thresher::consistency {

namespace {

constexpr std::size_t kNoMember = static_cast<std::size_t>(-1);
constexpr std::uint32_t kNoGroup = static_cast<std::uint32_t>(-1);
constexpr std::uint32_t kAhead = 16;  // groups whose table entries are fetched early

// SplitMix64's finaliser.
std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ULL;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ULL;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebULL;
  return x ^ (x >> 31);
}

// The word of one value of one member.
std::uint64_t word(std::size_t member, std::size_t value) {
  return mix((static_cast<std::uint64_t>(member) << 8) | value);
}

std::array<std::uint64_t, 256> words_of(std::size_t member) {
  std::array<std::uint64_t, 256> words;
  for (std::size_t value = 0; value < words.size(); ++value) words[value] = word(member, value);
  return words;
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
  keys_.resize(n_groups_);
  table_.resize(std::bit_ceil(n_groups_ + n_groups_ / 2 + 2));
  for (std::size_t j = 0; j < width_; ++j) {
    const std::uint8_t* column = rows.column(features[j]);
    const auto words = words_of(j);
    for (std::size_t g = 0; g < n_groups_; ++g) {
      values_[g * width_ + j] = column[used[g]];
      hashes_[g] += words[column[used[g]]];
    }
  }
  for (std::size_t g = 0; g < n_groups_; ++g) {
    class_weights_[g * n_classes_ + static_cast<std::size_t>(rows.classes[used[g]])] = rows.weight(used[g]);
  }
  collapse(kNoMember);
}

bool LeaveOneOut::equal_but(std::size_t member, std::uint32_t a, std::uint32_t b) const {
  if (width_ == 0) return true;
  const std::uint8_t* left = values_.data() + a * width_;
  const std::uint8_t* right = values_.data() + b * width_;
  if (member == kNoMember) return std::memcmp(left, right, width_) == 0;
  return std::memcmp(left, right, member) == 0 &&
         std::memcmp(left + member + 1, right + member + 1, width_ - member - 1) == 0;
}

void LeaveOneOut::begin_lookup(std::size_t member) {
  const std::size_t size = std::bit_ceil(n_groups_ + n_groups_ / 2 + 2);
  mask_ = size - 1;
  std::fill_n(table_.begin(), size, Slot{0, kNoGroup});
  if (member == kNoMember) {
    std::copy_n(hashes_.begin(), n_groups_, keys_.begin());
    return;
  }
  const auto words = words_of(member);
  for (std::size_t g = 0; g < n_groups_; ++g) keys_[g] = hashes_[g] - words[values_[g * width_ + member]];
}

std::uint32_t LeaveOneOut::representative(std::uint32_t group, std::size_t member) {
  if (group + kAhead < n_groups_) prefetch(&table_[keys_[group + kAhead] & mask_]);
  const auto tag = static_cast<std::uint32_t>(keys_[group] >> 32);
  for (std::size_t i = keys_[group] & mask_;; i = (i + 1) & mask_) {
    Slot& slot = table_[i];
    if (slot.group == kNoGroup) {
      slot = {tag, group};
      return group;
    }
    if (slot.tag == tag && equal_but(member, slot.group, group)) return slot.group;
  }
}

double LeaveOneOut::risk_without(std::size_t member) {
  begin_lookup(member);
  merged_groups_.clear();
  merged_weights_.clear();
  double sum = cost_sum_;
  for (std::uint32_t g = 0; g < n_groups_; ++g) {
    const std::uint32_t first = representative(g, member);
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
  begin_lookup(member);
  std::vector<std::uint32_t> firsts;
  for (std::uint32_t g = 0; g < n_groups_; ++g) {
    hashes_[g] = keys_[g];
    const std::uint32_t first = representative(g, member);
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
