// Relief's weights, neighbour graphs and scores on graphs.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/searching.hpp"
#include "core/elementary.hpp"
#include "neighbours/laplacian.hpp"
#include "neighbours/relief.hpp"

namespace thresher::bindings {
namespace {

template <class T>
auto relief(const Matrix<T>& columns, const Vector<std::uint8_t>& nominal, const Vector<std::int32_t>& classes,
            std::size_t n_classes, const Vector<std::uint32_t>& rows, const std::string& kind, std::size_t n_neighbours,
            std::size_t n_threads, const std::optional<Vector<double>>& target) {
  const std::size_t n_rows = columns.shape(1);
  if (nominal.size() != columns.shape(0) || classes.size() != n_rows) throw nb::value_error("lengths differ");
  if (kind == "rrelieff" && view(target).size() != n_rows) throw nb::value_error("rrelieff needs a number per row");
  for (std::size_t r = 0; r < n_rows; ++r) {
    if (classes.data()[r] < 0 || static_cast<std::size_t>(classes.data()[r]) >= n_classes) {
      throw nb::value_error("classes must be codes below n_classes");
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.data()[i] >= n_rows) throw nb::index_error("row out of range");
  }
  const ReliefKind which = choice_from("kind", kind, kReliefKinds);
  std::vector<double> weights;
  {
    ReleasedGil released;
    SignalInterrupt interrupt;
    const auto table =
        scaled_by_range(DenseColumns<T>{columns.data(), columns.shape(0), n_rows}, {nominal.data(), nominal.size()},
                        {classes.data(), classes.size()}, n_classes, n_threads);
    const ReliefOptions options{which, n_neighbours, {rows.data(), rows.size()}, n_threads, view(target)};
    weights = relief_weights(table, options, interrupt);
  }
  return to_numpy(std::move(weights));
}

template <class T>
auto graph(const Matrix<T>& columns, std::size_t n_neighbours, std::size_t n_threads) {
  Edges edges;
  {
    ReleasedGil released;
    SignalInterrupt interrupt;
    edges = nearest_graph(DenseColumns<T>{columns.data(), columns.shape(0), columns.shape(1)}, n_neighbours, n_threads,
                          interrupt);
  }
  return std::make_tuple(to_numpy(std::move(edges.first)), to_numpy(std::move(edges.second)),
                         to_numpy(std::move(edges.squared_distance)));
}

WeightedGraph weighted(const Vector<std::uint32_t>& first, const Vector<std::uint32_t>& second,
                       const Vector<double>& weight, const Vector<double>& degree, std::size_t n_rows) {
  if (first.size() != second.size() || first.size() != weight.size() || degree.size() != n_rows) {
    throw nb::value_error("edges, weights and degrees differ in length");
  }
  for (std::size_t e = 0; e < first.size(); ++e) {
    if (first.data()[e] >= n_rows || second.data()[e] >= n_rows) throw nb::index_error("edge out of range");
  }
  return {{first.data(), first.size()},
          {second.data(), second.size()},
          {weight.data(), weight.size()},
          {degree.data(), degree.size()}};
}

template <class Columns>
auto scores(const Columns& columns, const WeightedGraph& on, bool centred, std::size_t n_threads) {
  std::vector<double> values;
  {
    ReleasedGil released;
    SignalInterrupt interrupt;
    values = graph_scores(columns, on, centred, n_threads, interrupt);
  }
  return to_numpy(std::move(values));
}

template <class T>
void bind_for(nb::module_& module) {
  module.def("relief_weights", &relief<T>, nb::arg("columns").noconvert(), nb::arg("nominal"), nb::arg("classes"),
             nb::arg("n_classes"), nb::arg("rows"), nb::arg("kind"), nb::arg("n_neighbours"), nb::arg("n_threads") = 1,
             nb::arg("target") = nb::none(), "Weights of every feature of a (features, rows) array.");
  module.def("nearest_graph", &graph<T>, nb::arg("columns").noconvert(), nb::arg("n_neighbours"),
             nb::arg("n_threads") = 1,
             "Edges (first, second, squared distance) of the nearest-neighbour graph of rows.");
  module.def(
      "graph_scores",
      [](const Matrix<T>& columns, const Vector<std::uint32_t>& first, const Vector<std::uint32_t>& second,
         const Vector<double>& weight, const Vector<double>& degree, bool centred, std::size_t n_threads) {
        const DenseColumns<T> table{columns.data(), columns.shape(0), columns.shape(1)};
        return scores(table, weighted(first, second, weight, degree, table.n_rows), centred, n_threads);
      },
      nb::arg("columns").noconvert(), nb::arg("first"), nb::arg("second"), nb::arg("weight"), nb::arg("degree"),
      nb::arg("centred"), nb::arg("n_threads") = 1, "Laplacian score (centred) or its uncentred form.");
  module.def(
      "graph_scores_sparse",
      [](const Vector<T>& values, const Vector<std::int32_t>& rows, const Vector<std::int64_t>& starts,
         std::size_t n_rows, const Vector<std::uint32_t>& first, const Vector<std::uint32_t>& second,
         const Vector<double>& weight, const Vector<double>& degree, bool centred, std::size_t n_threads) {
        const SparseColumns<T> table{values.data(), rows.data(), starts.data(), starts.size() - 1, n_rows};
        return scores(table, weighted(first, second, weight, degree, n_rows), centred, n_threads);
      },
      nb::arg("values").noconvert(), nb::arg("rows"), nb::arg("starts"), nb::arg("n_rows"), nb::arg("first"),
      nb::arg("second"), nb::arg("weight"), nb::arg("degree"), nb::arg("centred"), nb::arg("n_threads") = 1,
      "The same of a CSC matrix.");
}

}  // namespace

void bind_neighbours(nb::module_& module) {
  module.def(
      "exponentials",
      [](const Vector<double>& values) {
        std::vector<double> result(values.size());
        for (std::size_t i = 0; i < result.size(); ++i) result[i] = plain_exp(values.data()[i]);
        return to_numpy(std::move(result));
      },
      nb::arg("values"), "exp of numbers up to 709, the same bits on every machine.");
  bind_for<float>(module);
  bind_for<double>(module);
}

}  // namespace thresher::bindings
