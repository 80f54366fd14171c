#pragma once

#include <algorithm>

#include "core/parallel.hpp"

namespace thresher {

template <class Body>
void for_features(std::size_t n_features, std::size_t n_rows, std::size_t n_threads, Interrupt& interrupt,
                  const Body& body) {
  // A range is about 2^16 values, a stretch about 2^22: a quarter of a second where it is slowest, in sorting.
  const std::size_t rows = std::max<std::size_t>(n_rows, 1);
  const std::size_t grain = std::max<std::size_t>((std::size_t{1} << 16) / rows, 1);
  const std::size_t stretch = std::max<std::size_t>((std::size_t{1} << 22) / rows, 1);
  for (std::size_t first = 0; first < n_features; first += stretch) {
    const std::size_t length = std::min(stretch, n_features - first);
    parallel_for(length, grain, n_threads,
                 [&](std::size_t begin, std::size_t end) { body(first + begin, first + end); });
    interrupt.check();
  }
}

}  // namespace thresher
