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
#include "neighbours/all_distances.hpp"
#include "neighbours/nearest.hpp"
#include "neighbours/panels.hpp"

namespace thresher {

template <class T>
class ExactStrips {
 public:
  ExactStrips(const RowTable<T>& table, std::span<const std::uint32_t> queries, bool squared)
      : table_(table), queries_(queries), squared_(squared) {}

  // Calls visit(query, distances to all rows, rounded) for every query, from several threads but once for each.
  template <class Visit>
  void for_each(std::size_t n_threads, Interrupt& interrupt, const Visit& visit) const {
    const std::size_t n = table_.columns.n_rows;
    if (covers_all_rows(queries_, n)) {
      const auto distances = all(n_threads, interrupt);
      parallel_for(n, 16, n_threads, [&](std::size_t begin, std::size_t end) {
        for (std::size_t q = begin; q < end; ++q) visit(q, std::span<const double>(distances.data() + q * n, n));
      });
      return;
    }
    const Panels<double> rows(table_, all_rows(table_), 1.0, n_threads);
    const Panels<double> queries(table_, queries_, 1.0, n_threads);
    for (std::size_t first = 0; first < queries.n_panels(); first += n_threads) {
      interrupt.check();
      parallel_for(std::min(n_threads, queries.n_panels() - first), 1, n_threads,
                   [&](std::size_t begin, std::size_t end) {
                     for (std::size_t panel = first + begin; panel < first + end; ++panel)
                       strip(queries, panel, rows, visit);
                   });
    }
  }

  // Returns the distances of all rows to all rows, rounded; where `covers_all_rows`.
  UninitialisedVector<double> all(std::size_t n_threads, Interrupt& interrupt) const {
    const std::size_t n = table_.columns.n_rows;
    const Panels<double> rows(table_, all_rows(table_), 1.0, n_threads);
    auto distances = all_distances(rows, squared_, n_threads, interrupt);
    parallel_for(n, 16, n_threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t q = begin; q < end; ++q) finish(q, {distances.data() + q * n, n});
    });
    return distances;
  }

 private:
  static std::vector<std::uint32_t> all_rows(const RowTable<T>& table) {
    std::vector<std::uint32_t> rows(table.columns.n_rows);
    std::iota(rows.begin(), rows.end(), 0u);
    return rows;
  }

  template <class Visit>
  void strip(const Panels<double>& queries, std::size_t panel, const Panels<double>& rows, const Visit& visit) const {
    const std::size_t n = table_.columns.n_rows;
    alignas(64) double tile[kPanel * kPanel];
    std::vector<double> distances(kPanel * n);
    for (std::size_t b = 0; b < rows.n_panels(); ++b) {
      check_interrupt();
      queries.distances(panel, rows, b, squared_, tile);
      for (std::size_t r = 0; r < kPanel; ++r) {
        std::copy_n(tile + r * kPanel, std::min(kPanel, n - b * kPanel), distances.data() + r * n + b * kPanel);
      }
    }
    for (std::size_t r = 0; r < kPanel && panel * kPanel + r < queries_.size(); ++r) {
      const std::span<double> row(distances.data() + r * n, n);
      finish(panel * kPanel + r, row);
      visit(panel * kPanel + r, std::span<const double>(row));
    }
  }

  // Adds what missing values are expected to differ by, and rounds.
  void finish(std::size_t query, std::span<double> distances) const {
    for (const MissingFeature& feature : table_.missing) {
      check_interrupt();
      for (std::size_t b = 0; b < distances.size(); ++b) {
        const double d = table_.missing_diff(feature, queries_[query], b);
        distances[b] += squared_ ? d * d : d;
      }
    }
    for (double& d : distances) d = round_distance(d);
  }

  const RowTable<T>& table_;
  std::span<const std::uint32_t> queries_;
  bool squared_;
};

}  // namespace thresher
