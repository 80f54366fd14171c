// LCC and INTERACT by merging rows instead of evaluating sets.
//
// Removing features in ascending order only merges groups, and the refinement knows at which feature any two
// neighbours meet. So the next feature that has to stay is found by one pass of merges, in time independent of
// the number of features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "consistency/refinement.hpp"
#include "consistency/risk.hpp"
#include "core/interrupt.hpp"

namespace thresher::consistency {

struct SweepResult {
  std::vector<std::uint32_t> kept;  // positions in the order, ascending
  double risk = 0.0;
  std::size_t n_probes = 0;  // what a binary search for each kept feature would have asked
};

enum class SweepRule {
  total,  // LCC: the risk of the remaining set stays within the bound
  step,   // INTERACT: no removal adds more than the bound
};

class Sweep {
 public:
  // The arguments must outlive the sweep.
  Sweep(const CodedRows& rows, const GroupCost& cost, const Refinement& refinement,
        std::span<const std::uint32_t> order);

  SweepResult run(SweepRule rule, double bound, Interrupt& interrupt);

 private:
  struct Edge {
    std::uint32_t left;  // joins positions `left` and `right` of the row order
    std::uint32_t right;
    std::uint32_t level;
  };

  std::uint32_t largest_between(std::uint32_t left, std::uint32_t right) const;
  void collect_edges();
  void sort_edges();
  std::uint32_t root(std::uint32_t position);
  void merge(const Edge& edge);
  void reset_merges();
  void split_groups(std::size_t feature);

  const CodedRows& data_;
  const GroupCost& cost_;
  const Refinement& refinement_;
  std::span<const std::uint32_t> order_;
  std::vector<std::int32_t> labels_;                // distinct labels of the refinement, ascending
  std::vector<std::vector<std::uint32_t>> maxima_;  // [k][i]: the largest, as an index in labels_, in i .. i + 2^k - 1

  std::vector<std::uint32_t> members_;  // positions, group after group, ascending within each
  std::vector<std::uint32_t> ends_;     // of the groups in members_
  std::vector<std::uint32_t> buffer_;
  std::vector<Edge> edges_;
  std::vector<Edge> sorted_;
  std::vector<std::uint32_t> next_;
  std::vector<std::uint32_t> parent_;
  std::vector<double> class_weights_;  // position x class
  std::vector<double> costs_;
  double cost_sum_ = 0.0;
};

}  // namespace thresher::consistency
