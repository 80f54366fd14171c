#include "consistency/leave_one_out.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>

#include "core/interrupt.hpp"

namespace thresher::consistency {

namespace {

constexpr std::uint32_t kNoGroup = static_cast<std::uint32_t>(-1);
constexpr unsigned kWordBits = 64;
constexpr std::uint64_t kMultiplier = 0x9e3779b97f4a7c15ULL;  // 2^64 over the golden ratio

// The kind of a group is a byte: four bits for one class, so that two classes together have more. Groups of several
// classes, and of classes beyond the 70 such bytes, have them all.
constexpr std::uint8_t kMixed = 255;
constexpr auto kIsOneClass = [] {
  std::array<bool, 256> is_one_class{};
  for (unsigned kind = 0; kind < 256; ++kind) is_one_class[kind] = std::popcount(kind) <= 4;
  return is_one_class;
}();

std::vector<std::uint8_t> kinds_of_classes(std::size_t n_classes) {
  std::vector<std::uint8_t> kinds;
  for (unsigned byte = 0; byte < kMixed && kinds.size() < n_classes; ++byte) {
    if (std::popcount(byte) == 4) kinds.push_back(static_cast<std::uint8_t>(byte));
  }
  kinds.resize(n_classes, kMixed);
  return kinds;
}

// Members are first left out a quarter at a time; without half of them most groups would merge.
constexpr std::size_t kFirstParts = 4;

// Moves the groups whose slot has a second one to the front; returns how many.
template <class SlotOf>
std::size_t keep_crowded(std::vector<std::uint32_t>& groups, SlotOf slot_of, std::uint8_t* slot_kinds) {
  // The first group leaves one bit, every other one more.
  for (const std::uint32_t g : groups) {
    std::uint8_t& here = slot_kinds[slot_of(g)];
    here = static_cast<std::uint8_t>(here << 1 | 1);
  }
  std::size_t n = 0;
  for (const std::uint32_t g : groups) {
    groups[n] = g;
    n += slot_kinds[slot_of(g)] > 1;
  }
  return n;
}

// Moves the groups whose slot has several classes to the front; returns how many.
template <class SlotOf>
std::size_t keep_mixed(std::vector<std::uint32_t>& groups, SlotOf slot_of, const std::uint8_t* kinds,
                       std::uint8_t* slot_kinds) {
  for (const std::uint32_t g : groups) slot_kinds[slot_of(g)] |= kinds[g];
  std::size_t n = 0;
  for (const std::uint32_t g : groups) {
    groups[n] = g;
    n += !kIsOneClass[slot_kinds[slot_of(g)]];
  }
  return n;
}

}  // namespace

LeaveOneOut::LeaveOneOut(const CodedRows& rows, const GroupCost& cost, std::span<const std::uint32_t> features)
    : cost_(cost), n_classes_(rows.n_classes) {
  const std::vector<std::uint32_t> used = rows.used();
  n_groups_ = used.size();
  pack(rows, used, features);
  class_weights_.assign(n_groups_ * n_classes_, 0.0);
  costs_.assign(n_groups_, 0.0);
  kinds_.resize(n_groups_);
  const std::vector<std::uint8_t> kinds = kinds_of_classes(n_classes_);
  for (std::size_t g = 0; g < n_groups_; ++g) {
    const auto label = static_cast<std::size_t>(rows.classes[used[g]]);
    class_weights_[g * n_classes_ + label] = rows.weight(used[g]);
    kinds_[g] = kinds[label];
  }
  merged_of_.assign(n_groups_, 0);
  merge(those_that_meet(all_groups(), present_, Meeting::any));
  risk_ = cost_.risk(cost_sum_);
}

// Every member takes as many bits as its largest value needs, within one word.
void LeaveOneOut::pack(const CodedRows& rows, std::span<const std::uint32_t> used,
                       std::span<const std::uint32_t> features) {
  std::vector<Words> words;
  unsigned taken = kWordBits;
  for (const std::uint32_t feature : features) {
    const std::uint8_t* column = rows.column(feature);
    unsigned all = 1;
    for (const std::uint32_t row : used) all |= column[row];
    const auto width = static_cast<unsigned>(std::bit_width(all));
    if (taken + width > kWordBits) {
      taken = 0;
      words.emplace_back(n_groups_, 0);
    }
    for (std::size_t g = 0; g < n_groups_; ++g) {
      words.back()[g] |= static_cast<std::uint64_t>(column[used[g]]) << taken;
    }
    fields_.push_back({words.size() - 1, ((std::uint64_t{1} << width) - 1) << taken});
    taken += width;
  }
  if (words.empty()) words.emplace_back(n_groups_, 0);
  n_words_ = words.size();
  values_.resize(n_groups_ * n_words_);
  for (std::size_t w = 0; w < n_words_; ++w) {
    for (std::size_t g = 0; g < n_groups_; ++g) values_[g * n_words_ + w] = words[w][g];
  }
  present_.assign(n_words_, ~std::uint64_t{0});
}

LeaveOneOut::Words LeaveOneOut::mask_without(std::span<const std::uint32_t> members) const {
  Words mask = present_;
  for (const std::uint32_t member : members) mask[fields_[member].word] &= ~fields_[member].bits;
  return mask;
}

// The upper bits depend on all values.
inline std::uint64_t LeaveOneOut::hash(std::uint32_t group, const Words& mask) const {
  const std::uint64_t* values = values_.data() + group * n_words_;
  std::uint64_t hash = (values[0] & mask[0]) * kMultiplier;
  for (std::size_t w = 1; w < n_words_; ++w) hash = (hash ^ (hash >> 32) ^ (values[w] & mask[w])) * kMultiplier;
  return hash;
}

inline bool LeaveOneOut::equal(std::uint32_t a, std::uint32_t b, const Words& mask) const {
  const std::uint64_t* left = values_.data() + a * n_words_;
  const std::uint64_t* right = values_.data() + b * n_words_;
  for (std::size_t w = 0; w < n_words_; ++w) {
    if (((left[w] ^ right[w]) & mask[w]) != 0) return false;
  }
  return true;
}

LeaveOneOut::Groups LeaveOneOut::all_groups() const {
  Groups groups(n_groups_);
  std::iota(groups.begin(), groups.end(), std::uint32_t{0});
  return groups;
}

LeaveOneOut::Groups LeaveOneOut::those_that_meet(Groups groups, const Words& mask, Meeting meeting) {
  const auto bits = static_cast<unsigned>(std::bit_width(4 * groups.size() + 1));
  const unsigned shift = kWordBits - bits;
  slot_kinds_.assign(std::size_t{1} << bits, 0);
  const auto keep = [&](auto slot_of) {
    return meeting == Meeting::any ? keep_crowded(groups, slot_of, slot_kinds_.data())
                                   : keep_mixed(groups, slot_of, kinds_.data(), slot_kinds_.data());
  };
  // Bytes may be anything to the compiler: what it should keep in registers is copied.
  const std::uint64_t* values = values_.data();
  const std::uint64_t first = mask[0];
  groups.resize(n_words_ == 1 ? keep([=](std::uint32_t g) { return (values[g] & first) * kMultiplier >> shift; })
                              : keep([&](std::uint32_t g) { return hash(g, mask) >> shift; }));
  return groups;
}

void LeaveOneOut::begin_lookup(std::size_t n_groups) {
  slot_bits_ = static_cast<unsigned>(std::bit_width(2 * n_groups + 1));
  slots_.assign(std::size_t{1} << slot_bits_, kNoGroup);
}

std::uint32_t LeaveOneOut::representative(std::uint32_t group, const Words& mask) {
  const std::size_t last = slots_.size() - 1;
  for (std::size_t i = hash(group, mask) >> (kWordBits - slot_bits_);; i = (i + 1) & last) {
    if (slots_[i] == kNoGroup) slots_[i] = group;
    if (slots_[i] == group || equal(slots_[i], group, mask)) return slots_[i];
  }
}

double LeaveOneOut::risk_of_merging(const Groups& groups, const Words& mask) {
  begin_lookup(groups.size());
  merged_groups_.clear();
  merged_weights_.clear();
  double sum = cost_sum_;
  for (const std::uint32_t g : groups) {
    const std::uint32_t first = representative(g, mask);
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

// Groups that stay apart when all of these members are left out stay apart when one of them is.
void LeaveOneOut::visit(std::span<const std::uint32_t> members, const Groups& among, std::span<double> risks) {
  check_interrupt();
  const Words mask = mask_without(members);
  const Groups groups = those_that_meet(among, mask, Meeting::of_two_classes);
  if (members.size() == 1) {
    risks[members[0]] = risk_of_merging(groups, mask);
    return;
  }
  const std::size_t half = members.size() / 2;
  visit(members.first(half), groups, risks);
  visit(members.subspan(half), groups, risks);
}

void LeaveOneOut::risks_without(std::span<const std::uint32_t> members, std::span<double> risks) {
  const Groups all = all_groups();
  const std::size_t n_parts = std::min(kFirstParts, members.size());
  for (std::size_t part = 0; part < n_parts; ++part) {
    const std::size_t begin = part * members.size() / n_parts;
    const std::size_t end = (part + 1) * members.size() / n_parts;
    visit(members.subspan(begin, end - begin), all, risks);
  }
}

void LeaveOneOut::remove(std::uint32_t member) {
  present_ = mask_without({&member, 1});
  const Groups groups = those_that_meet(all_groups(), present_, Meeting::any);
  // A few that are equal cost less than closing the gaps.
  if (groups.size() > n_groups_ / 2) merge(groups);
}

// Joins those of these groups that are equal and closes the gaps.
void LeaveOneOut::merge(const Groups& groups) {
  begin_lookup(groups.size());
  Groups gone;
  for (const std::uint32_t g : groups) {
    const std::uint32_t first = representative(g, present_);
    if (first == g) continue;
    gone.push_back(g);
    for (std::size_t c = 0; c < n_classes_; ++c) {
      class_weights_[first * n_classes_ + c] += class_weights_[g * n_classes_ + c];
    }
    if (kinds_[first] != kinds_[g]) kinds_[first] = kMixed;
  }
  const auto move = [](auto& array, std::size_t width, std::size_t from, std::size_t to) {
    std::copy_n(array.data() + from * width, width, array.data() + to * width);
  };
  std::uint32_t n_left = 0;
  cost_sum_ = 0.0;
  for (std::uint32_t g = 0, n_gone = 0; g < n_groups_; ++g) {
    if (n_gone < gone.size() && gone[n_gone] == g) {
      ++n_gone;
      continue;
    }
    if (n_gone > 0) {
      move(values_, n_words_, g, n_left);
      move(class_weights_, n_classes_, g, n_left);
      kinds_[n_left] = kinds_[g];
    }
    costs_[n_left] = kinds_[n_left] == kMixed ? cost_(class_weights_.data() + n_left * n_classes_) : 0.0;
    cost_sum_ += costs_[n_left];
    ++n_left;
  }
  n_groups_ = n_left;
}

}  // namespace thresher::consistency
