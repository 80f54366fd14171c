// From the names of the objectives to the functions that make them.
#pragma once

#include <cstddef>
#include <stdexcept>

#include "search/greedy.hpp"
#include "search/objective.hpp"

namespace thresher {

// Calls run(make), where make(k) is the chosen objective for k selected features.
template <class Run>
auto with_objective(ObjectiveKind kind, double weight, double offset, double unit, Run run) {
  if (!(weight >= 0.0 && weight < kInfinity)) throw std::invalid_argument("weight must be finite and not negative");
  if (!(offset >= 0.0 && offset < kInfinity)) throw std::invalid_argument("offset must be finite and not negative");
  if (!(unit > 0.0 && unit < kInfinity)) throw std::invalid_argument("unit must be finite and positive");
  switch (kind) {
    case ObjectiveKind::sum: return run([=](std::size_t) { return SumDifference(weight); });
    case ObjectiveKind::quotient:
      if (weight != 1.0) throw std::invalid_argument("a quotient takes no weight other than 1");
      if (offset > 0.0) return run([=](std::size_t k) { return OffsetQuotient(k, offset); });
      return run([](std::size_t k) { return Quotient(k); });
    case ObjectiveKind::product: return run([=](std::size_t) { return RelevanceTimesNovelty(weight, unit); });
    case ObjectiveKind::difference: break;
  }
  if (weight == 1.0) return run([](std::size_t k) { return MeanDifference(k); });
  return run([=](std::size_t k) { return WeightedDifference(k, weight); });
}

}  // namespace thresher
