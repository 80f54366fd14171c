// Distances in double precision of some rows to all rows, a few rows at a time.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "core/parallel.hpp"
#include "neighbours/nearest.hpp"
#include "neighbours/panels.hpp"

namespace thresher {

template <class T>
class ExactStrips {
 public:
  ExactStrips(const RowTable<T>& table, std::span<const std::uint32_t> queries, bool squared, std::size_t n_threads)
      : table_(table),
        queries_(queries),
        squared_(squared),
        rows_(table, all_rows(table), 1.0, n_threads),
        asked_(table, queries, 1.0, n_threads) {}

  // Calls visit(query, distances to all rows, rounded) for every query, from several threads but once for each.
  template <class Visit>
  void for_each(std::size_t n_threads, Interrupt& interrupt, const Visit& visit) const {
    for (std::size_t first = 0; first < asked_.n_panels(); first += n_threads) {
      interrupt.check();
      parallel_for(std::min(n_threads, asked_.n_panels() - first), 1, n_threads,
                   [&](std::size_t begin, std::size_t end) {
                     for (std::size_t panel = first + begin; panel < first + end; ++panel) strip(panel, visit);
                   });
    }
  }

 private:
  static std::vector<std::uint32_t> all_rows(const RowTable<T>& table) {
    std::vector<std::uint32_t> rows(table.columns.n_rows);
    std::iota(rows.begin(), rows.end(), 0u);
    return rows;
  }

  template <class Visit>
  void strip(std::size_t panel, const Visit& visit) const {
    const std::size_t n = table_.columns.n_rows;
    alignas(64) double tile[kPanel * kPanel];
    std::vector<double> distances(kPanel * n);
    for (std::size_t b = 0; b < rows_.n_panels(); ++b) {
      ask_interrupt();
      asked_.distances(panel, rows_, b, squared_, tile);
      for (std::size_t r = 0; r < kPanel; ++r) {
        std::copy_n(tile + r * kPanel, std::min(kPanel, n - b * kPanel), distances.data() + r * n + b * kPanel);
      }
    }
    for (std::size_t r = 0; r < kPanel && panel * kPanel + r < queries_.size(); ++r) {
      const std::size_t query = panel * kPanel + r;
      const std::span<double> row(distances.data() + r * n, n);
      for (const MissingFeature& feature : table_.missing) {
        ask_interrupt();
        for (std::size_t b = 0; b < n; ++b) {
          const double d = table_.missing_diff(feature, queries_[query], b);
          row[b] += squared_ ? d * d : d;
        }
      }
      for (double& d : row) d = round_distance(d);
      visit(query, std::span<const double>(row));
    }
  }

  const RowTable<T>& table_;
  std::span<const std::uint32_t> queries_;
  bool squared_;
  Panels<double> rows_;
  Panels<double> asked_;
};

}  // namespace thresher
