// How many sets automatic branch and bound evaluates, without visiting them.
#pragma once

#include <cstddef>

#include "consistency/classic.hpp"
#include "core/interrupt.hpp"

namespace thresher::consistency {

// Breadth-first from the full set, each set is evaluated whose one-larger sets are all within the bound. These are the
// sets within the bound, and the largest ones beyond it. The full set must be within the bound. Stops, incomplete,
// after max_splits splits of the rows by a feature.
SetCount count_branch_and_bound(const SubsetProblem& problem, double bound, std::size_t max_splits,
                                Interrupt& interrupt);

}  // namespace thresher::consistency
