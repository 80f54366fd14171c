// Distances of all rows to all rows, each measured once.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "core/interrupt.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "neighbours/panels.hpp"

namespace thresher {

// Rows up to which the whole table of distances is kept.
constexpr std::size_t kMirrorLimit = 4096;

// Returns whether the queries are all rows in their order, and few enough that the table of their distances fits
// memory.
inline bool covers_all_rows(std::span<const std::uint32_t> queries, std::size_t n_rows) {
  if (queries.size() != n_rows || n_rows > kMirrorLimit) return false;
  for (std::size_t r = 0; r < n_rows; ++r) {
    if (queries[r] != r) return false;
  }
  return true;
}

// Entry a * n_rows + b is the distance of rows a and b.
template <class P>
UninitialisedVector<P> all_distances(const Panels<P>& rows, bool squared, std::size_t n_threads, Interrupt& interrupt) {
  const std::size_t n = rows.n_rows();
  UninitialisedVector<P> distances(n * n);
  const std::size_t n_panels = rows.n_panels();
  std::vector<std::pair<std::uint32_t, std::uint32_t>> tiles;
  for (std::uint32_t a = 0; a < n_panels; ++a) {
    for (std::uint32_t b = a; b < n_panels; ++b) tiles.emplace_back(a, b);
  }
  constexpr std::size_t kTilesBetweenChecks = 64;
  for (std::size_t first = 0; first < tiles.size(); first += kTilesBetweenChecks) {
    interrupt.check();
    const std::size_t count = std::min(kTilesBetweenChecks, tiles.size() - first);
    parallel_for(count, 1, n_threads, [&](std::size_t begin, std::size_t end) {
      alignas(64) P tile[kPanel * kPanel];
      for (std::size_t i = first + begin; i < first + end; ++i) {
        const std::size_t a = tiles[i].first;
        const std::size_t b = tiles[i].second;
        rows.distances(a, rows, b, squared, tile);
        for (std::size_t r = a * kPanel; r < std::min(n, (a + 1) * kPanel); ++r) {
          for (std::size_t s = b * kPanel; s < std::min(n, (b + 1) * kPanel); ++s) {
            const P value = tile[(r - a * kPanel) * kPanel + (s - b * kPanel)];
            distances[r * n + s] = value;
            distances[s * n + r] = value;
          }
        }
      }
    });
  }
  return distances;
}

}  // namespace thresher
