#include "consistency/refinement.hpp"

#include <utility>

#include "consistency/blocks.hpp"

namespace thresher::consistency {

Refinement refine(const CodedRows& rows, const GroupCost& cost, std::span<const std::uint32_t> order,
                  std::span<const std::uint32_t> kept, Interrupt& interrupt) {
  Blocks blocks(rows, cost);
  for (const std::uint32_t feature : kept) blocks.split(feature, static_cast<std::int32_t>(order.size()));

  Refinement result;
  result.empty_risk = cost.risk(blocks.cost());
  // Where the risk of the suffix order[first..] changed, from the most relevant feature down.
  std::vector<std::pair<std::size_t, double>> changes{{order.size(), result.empty_risk}};
  std::size_t j = order.size();
  while (j > 0 && !blocks.all_pure()) {
    --j;
    if (blocks.split(order[j], static_cast<std::int32_t>(j))) changes.emplace_back(j, cost.risk(blocks.cost()));
    if (j % 256 == 0) interrupt.check();
  }
  result.full_risk = changes.back().second;
  for (const auto& [first, risk] : changes) {
    if (cost.at_most(risk, result.full_risk)) {
      result.border = first;
      break;
    }
  }
  result.rows.assign(blocks.rows().begin(), blocks.rows().end());
  result.separation.assign(blocks.separation().begin(), blocks.separation().end());
  return result;
}

std::size_t count_probes(std::size_t low, std::size_t high, std::size_t target) {
  std::size_t probes = 0;
  while (low < high) {
    const std::size_t middle = (low + high + 1) / 2;
    ++probes;
    if (middle <= target) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return probes;
}

}  // namespace thresher::consistency
