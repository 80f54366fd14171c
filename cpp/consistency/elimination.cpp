#include "consistency/elimination.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <queue>
#include <tuple>

#include "consistency/risks_without.hpp"

namespace thresher::consistency {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kScoreTie = 1e-12;

// The features after the border prefix. Members are numbered from 0 in ascending relevance.
class Residual {
 public:
  // A risk that has passed the bound stays as it was: removals could only raise it.
  Residual(const EliminationProblem& problem, double bound, Elimination& result)
      : problem_(problem),
        bound_(bound),
        result_(result),
        features_(members_then_kept(problem)),
        leave_one_out_(risks_without_one(problem.rows, problem.cost, features_)),
        present_(problem.order.size() - problem.refinement.border),
        risks_(present_.size()),
        is_known_(present_.size(), false) {
    std::iota(present_.begin(), present_.end(), std::uint32_t{0});
    removable_ = present_;
    result.removed.resize(problem.refinement.border);
    std::iota(result.removed.begin(), result.removed.end(), std::uint32_t{0});
  }

  const std::vector<std::uint32_t>& present() const { return present_; }
  std::size_t size() const { return problem_.order.size() - problem_.refinement.border; }
  double relevance(std::uint32_t member) const { return problem_.relevance[features_[member]]; }

  double risk_without(std::uint32_t member) {
    ++result_.n_evaluations;
    if (!is_known_[member]) compute(member);
    ++n_requested_;
    return risks_[member];
  }

  // Removes a member whose risk was computed since the last removal.
  void remove(std::uint32_t member) {
    result_.risks.push_back(risks_[member]);
    leave_one_out_->remove(member);
    present_.erase(std::find(present_.begin(), present_.end(), member));
    std::erase_if(removable_, [&](std::uint32_t other) {
      return other == member || (is_known_[other] && !problem_.cost.at_most(risks_[other], bound_));
    });
    std::fill(is_known_.begin(), is_known_.end(), false);
    needs_many_ = n_requested_ > 1;
    n_requested_ = 0;
    result_.removed.push_back(static_cast<std::uint32_t>(problem_.refinement.border) + member);
  }

 private:
  static std::vector<std::uint32_t> members_then_kept(const EliminationProblem& problem) {
    std::vector<std::uint32_t> features(problem.order.begin() + static_cast<std::ptrdiff_t>(problem.refinement.border),
                                        problem.order.end());
    features.insert(features.end(), problem.kept.begin(), problem.kept.end());
    return features;
  }

  // Computes the risk of the first member alone, unless the last set needed more than one; then, if that pays, all that
  // are left together.
  void compute(std::uint32_t member) {
    std::vector<std::uint32_t> wanted = {member};
    if (leave_one_out_->prefers_many() && (needs_many_ || n_requested_ > 0)) {
      wanted.clear();
      std::copy_if(removable_.begin(), removable_.end(), std::back_inserter(wanted),
                   [&](std::uint32_t other) { return !is_known_[other]; });
    }
    leave_one_out_->risks_without(wanted, risks_);
    for (const std::uint32_t other : wanted) is_known_[other] = true;
  }

  const EliminationProblem& problem_;
  double bound_;
  Elimination& result_;
  std::vector<std::uint32_t> features_;
  std::unique_ptr<RisksWithout> leave_one_out_;
  std::vector<std::uint32_t> present_;
  std::vector<std::uint32_t> removable_;
  std::vector<double> risks_;  // without each member, of the present set if known
  std::vector<bool> is_known_;
  std::size_t n_requested_ = 0;  // members since the last removal
  bool needs_many_ = false;      // of the set before it
};

// Returns the share of what the bound still allows over `base` that a risk uses up.
double share(double risk, double base, double bound, double tolerance) {
  return bound > base + tolerance ? (risk - base) / (bound - base) : 0.0;
}

std::size_t border_probes(const EliminationProblem& problem) {
  const std::size_t n = problem.order.size();
  return n == 0 ? 0 : count_probes(1, n + 1, problem.refinement.border + 1);
}

}  // namespace

Elimination eliminate_steepest(const EliminationProblem& problem, double bound, Interrupt& interrupt) {
  Elimination result;
  Residual residual(problem, kInfinity, result);  // needs every risk in every step
  const double tolerance = problem.cost.tolerance();
  std::vector<double> risks(residual.size());
  while (!residual.present().empty()) {
    double least = kInfinity;
    for (const std::uint32_t member : residual.present()) {
      interrupt.check();
      risks[member] = residual.risk_without(member);
      least = std::min(least, risks[member]);
    }
    if (!problem.cost.at_most(least, bound)) break;
    const auto first = std::find_if(residual.present().begin(), residual.present().end(),
                                    [&](std::uint32_t member) { return risks[member] <= least + tolerance; });
    residual.remove(*first);
  }
  const std::size_t n = problem.order.size();
  const std::size_t k = residual.present().size();
  result.n_evaluations = 1 + (n + k) * (n - k + 1) / 2;
  return result;
}

Elimination eliminate_lazy(const EliminationProblem& problem, double bound, Interrupt& interrupt) {
  Elimination result;
  Residual residual(problem, bound, result);
  result.n_evaluations = 1 + border_probes(problem);
  using Entry = std::tuple<double, std::uint32_t>;  // lower bound of the risk, member
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> heap;
  for (const std::uint32_t member : residual.present()) heap.emplace(problem.refinement.full_risk, member);
  while (!heap.empty()) {
    const auto [lower, member] = heap.top();
    if (!problem.cost.at_most(lower, bound)) break;
    heap.pop();
    interrupt.check();
    const double risk = residual.risk_without(member);
    if (problem.cost.at_most(risk, lower)) {
      residual.remove(member);
    } else {
      heap.emplace(risk, member);
    }
  }
  return result;
}

namespace {

// Removes in each step the member of the best score(member, its risk, the risk before) among those whose risk is lower
// than every one before it. Scores closer than `tie` are equal.
template <class Score>
Elimination eliminate_by_score(const EliminationProblem& problem, double bound, double tie, Interrupt& interrupt,
                               const Score& score_of) {
  Elimination result;
  Residual residual(problem, bound, result);
  const GroupCost& cost = problem.cost;
  result.n_evaluations = 1 + problem.refinement.border;
  std::vector<double> lower(residual.size(), -kInfinity);
  double current = problem.refinement.full_risk;
  while (true) {
    double least = kInfinity;  // least risk of this scan
    double best = kInfinity;   // score
    std::uint32_t arg = 0;
    for (const std::uint32_t member : residual.present()) {
      // Relevance ascends, so a risk that is not below an earlier one cannot give a lower score.
      if (!cost.at_most(lower[member], bound) || lower[member] >= least - cost.tolerance()) continue;
      interrupt.check();
      lower[member] = residual.risk_without(member);
      if (cost.at_most(lower[member], bound) && lower[member] < least - cost.tolerance()) {
        least = lower[member];
        const double score = score_of(residual.relevance(member), least, current);
        if (score < best - tie) {
          best = score;
          arg = member;
        }
      }
      if (cost.at_most(lower[member], current)) break;
    }
    if (best == kInfinity) break;
    current = lower[arg];
    residual.remove(arg);
  }
  return result;
}

}  // namespace

Elimination eliminate_fast(const EliminationProblem& problem, double bound, Interrupt& interrupt) {
  return eliminate_by_score(problem, bound, 0.0, interrupt, [](double, double risk, double) { return risk; });
}

Elimination eliminate_balanced(const EliminationProblem& problem, double bound, double alpha, Interrupt& interrupt) {
  return eliminate_by_score(problem, bound, kScoreTie, interrupt, [&](double relevance, double risk, double current) {
    return alpha * relevance + (1.0 - alpha) * share(risk, current, bound, problem.cost.tolerance());
  });
}

Elimination eliminate_in_window(const EliminationProblem& problem, double bound, const WindowOptions& options,
                                Interrupt& interrupt) {
  Elimination result;
  Residual residual(problem, bound, result);
  const GroupCost& cost = problem.cost;
  const double tolerance = cost.tolerance();
  const double full = problem.refinement.full_risk;
  result.n_evaluations = 1 + border_probes(problem);
  if (residual.size() == 0) return result;

  const double low = residual.relevance(0);
  const double high = residual.relevance(static_cast<std::uint32_t>(residual.size() - 1));
  const double gap = residual.size() > 1 ? (high - low) / static_cast<double>(residual.size() - 1) : 0.0;
  const double first_edge = low + options.window * (high - low);
  const double growth = options.expansion * gap;
  const auto edge = [&](double k) { return first_edge + (k - 1.0) * growth; };
  const auto score = [&](std::uint32_t member, double risk) {
    const double used = bound > full + tolerance ? (risk - full) / (bound - full) : risk - full;
    const double scaled = high > low ? (residual.relevance(member) - low) / (high - low) : 0.0;
    return (1.0 - options.alpha) * used + options.alpha * scaled;
  };

  std::vector<double> lower(residual.size(), -kInfinity);
  double current = full;
  double k = 1.0;
  double reach = edge(k);  // the window contains relevances up to here
  while (!residual.present().empty()) {
    double best = kInfinity;
    std::uint32_t arg = 0;
    const std::uint32_t* outside = nullptr;
    for (const std::uint32_t& member : residual.present()) {
      if (residual.relevance(member) > reach) {
        outside = &member;
        break;
      }
      if (!cost.at_most(lower[member], bound)) continue;
      interrupt.check();
      lower[member] = residual.risk_without(member);
      if (!cost.at_most(lower[member], bound)) continue;
      if (cost.at_most(lower[member], current)) {
        best = -kInfinity;
        arg = member;
        break;
      }
      const double value = score(member, lower[member]);
      if (value < best - kScoreTie) {
        best = value;
        arg = member;
      }
    }
    if (best == kInfinity) {
      if (outside == nullptr) break;
      const double wanted = residual.relevance(*outside);
      if (growth > 0.0) {
        k = std::max(k, std::floor((wanted - first_edge) / growth));
        while (edge(k) < wanted && edge(k + 1.0) > edge(k)) k += 1.0;
      }
      reach = std::max(edge(k), wanted);
      continue;
    }
    if (best != -kInfinity) current = lower[arg];
    residual.remove(arg);
    k += 1.0;
    reach = std::max(reach, edge(k));
  }
  return result;
}

}  // namespace thresher::consistency
