// Backward elimination by leave-one-out risks: SDCC and its fast forms, ASDCC, SWCFS.
//
// All of them first remove the border prefix of the order, so they work on what the prefix leaves. Each counts the
// evaluations its listing makes on all features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "consistency/refinement.hpp"
#include "consistency/risk.hpp"
#include "core/interrupt.hpp"

namespace thresher::consistency {

struct Elimination {
  std::vector<std::uint32_t> removed;  // positions in the order, the border prefix first
  std::vector<double> risks;           // after each removal beyond the prefix
  std::size_t n_evaluations = 0;
};

struct EliminationProblem {
  const CodedRows& rows;
  const GroupCost& cost;
  const Refinement& refinement;
  std::span<const std::uint32_t> order;  // ascending relevance
  std::span<const std::uint32_t> kept;
  std::span<const double> relevance;  // by feature
};

// Each step removes the feature whose removal leaves the least risk, the first in the order among equals.
Elimination eliminate_steepest(const EliminationProblem& problem, double bound, Interrupt& interrupt);
// Makes the same removals, but skips features whose last risk, a lower bound, cannot win.
Elimination eliminate_fast(const EliminationProblem& problem, double bound, Interrupt& interrupt);
// Makes the same removals, best-first; evaluations: the border by binary search, then those of the heap.
Elimination eliminate_lazy(const EliminationProblem& problem, double bound, Interrupt& interrupt);

// ASDCC: the removable feature of least alpha * relevance + (1 - alpha) * share of the remaining risk it uses up.
Elimination eliminate_balanced(const EliminationProblem& problem, double bound, double alpha, Interrupt& interrupt);

struct WindowOptions {
  double alpha = 0.5;
  double window = 0.5;     // omega
  double expansion = 1.0;  // lambda
};

// SWCFS: like ASDCC, among the features whose relevance lies in a window that widens with every removal.
Elimination eliminate_in_window(const EliminationProblem& problem, double bound, const WindowOptions& options,
                                Interrupt& interrupt);

}  // namespace thresher::consistency
