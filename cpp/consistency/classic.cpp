#include "consistency/classic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>

#include "consistency/count_sets.hpp"

namespace thresher::consistency {

Blocks split_by_kept(const SubsetProblem& problem, const GroupCost& cost) {
  Blocks blocks(problem.rows, cost);
  for (const std::uint32_t feature : problem.kept) blocks.split(feature, 0);
  return blocks;
}

namespace {

constexpr std::size_t kMaxFree = 64;             // removable features that fit a branch-and-bound mask
constexpr std::size_t kMaxBreadthFirst = 5'000;  // evaluations from above before trying from below

Blocks split_by(const SubsetProblem& problem, std::span<const std::uint32_t> features) {
  Blocks blocks = split_by_kept(problem, problem.cost);
  for (const std::uint32_t feature : features) {
    if (blocks.all_pure()) break;
    blocks.split(feature, 0);
  }
  return blocks;
}

void count_one(SubsetSearch& result, std::size_t max_evaluations) {
  if (result.n_evaluations >= max_evaluations) {
    throw TooManyEvaluations("more than " + std::to_string(max_evaluations) + " sets");
  }
  ++result.n_evaluations;
}

// All sets of a size, in lexicographic order of descending relevance, added to the kept features.
class LevelSearch {
 public:
  LevelSearch(const SubsetProblem& problem, double bound, std::size_t max_evaluations, SubsetSearch& result,
              Interrupt& interrupt)
      : problem_(problem),
        bound_(bound),
        max_evaluations_(max_evaluations),
        result_(result),
        interrupt_(interrupt),
        descending_(problem.order.rbegin(), problem.order.rend()) {}

  // Stores the first set within the bound, with `least_risk` the first of those of least risk; returns whether there is
  // one.
  bool find(std::size_t size, bool least_risk) {
    least_risk_ = least_risk;
    found_ = false;
    members_.clear();
    Blocks none = split_by_kept(problem_, problem_.cost);
    if (size == 0) {
      consider(problem_.cost.risk(none.cost()));
    } else {
      extend(none, 0, size);
    }
    return found_;
  }

 private:
  void consider(double risk) {
    interrupt_.check();
    count_one(result_, max_evaluations_);
    if (!problem_.cost.at_most(risk, bound_)) return;
    if (found_ && risk >= risk_ - problem_.cost.tolerance()) return;
    found_ = true;
    risk_ = risk;
    result_.chosen = members_;
  }

  void extend(Blocks& prefix, std::size_t first, std::size_t size) {
    for (std::size_t i = first; i + size <= descending_.size() && (least_risk_ || !found_); ++i) {
      members_.push_back(descending_[i]);
      if (size == 1) {
        consider(problem_.cost.risk(prefix.cost_after(descending_[i])));
      } else {
        Blocks finer = prefix;
        finer.split(descending_[i], 0);
        extend(finer, i + 1, size - 1);
      }
      members_.pop_back();
    }
  }

  const SubsetProblem& problem_;
  double bound_;
  std::size_t max_evaluations_;
  SubsetSearch& result_;
  Interrupt& interrupt_;
  std::vector<std::uint32_t> descending_;
  std::vector<std::uint32_t> members_;
  bool least_risk_ = false;
  bool found_ = false;
  double risk_ = 0.0;
};

// Searches the smallest sets first.
void find_smallest(const SubsetProblem& problem, double bound, bool least_risk, std::size_t max_evaluations,
                   SubsetSearch& result, Interrupt& interrupt) {
  LevelSearch level(problem, bound, max_evaluations, result, interrupt);
  for (std::size_t size = 0; size <= problem.order.size(); ++size) {
    if (level.find(size, least_risk)) return;
  }
  throw std::logic_error("the full set is not within the bound");
}

}  // namespace

SubsetSearch focus(const SubsetProblem& problem, double bound, std::size_t max_evaluations, Interrupt& interrupt) {
  SubsetSearch result;
  result.n_evaluations = 1;  // the full set
  find_smallest(problem, bound, false, max_evaluations, result, interrupt);
  return result;
}

namespace {

// Searches from the full set down, a level at a time.
void find_breadth_first(const SubsetProblem& problem, double bound, std::size_t max_evaluations, SubsetSearch& result,
                        Interrupt& interrupt) {
  const GroupCost& cost = problem.cost;
  const std::size_t n = problem.order.size();
  const auto risk_of = [&](std::span<const std::uint32_t> features) {
    interrupt.check();
    count_one(result, max_evaluations);
    return cost.risk(split_by(problem, features).cost());
  };
  risk_of(problem.order);

  // Features that cannot go first cannot go later either.
  std::vector<std::uint32_t> fixed;
  std::vector<std::uint32_t> free;                  // descending relevance
  std::unordered_map<std::uint64_t, double> level;  // removed free features -> risk
  std::vector<double> single;
  for (std::size_t i = n; i-- > 0;) {
    std::vector<std::uint32_t> rest(problem.order.begin(), problem.order.end());
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    const double risk = risk_of(rest);
    if (cost.at_most(risk, bound)) {
      free.push_back(problem.order[i]);
      single.push_back(risk);
    } else {
      fixed.push_back(problem.order[i]);
    }
  }
  if (free.size() > kMaxFree) {
    throw TooManyEvaluations("2^" + std::to_string(free.size()) + " sets");
  }
  const auto members = [&](std::uint64_t removed) {
    std::vector<std::uint32_t> features = fixed;
    for (std::size_t i = 0; i < free.size(); ++i) {
      if ((removed >> i & 1U) == 0) features.push_back(free[i]);
    }
    return features;
  };
  for (std::size_t i = 0; i < free.size(); ++i) level.emplace(std::uint64_t{1} << i, single[i]);

  std::unordered_map<std::uint64_t, double> last = level;
  if (level.empty()) {
    result.chosen.assign(problem.order.begin(), problem.order.end());
    return;
  }
  while (!level.empty()) {
    last = std::move(level);
    level = {};
    for (const auto& [removed, unused] : last) {
      // Each set is reached once, by the highest of its removed features.
      for (std::size_t i = static_cast<std::size_t>(std::bit_width(removed)); i < free.size(); ++i) {
        const std::uint64_t child = removed | std::uint64_t{1} << i;
        bool inside_discarded = false;
        for (std::uint64_t rest = child; rest != 0 && !inside_discarded; rest &= rest - 1) {
          inside_discarded = !last.contains(child & ~(rest & (~rest + 1)));
        }
        if (inside_discarded) continue;
        const double risk = risk_of(members(child));
        if (cost.at_most(risk, bound)) level.emplace(child, risk);
      }
    }
  }
  double least = last.begin()->second;
  for (const auto& [removed, risk] : last) least = std::min(least, risk);
  // Descending relevance: the set that still has the most relevant feature on which two sets differ comes first,
  // i.e. removes the later one; with bit 0 the most relevant, that is the smaller bit-reversed mask.
  const auto before = [](std::uint64_t a, std::uint64_t b) {
    const std::uint64_t differ = a ^ b;
    return (a & (differ & (~differ + 1))) == 0;
  };
  std::uint64_t best = 0;
  bool found = false;
  for (const auto& [removed, risk] : last) {
    if (!cost.at_most(risk, least)) continue;
    if (!found || (removed != best && before(removed, best))) best = removed;
    found = true;
  }
  result.chosen = members(best);
}

}  // namespace

SubsetSearch automatic_branch_and_bound(const SubsetProblem& problem, double bound, std::size_t max_evaluations,
                                        Interrupt& interrupt) {
  SubsetSearch result;
  try {
    find_breadth_first(problem, bound, std::min(kMaxBreadthFirst, max_evaluations), result, interrupt);
  } catch (const TooManyEvaluations&) {
    // Where most features can be missed, the sets above the smallest ones are too many to visit, but few are below.
    result = {};
    find_smallest(problem, bound, true, max_evaluations, result, interrupt);
    result.n_evaluations = 0;
    result.unvisited = count_branch_and_bound(problem, bound, max_evaluations, interrupt);
  }
  return result;
}

SubsetSearch set_cover(const SubsetProblem& problem, const GroupCost& pairs, double bound, Interrupt& interrupt) {
  SubsetSearch result;
  Blocks blocks = split_by_kept(problem, pairs);
  Blocks everything = blocks;
  for (std::size_t i = problem.order.size(); i-- > 0 && !everything.all_pure();) {
    everything.split(problem.order[i], 0);
    if (i % 256 == 0) interrupt.check();
  }
  const double never = everything.cost();
  Blocks chosen = split_by_kept(problem, problem.cost);
  result.n_evaluations = 1;

  // Pairs separated can only get fewer as features are chosen, so an old gain is an upper bound.
  const double unit = pairs.tolerance() > 0.0 ? 4.0 * pairs.tolerance() : 1.0;
  using Entry = std::tuple<double, std::size_t, std::size_t>;  // gain, position in the order, step of the gain
  std::priority_queue<Entry> heap;
  const double start = blocks.cost();
  for (std::size_t i = 0; i < problem.order.size(); ++i) heap.emplace(start, i, 0);

  for (std::size_t step = 1; !heap.empty(); ++step) {
    if (pairs.at_most(blocks.cost(), never)) break;
    if (bound >= 0.0 && problem.cost.at_most(problem.cost.risk(chosen.cost()), bound)) break;
    result.n_evaluations += heap.size();
    const double current = blocks.cost();
    while (true) {
      const auto [gain, position, computed] = heap.top();
      heap.pop();
      if (computed == step) {
        blocks.split(problem.order[position], 0);
        if (bound >= 0.0) chosen.split(problem.order[position], 0);
        result.chosen.push_back(problem.order[position]);
        break;
      }
      interrupt.check();
      const double fresh = current - blocks.cost_after(problem.order[position]);
      heap.emplace(std::nearbyint(fresh / unit) * unit, position, step);
    }
  }
  return result;
}

}  // namespace thresher::consistency
