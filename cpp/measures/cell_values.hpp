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

// out[r] = the measure of cells[part][level of a][level of b], summed over the parts of replicate r. With `turn`, b
// gives the rows of the table.
template <class Cell>
void table_values(DiscreteMeasure measure, const XLogX& xlogx, const PartSets& sets, std::span<const Cell> cells,
                  std::size_t a_levels, bool turn, double* out) {
  using Count = decltype(rounded_count(Cell{}));
  const std::size_t n_cells = cells.size() / sets.n_parts();
  const std::size_t b_levels = a_levels == 0 ? 0 : n_cells / a_levels;
  std::vector<Cell> kept(n_cells);
  std::vector<Count> tables(2 * n_cells + a_levels + b_levels);
  Count* used = tables.data();
  Count* turned = used + n_cells;
  Count* a_sums = turned + n_cells;
  const std::size_t n_rows = turn ? b_levels : a_levels;
  const std::size_t n_columns = turn ? a_levels : b_levels;
  for (std::size_t r = 0; r < sets.n_replicates(); ++r) {
    sets.sum_rows(r, cells.data(), n_cells, kept.data());
    for (std::size_t c = 0; c < n_cells; ++c) used[c] = rounded_count(kept[c]);
    if (turn) {
      for (std::size_t i = 0; i < a_levels; ++i)
        for (std::size_t j = 0; j < b_levels; ++j) turned[j * a_levels + i] = used[i * b_levels + j];
    }
    const Count* shown = turn ? turned : used;
    Count* row_sums = a_sums;
    Count* column_sums = a_sums + n_rows;
    std::fill_n(a_sums, a_levels + b_levels, Count{0});
    Count total{0};
    for (std::size_t i = 0; i < n_rows; ++i) {
      for (std::size_t j = 0; j < n_columns; ++j) {
        row_sums[i] += shown[i * n_columns + j];
        column_sums[j] += shown[i * n_columns + j];
      }
      total += row_sums[i];
    }
    out[r] = table_value(measure, TableView<Count>{shown, row_sums, column_sums, n_rows, n_columns, total}, xlogx);
  }
}

}  // namespace thresher
