#include "consistency/classic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <queue>
#include <string>
#include <tuple>
#include <unordered_map>

#include "consistency/blocks.hpp"

namespace thresher::consistency {

namespace {

constexpr std::size_t kMaxFree = 64;  // removable features a branch-and-bound mask can hold

Blocks split_by(const SubsetProblem& problem, std::span<const std::uint32_t> features) {
  Blocks blocks(problem.rows, problem.cost);
  for (const std::uint32_t feature : problem.kept) blocks.split(feature, 0);
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

// Looks at all sets of `size` features from descending[first..] added to the prefix; true if one was found.
bool focus_level(const SubsetProblem& problem, std::span<const std::uint32_t> descending, std::size_t size,
                 Blocks& prefix, double bound, std::size_t max_evaluations, SubsetSearch& result,
                 Interrupt& interrupt) {
  for (std::size_t i = 0; i + size <= descending.size(); ++i) {
    result.chosen.push_back(descending[i]);
    if (size == 1) {
      interrupt.check();
      count_one(result, max_evaluations);
      if (problem.cost.at_most(problem.cost.risk(prefix.cost_after(descending[i])), bound)) return true;
    } else {
      Blocks finer = prefix;
      finer.split(descending[i], 0);
      if (focus_level(problem, descending.subspan(i + 1), size - 1, finer, bound, max_evaluations, result,
                      interrupt)) {
        return true;
      }
    }
    result.chosen.pop_back();
  }
  return false;
}

}  // namespace

SubsetSearch focus(const SubsetProblem& problem, double bound, std::size_t max_evaluations, Interrupt& interrupt) {
  SubsetSearch result;
  const std::vector<std::uint32_t> descending(problem.order.rbegin(), problem.order.rend());
  result.n_evaluations = 1;  // the full set
  Blocks none = split_by(problem, {});
  count_one(result, max_evaluations);
  if (problem.cost.at_most(problem.cost.risk(none.cost()), bound)) return result;
  for (std::size_t size = 1; size <= descending.size(); ++size) {
    if (focus_level(problem, descending, size, none, bound, max_evaluations, result, interrupt)) return result;
  }
  throw std::logic_error("the full set is not within the bound");
}

SubsetSearch automatic_branch_and_bound(const SubsetProblem& problem, double bound, std::size_t max_evaluations,
                                        Interrupt& interrupt) {
  SubsetSearch result;
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
  std::vector<std::uint32_t> free;  // descending relevance
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
    return result;
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
  return result;
}

SubsetSearch set_cover(const SubsetProblem& problem, const GroupCost& pairs, double bound, Interrupt& interrupt) {
  SubsetSearch result;
  Blocks everything(problem.rows, pairs);
  Blocks blocks(problem.rows, pairs);
  for (const std::uint32_t feature : problem.kept) {
    everything.split(feature, 0);
    blocks.split(feature, 0);
  }
  for (std::size_t i = problem.order.size(); i-- > 0 && !everything.all_pure();) {
    everything.split(problem.order[i], 0);
    if (i % 256 == 0) interrupt.check();
  }
  const double never = everything.cost();
  result.n_evaluations = 1;

  // Pairs separated can only get fewer as features are chosen, so an old gain is an upper bound.
  const double unit = pairs.tolerance() > 0.0 ? 4.0 * pairs.tolerance() : 1.0;
  using Entry = std::tuple<double, std::size_t, std::size_t>;  // gain, position in the order, step of the gain
  std::priority_queue<Entry> heap;
  const double start = blocks.cost();
  for (std::size_t i = 0; i < problem.order.size(); ++i) heap.emplace(start, i, 0);

  for (std::size_t step = 1; !heap.empty(); ++step) {
    if (pairs.at_most(blocks.cost(), never)) break;
    if (bound >= 0.0) {
      if (problem.cost.at_most(problem.cost.risk(split_by(problem, result.chosen).cost()), bound)) break;
    }
    result.n_evaluations += heap.size();
    const double current = blocks.cost();
    while (true) {
      const auto [gain, position, computed] = heap.top();
      heap.pop();
      if (computed == step) {
        blocks.split(problem.order[position], 0);
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
