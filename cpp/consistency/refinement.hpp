// Rows ordered so that one sweep over them gives the risk of every suffix of the feature order.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "consistency/risk.hpp"
#include "core/interrupt.hpp"

namespace thresher::consistency {

// `order` lists the removable features, least relevant first; `kept` ones belong to every set.
//
// Refining from the most relevant feature down gives a row order in which the rows that a suffix of `order` cannot
// separate are adjacent: two rows are separated by order[j..] exactly if the largest label between them is at least j.
// Labels are positions in `order`, order.size() for kept features, and Blocks::kTogether inside blocks that no feature
// needs to split.
struct Refinement {
  std::vector<std::uint32_t> rows;
  std::vector<std::int32_t> separation;
  std::size_t border = 0;   // order[0..border) can go without changing the risk; no longer prefix can
  double full_risk = 0.0;   // of all features
  double empty_risk = 0.0;  // of the kept features alone
};

Refinement refine(const CodedRows& rows, const GroupCost& cost, std::span<const std::uint32_t> order,
                  std::span<const std::uint32_t> kept, Interrupt& interrupt);

// Returns the steps of a binary search for `target` in low..high with the middle rounded up.
std::size_t count_probes(std::size_t low, std::size_t high, std::size_t target);

}  // namespace thresher::consistency
