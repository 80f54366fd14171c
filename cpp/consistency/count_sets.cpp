#include "consistency/count_sets.hpp"

namespace thresher::consistency {
namespace {

// Decides the features one after the other, most relevant first. As soon as those taken are within the bound, so is
// every set that takes them too; as soon as those taken and all undecided ones are not, no set below them is.
class Counter {
 public:
  Counter(const SubsetProblem& problem, double bound, std::size_t max_splits, Interrupt& interrupt)
      : problem_(problem),
        bound_(bound),
        splits_left_(max_splits),
        interrupt_(interrupt),
        descending_(problem.order.rbegin(), problem.order.rend()) {
    result_.cubes.resize(descending_.size() + 1);
  }

  SetCount count() {
    const Blocks none = split_by_kept(problem_, problem_.cost);
    if (within(none)) {
      ++result_.cubes[descending_.size()];
    } else {
      decide(none, 0);
    }
    return std::move(result_);
  }

 private:
  bool within(const Blocks& blocks) const { return problem_.cost.at_most(problem_.cost.risk(blocks.cost()), bound_); }

  void split(Blocks& blocks, std::uint32_t feature) {
    interrupt_.check();
    if (splits_left_ == 0) {
      result_.complete = false;
      return;
    }
    --splits_left_;
    blocks.split(feature, 0);
  }

  // `taken` is beyond the bound, and within it together with the features from `next` on.
  void decide(const Blocks& taken, std::size_t next) {
    const std::size_t n_out = out_.size();
    for (std::size_t i = next; i < descending_.size() && result_.complete; ++i) {
      Blocks finer = taken;
      split(finer, descending_[i]);
      if (within(finer)) {
        ++result_.cubes[descending_.size() - i - 1];
      } else {
        decide(finer, i + 1);
      }
      // From here on without the feature.
      if (!within_with_rest(taken, i + 1)) {
        if (result_.complete && is_largest(taken, i + 1)) ++result_.cubes[0];
        break;
      }
      out_.push_back(descending_[i]);
    }
    out_.resize(n_out);
  }

  bool within_with_rest(Blocks blocks, std::size_t next) {
    for (std::size_t i = next; i < descending_.size() && result_.complete; ++i) {
      if (within(blocks)) return true;
      split(blocks, descending_[i]);
    }
    return within(blocks);
  }

  // Returns whether any feature left out would bring the set within the bound. The one left out last does.
  bool is_largest(const Blocks& taken, std::size_t next) {
    for (const std::uint32_t feature : out_) {
      Blocks with = taken;
      split(with, feature);
      if (!within_with_rest(std::move(with), next) || !result_.complete) return false;
    }
    return true;
  }

  const SubsetProblem& problem_;
  double bound_;
  std::size_t splits_left_;
  Interrupt& interrupt_;
  std::vector<std::uint32_t> descending_;
  std::vector<std::uint32_t> out_;
  SetCount result_;
};

}  // namespace

SetCount count_branch_and_bound(const SubsetProblem& problem, double bound, std::size_t max_splits,
                                Interrupt& interrupt) {
  return Counter(problem, bound, max_splits, interrupt).count();
}

}  // namespace thresher::consistency
