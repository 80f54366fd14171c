// Risks of a set without one of its features.
//
// Rows that are equal on the set form a group (or a few, after removals), and its values are adjacent in a few words.
// Leaving features out is a mask; groups that are equal under it merge. Few groups ever merge with one of another
// class, and these are found by a table of bytes before any are compared.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "consistency/risks_without.hpp"

namespace thresher::consistency {

class LeaveOneOut final : public RisksWithout {
 public:
  LeaveOneOut(const CodedRows& rows, const GroupCost& cost, std::span<const std::uint32_t> features);

  double risk() const override { return risk_; }
  void risks_without(std::span<const std::uint32_t> members, std::span<double> risks) override;
  void remove(std::uint32_t member) override;
  bool prefers_many() const override { return true; }

 private:
  using Words = std::vector<std::uint64_t>;
  using Groups = std::vector<std::uint32_t>;

  struct Field {
    std::size_t word;
    std::uint64_t bits;
  };

  enum class Meeting { any, of_two_classes };

  void pack(const CodedRows& rows, std::span<const std::uint32_t> used, std::span<const std::uint32_t> features);
  Words mask_without(std::span<const std::uint32_t> members) const;
  std::uint64_t hash(std::uint32_t group, const Words& mask) const;
  bool equal(std::uint32_t a, std::uint32_t b, const Words& mask) const;

  Groups all_groups() const;
  // Returns those that merge with another one under the mask, and perhaps a few more.
  Groups those_that_meet(Groups groups, const Words& mask, Meeting meeting);
  // Returns the first group looked up that is equal under the mask. Starts with begin_lookup(groups.size()).
  void begin_lookup(std::size_t n_groups);
  std::uint32_t representative(std::uint32_t group, const Words& mask);

  void visit(std::span<const std::uint32_t> members, const Groups& among, std::span<double> risks);
  double risk_of_merging(const Groups& groups, const Words& mask);
  void merge(const Groups& groups);

  const GroupCost& cost_;
  std::size_t n_classes_;
  std::size_t n_groups_ = 0;
  std::size_t n_words_ = 1;
  std::vector<Field> fields_;          // by member
  Words present_;                      // mask of the members that are still there
  Words values_;                       // group x word
  std::vector<double> class_weights_;  // group x class
  std::vector<double> costs_;
  std::vector<std::uint8_t> kinds_;  // of which class, if it is one
  double cost_sum_ = 0.0;
  double risk_ = 0.0;

  std::vector<std::uint8_t> slot_kinds_;  // by some bits of the hash: the kinds of the groups there together
  unsigned slot_bits_ = 0;
  std::vector<std::uint32_t> slots_;      // by as many bits of the hash: the first group with these values
  std::vector<std::uint32_t> merged_of_;  // group -> index in merged_groups_, valid if that names the group
  std::vector<std::uint32_t> merged_groups_;
  std::vector<double> merged_weights_;
};

}  // namespace thresher::consistency
