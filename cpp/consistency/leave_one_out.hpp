// Risks of a set without one of its features.
//
// Every row's values on the set are summed up in a hash, one word per (feature, value); leaving a feature out is
// one subtraction per group of equal rows. Groups that then meet are compared value by value, so a collision
// costs time, never correctness.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "consistency/risk.hpp"

namespace thresher::consistency {

class LeaveOneOut {
 public:
  // The set consists of `features`; members are addressed by their position in it.
  LeaveOneOut(const CodedRows& rows, const GroupCost& cost, std::span<const std::uint32_t> features);

  double risk() const { return cost_.risk(cost_sum_); }

  // The risk after removing a member that is still there.
  double risk_without(std::size_t member);

  void remove(std::size_t member);

 private:
  // An open-addressing table entry: some bits of the hash, and the first group seen with these values.
  struct Slot {
    std::uint32_t tag;
    std::uint32_t group;
  };

  bool equal_but(std::size_t member, std::uint32_t a, std::uint32_t b) const;
  // Hashes of all groups without a member (of all members: kNoMember), and an empty table for them.
  void begin_lookup(std::size_t member);
  // The first group looked up with these values, `group` itself if there was none. Groups are asked for in order.
  std::uint32_t representative(std::uint32_t group, std::size_t member);
  void add_classes(std::uint32_t into, std::uint32_t from);
  void collapse(std::size_t member);

  const GroupCost& cost_;
  std::size_t width_;
  std::size_t n_classes_;
  std::size_t n_groups_ = 0;
  std::vector<std::uint8_t> values_;  // group x member; 0 where the member has been removed
  std::vector<std::uint64_t> hashes_;
  std::vector<double> class_weights_;  // group x class
  std::vector<double> costs_;
  double cost_sum_ = 0.0;

  std::vector<Slot> table_;
  std::size_t mask_ = 0;
  std::vector<std::uint64_t> keys_;
  std::vector<std::uint32_t> merged_of_;  // group -> index in merged_groups_, valid if that names the group
  std::vector<std::uint32_t> merged_groups_;
  std::vector<double> merged_weights_;
};

}  // namespace thresher::consistency
