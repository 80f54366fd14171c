// The classic searches on the same risk: FOCUS and ABB over subsets, SetCover over pairs of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "consistency/blocks.hpp"
#include "consistency/risk.hpp"
#include "core/interrupt.hpp"

namespace thresher::consistency {

// Thrown when an exhaustive search would pass its limit of evaluations.
struct TooManyEvaluations : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A number of sets, which may exceed a machine word: the sum of cubes[e] 2^e.
struct SetCount {
  std::vector<std::uint64_t> cubes;
  bool complete = true;  // false: there are more
};

struct SubsetSearch {
  std::vector<std::uint32_t> chosen;  // features, without the kept ones
  std::size_t n_evaluations = 0;
  SetCount unvisited;  // to be added to n_evaluations: sets the listing evaluates, but the search did not
};

struct SubsetProblem {
  const CodedRows& rows;
  const GroupCost& cost;
  std::span<const std::uint32_t> order;  // ascending relevance; searched from the end
  std::span<const std::uint32_t> kept;   // in every set
};

// Returns the blocks of rows that the kept features leave together.
Blocks split_by_kept(const SubsetProblem& problem, const GroupCost& cost);

// Returns the smallest set within the bound, by sizes 0, 1, 2, ...; among equals the first in descending relevance. The
// full set must be within the bound.
SubsetSearch focus(const SubsetProblem& problem, double bound, std::size_t max_evaluations, Interrupt& interrupt);

// Among the smallest sets within the bound (the size of focus) takes the one of least risk, then the first in
// descending relevance: breadth-first from the full set, or where that visits too many sets, from below. The
// evaluations are those of the breadth-first search either way.
SubsetSearch automatic_branch_and_bound(const SubsetProblem& problem, double bound, std::size_t max_evaluations,
                                        Interrupt& interrupt);

// Adds the feature that separates most of the pairs of rows of different class still together, until no pair
// that all features separate is left, or the risk is within the bound. Chosen in order; ties: more relevant.
SubsetSearch set_cover(const SubsetProblem& problem, const GroupCost& pairs, double bound, Interrupt& interrupt);

}  // namespace thresher::consistency
