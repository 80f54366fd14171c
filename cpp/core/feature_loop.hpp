// Loops over features that can be interrupted.
#pragma once

#include <algorithm>
#include <cstddef>

#include "core/interrupt.hpp"
#include "core/parallel.hpp"

namespace thresher {

// Calls body(begin, end) over disjoint ranges of features, on n_threads threads, in rounds of some tens of
// milliseconds. Checks `interrupt` between rounds. `cost`: values read per feature, about.
template <class Body>
void for_features(std::size_t n_features, std::size_t cost, std::size_t n_threads, Interrupt& interrupt, Body&& body) {
  constexpr std::size_t kRound = std::size_t{1} << 25;
  constexpr std::size_t kRange = std::size_t{1} << 16;
  const auto worth = [&](std::size_t n_values) {
    return std::max(n_values / std::max<std::size_t>(cost, 1), std::size_t{1});
  };
  const std::size_t round = worth(kRound) * std::max<std::size_t>(n_threads, 1);
  const std::size_t grain = worth(kRange);
  for (std::size_t start = 0; start < n_features; start += round) {
    interrupt.check();
    const std::size_t count = std::min(round, n_features - start);
    parallel_for(count, grain, n_threads,
                 [&](std::size_t begin, std::size_t end) { body(start + begin, start + end); });
  }
}

}  // namespace thresher
