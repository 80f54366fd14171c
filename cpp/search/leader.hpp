// The best complete candidate of a step.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>

#include "search/objective.hpp"

namespace thresher {

// A candidate all of whose terms are known.
struct Leader {
  double key = -kInfinity;
  double relevance = 0.0;
  std::int64_t feature = std::numeric_limits<std::int64_t>::max();
  std::size_t slot = 0;
  double total = 0.0;

  bool found() const { return feature >= 0 && feature != std::numeric_limits<std::int64_t>::max(); }
};

}  // namespace thresher
