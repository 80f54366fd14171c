#include "neighbours/laplacian.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "core/rounding.hpp"
#include "moments/moment_kernels.hpp"
#include "neighbours/distance_kernels.hpp"
#include "neighbours/nearest.hpp"

namespace thresher {
namespace {

double ratio(double edges, double spread, bool constant) {
  if (!(spread > 0.0) || constant) return constant && spread > 0.0 ? 0.0 : std::numeric_limits<double>::quiet_NaN();
  return round_to_grid(edges / spread);
}

constexpr std::size_t kFeaturesAtOnce = 16;

}  // namespace

template <class T>
Edges nearest_graph(const DenseColumns<T>& columns, std::size_t n_neighbours, std::size_t n_threads,
                    Interrupt& interrupt) {
  const RowTable<T> table = unscaled(columns, n_threads);
  std::vector<std::uint32_t> rows(columns.n_rows);
  std::iota(rows.begin(), rows.end(), 0u);
  const NearestRows nearest = nearest_rows(table, rows, {true, n_neighbours, n_threads}, interrupt);
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t row = 0; row < columns.n_rows; ++row) {
    for (const std::uint32_t other : nearest.of(row, 0)) pairs.emplace_back(std::min(row, other), std::max(row, other));
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  Edges edges;
  for (const auto& [a, b] : pairs) {
    edges.first.push_back(a);
    edges.second.push_back(b);
  }
  edges.squared_distance = pair_distances(table, edges.first, edges.second, true, n_threads, interrupt);
  return edges;
}

template <class T>
std::vector<double> graph_scores(const DenseColumns<T>& columns, const WeightedGraph& graph, bool centred,
                                 std::size_t n_threads) {
  const auto& kernels = THRESHER_DISPATCH(distance_kernels).of(columns.data);
  const double total = std::accumulate(graph.degree.begin(), graph.degree.end(), 0.0);
  std::vector<double> scores(columns.n_features);
  parallel_for(columns.n_features, kFeaturesAtOnce, n_threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) {
      const auto x = columns.column(f);
      const RangeSum summary =
          typed(THRESHER_DISPATCH(moment_kernels), x.data()).range_sum(x.data(), nullptr, x.size());
      double mean = 0.0;
      if (centred) {
        for (std::size_t r = 0; r < x.size(); ++r) mean += graph.degree[r] * static_cast<double>(x[r]);
        mean /= total;
      }
      double spread = 0.0;
      for (std::size_t r = 0; r < x.size(); ++r) {
        const double d = static_cast<double>(x[r]) - mean;
        spread += graph.degree[r] * d * d;
      }
      const bool constant = summary.minimum == summary.maximum;
      const double edges = kernels.weigh_squared(x.data(), graph.first.data(), graph.second.data(), graph.weight.data(),
                                                 graph.first.size());
      scores[f] = ratio(edges, constant && centred ? 0.0 : spread, constant);
    }
  });
  return scores;
}

template <class T>
std::vector<double> graph_scores(const SparseColumns<T>& columns, const WeightedGraph& graph, bool centred,
                                 std::size_t n_threads) {
  // Edges by row, from both ends.
  std::vector<std::size_t> starts(columns.n_rows + 1);
  for (std::size_t e = 0; e < graph.first.size(); ++e) {
    ++starts[graph.first[e] + 1];
    ++starts[graph.second[e] + 1];
  }
  std::partial_sum(starts.begin(), starts.end(), starts.begin());
  std::vector<std::uint32_t> ends(starts.back());
  std::vector<double> weights(starts.back());
  std::vector<std::size_t> next(starts.begin(), starts.end() - 1);
  for (std::size_t e = 0; e < graph.first.size(); ++e) {
    for (const auto& [from, to] :
         {std::pair(graph.first[e], graph.second[e]), std::pair(graph.second[e], graph.first[e])}) {
      weights[next[from]] = graph.weight[e];
      ends[next[from]++] = to;
    }
  }
  const double total = std::accumulate(graph.degree.begin(), graph.degree.end(), 0.0);
  std::vector<double> scores(columns.n_features);
  parallel_for(columns.n_features, kFeaturesAtOnce, n_threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> x(columns.n_rows);
    for (std::size_t f = begin; f < end; ++f) {
      const auto values = columns.values_of(f);
      const auto rows = columns.rows_of(f);
      double low = values.size() < columns.n_rows ? 0.0 : std::numeric_limits<double>::infinity();
      double high = values.size() < columns.n_rows ? 0.0 : -std::numeric_limits<double>::infinity();
      double weighted = 0.0;
      double stored_degree = 0.0;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const auto r = static_cast<std::size_t>(rows[i]);
        x[r] = static_cast<double>(values[i]);
        low = std::min(low, x[r]);
        high = std::max(high, x[r]);
        weighted += graph.degree[r] * x[r];
        stored_degree += graph.degree[r];
      }
      const double mean = centred ? weighted / total : 0.0;
      double spread = (total - stored_degree) * mean * mean;
      double edges = 0.0;
      for (const std::int32_t row : rows) {
        const auto r = static_cast<std::size_t>(row);
        spread += graph.degree[r] * (x[r] - mean) * (x[r] - mean);
        for (std::size_t e = starts[r]; e < starts[r + 1]; ++e) {
          const double d = x[r] - x[ends[e]];
          // An edge between two non-zeros is visited from both ends, one to a zero only from here.
          edges += weights[e] * d * d * (x[ends[e]] != 0.0 && x[r] != 0.0 ? 0.5 : (x[r] != 0.0 ? 1.0 : 0.0));
        }
      }
      scores[f] = ratio(edges, low == high && centred ? 0.0 : spread, low == high);
      for (const std::int32_t row : rows) x[static_cast<std::size_t>(row)] = 0.0;
    }
  });
  return scores;
}

template Edges nearest_graph(const DenseColumns<float>&, std::size_t, std::size_t, Interrupt&);
template Edges nearest_graph(const DenseColumns<double>&, std::size_t, std::size_t, Interrupt&);
template std::vector<double> graph_scores(const DenseColumns<float>&, const WeightedGraph&, bool, std::size_t);
template std::vector<double> graph_scores(const DenseColumns<double>&, const WeightedGraph&, bool, std::size_t);
template std::vector<double> graph_scores(const SparseColumns<float>&, const WeightedGraph&, bool, std::size_t);
template std::vector<double> graph_scores(const SparseColumns<double>&, const WeightedGraph&, bool, std::size_t);

}  // namespace thresher
