// The nearest-neighbour graph of rows, and how smooth a feature is on a graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/column_views.hpp"
#include "core/interrupt.hpp"

namespace thresher {

// Undirected edges, each once with first < second, ordered.
struct Edges {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> second;
  std::vector<double> squared_distance;
};

// Rows joined if either is among the other's nearest by Euclidean distance.
template <class T>
Edges nearest_graph(const DenseColumns<T>& columns, std::size_t n_neighbours, std::size_t n_threads,
                    Interrupt& interrupt);

struct WeightedGraph {
  std::span<const std::uint32_t> first;
  std::span<const std::uint32_t> second;
  std::span<const double> weight;
  std::span<const double> degree;  // one per row
};

// sum_edges w (x_i - x_j)^2 / sum_j d_j (x_j - mu)^2, mu the degree-weighted mean (`centred`) or 0; nan where the
// denominator is 0. A multiple of 2^-40.
template <class T>
std::vector<double> graph_scores(const DenseColumns<T>& columns, const WeightedGraph& graph, bool centred,
                                 std::size_t n_threads);
// Visits only the edges of rows with stored values.
template <class T>
std::vector<double> graph_scores(const SparseColumns<T>& columns, const WeightedGraph& graph, bool centred,
                                 std::size_t n_threads);

}  // namespace thresher
