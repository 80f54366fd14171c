// Exact nearest rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "core/rounding.hpp"
#include "neighbours/row_table.hpp"

namespace thresher {

struct NearestOptions {
  bool squared = false;          // sum of squared differences; else of absolute ones
  std::size_t n_neighbours = 5;  // per row and group (class)
  std::size_t n_threads = 1;
};

// Neighbours of query q in group c are rows[(q * n_groups + c) * n_neighbours ..] for count[q * n_groups + c]
// positions, in no particular order.
struct NearestRows {
  std::size_t n_groups = 1;
  std::size_t n_neighbours = 0;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> count;

  std::span<const std::uint32_t> of(std::size_t query, std::size_t group) const {
    const std::size_t slot = query * n_groups + group;
    return {rows.data() + slot * n_neighbours, count[slot]};
  }
};

// For every query row, the nearest other rows of each class. Distances are compared after rounding to 32 significant
// bits, so that those equal on paper tie; ties go to the lower row. Candidates come from distances in single precision
// with a proven error bound, and those the bound cannot decide are measured in double precision:
// time O(queries * n * d), memory one single-precision copy of the table.
template <class T>
NearestRows nearest_rows(const RowTable<T>& table, std::span<const std::uint32_t> queries,
                         const NearestOptions& options, Interrupt& interrupt);

// Double-precision distances of pairs of rows, not rounded.
template <class T>
std::vector<double> pair_distances(const RowTable<T>& table, std::span<const std::uint32_t> first,
                                   std::span<const std::uint32_t> second, bool squared, std::size_t n_threads,
                                   Interrupt& interrupt);

// To 32 significant bits, ties to even.
inline double round_distance(double distance) { return round_significant(distance, 32); }

}  // namespace thresher
