// Risks of a set without one of its features, where columns are lists of rows.
//
// The values of a row on the set are a sum of random numbers of 128 bits, one for each feature and value off the
// feature's commonest level. A feature that is left out changes the sums of the rows it lists, and of no others, so a
// risk costs what is listed. Rows of equal sums have equal values: among 2^32 rows two different ones had equal sums by
// chance once in 2^64 data sets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "consistency/risks_without.hpp"

namespace thresher::consistency {

class ListedLeaveOneOut final : public RisksWithout {
 public:
  ListedLeaveOneOut(const CodedRows& rows, const GroupCost& cost, std::span<const std::uint32_t> features);

  double risk() const override { return cost_.risk(cost_sum_); }
  void risks_without(std::span<const std::uint32_t> members, std::span<double> risks) override;
  void remove(std::uint32_t member) override;
  bool prefers_many() const override { return false; }

 private:
  struct Sum {
    std::uint64_t a = 0;
    std::uint64_t b = 0;
    auto operator<=>(const Sum&) const = default;
  };
  struct SumHash {
    std::size_t operator()(const Sum& sum) const { return static_cast<std::size_t>(sum.a); }
  };
  // A group of rows that a member lists, and its sum without the member.
  struct Moved {
    Sum sum;
    std::uint32_t group;
    auto operator<=>(const Moved&) const = default;
  };
  using Groups = std::span<const Moved>;

  static Sum number_of(std::uint32_t member, std::uint8_t code);
  std::uint32_t group_of(std::uint32_t row);
  double* class_weights(std::uint32_t group) { return class_weights_.data() + group * rows_.n_classes; }
  void add_weights(std::uint32_t group, double* weights);
  // Fills moved_, groups of equal sums side by side; one that stays where it is comes along where others come to it.
  void move_without(std::uint32_t member);

  const CodedRows& rows_;
  const GroupCost& cost_;
  std::vector<std::uint32_t> features_;
  std::vector<std::uint32_t> group_;  // by row; a group that was joined to another names it
  std::vector<std::uint32_t> joined_;
  std::vector<Sum> sums_;              // by group
  std::vector<double> class_weights_;  // group x class
  std::vector<double> costs_;
  std::unordered_map<Sum, std::uint32_t, SumHash> by_sum_;
  std::vector<std::uint32_t> seen_;  // by group: the latest request that used it
  std::uint32_t request_ = 0;
  std::vector<Moved> moved_;
  std::vector<double> merged_;
  double cost_sum_ = 0.0;
};

}  // namespace thresher::consistency
