// LCC and INTERACT by merging rows instead of evaluating sets.
//
// Removing features in ascending order only merges groups, and the refinement knows at which feature any two neighbours
// merge. So the next feature that has to stay is found by one pass of merges, in time independent of the number of
// features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "consistency/refinement.hpp"
#include "consistency/risk.hpp"
#include "core/choices.hpp"
#include "core/interrupt.hpp"

namespace thresher::consistency {

struct SweepResult {
  std::vector<std::uint32_t> kept;  // positions in the order, ascending
  double risk = 0.0;
  std::size_t n_probes = 0;  // the steps of a binary search for each kept feature
};

enum class SweepRule {
  total,  // LCC: the risk of the remaining set stays within the bound
  step,   // INTERACT: no removal adds more than the bound
};

inline constexpr Choice<SweepRule> kSweepRules[] = {{"total", SweepRule::total}, {"step", SweepRule::step}};

class Sweep {
 public:
  // The arguments must outlive the sweep.
  Sweep(const CodedRows& rows, const GroupCost& cost, const Refinement& refinement,
        std::span<const std::uint32_t> order);

  SweepResult run(SweepRule rule, double bound, Interrupt& interrupt);

 private:
  // The position of a row in the refinement, and what separates it from the member of its group before it: the largest
  // label between the two, as an index in labels_; kFirst at the start of a group.
  struct Member {
    std::uint32_t position;
    std::uint32_t gap;
  };
  static constexpr std::uint32_t kFirst = static_cast<std::uint32_t>(-1);

  void sort_gaps();
  void reset_merges();
  void merge(std::uint32_t right);
  void split_groups(std::size_t feature);
  void keep_impure(std::size_t begin, std::size_t end);

  const CodedRows& data_;
  const GroupCost& cost_;
  const Refinement& refinement_;
  std::span<const std::uint32_t> order_;
  std::vector<std::int32_t> labels_;    // distinct labels of the refinement, ascending
  std::vector<std::uint32_t> classes_;  // by position
  std::vector<Member> all_;             // every row, in one group
  std::uint32_t n_levels_ = 0;          // gaps from here on never close

  // Group after group, in the order of the refinement. Groups of one class cost nothing whatever merges in them, and
  // are left out.
  std::vector<Member> members_;
  std::vector<std::uint32_t> ends_;  // of the groups in members_
  std::vector<Member> buffer_;
  std::vector<std::uint8_t> values_;  // of one feature, by member
  std::vector<std::uint32_t> new_ends_;
  std::vector<std::uint32_t> first_of_;  // where the members of each level begin in closing_
  std::vector<std::uint32_t> closing_;   // members by their gap
  // Merged members form a run. At its first member: its last one, its weight per class, its cost; at its last member:
  // its first one.
  std::vector<std::uint32_t> last_of_run_;
  std::vector<std::uint32_t> first_of_run_;
  std::vector<double> class_weights_;
  std::vector<double> costs_;
  double cost_sum_ = 0.0;
};

}  // namespace thresher::consistency
