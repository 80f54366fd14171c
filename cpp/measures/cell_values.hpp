// From the cells of one table of two features, part by part, to its values on every replicate.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "core/part_sets.hpp"
#include "counting/pair_counter.hpp"
#include "measures/measure_values.hpp"

namespace thresher {

// out[r] = the measure of cells[part][level of a][level of b], summed over the parts of replicate r.
template <class Cell>
void table_values(DiscreteMeasure measure, const XLogX& xlogx, const PartSets& sets, std::span<const Cell> cells,
                  std::size_t a_levels, double* out) {
  const std::size_t n_cells = cells.size() / sets.n_parts();
  const std::size_t b_levels = a_levels == 0 ? 0 : n_cells / a_levels;
  std::vector<Cell> table(n_cells + a_levels + b_levels);
  Cell* kept = table.data();
  Cell* row_sums = kept + n_cells;
  Cell* column_sums = row_sums + a_levels;
  for (std::size_t r = 0; r < sets.n_replicates(); ++r) {
    sets.sum_rows(r, cells.data(), n_cells, kept);
    std::fill_n(row_sums, a_levels + b_levels, Cell{});
    Cell total{};
    for (std::size_t i = 0; i < a_levels; ++i) {
      for (std::size_t j = 0; j < b_levels; ++j) {
        row_sums[i] += kept[i * b_levels + j];
        column_sums[j] += kept[i * b_levels + j];
      }
      total += row_sums[i];
    }
    out[r] = table_value(measure, TableView<Cell>{kept, row_sums, column_sums, a_levels, b_levels, total}, xlogx);
  }
}

}  // namespace thresher
