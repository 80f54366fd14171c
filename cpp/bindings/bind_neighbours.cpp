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

#include "bindings/numeric_arrays.hpp"
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
  if (nominal.size() != columns.shape(0)) throw nb::value_error("lengths differ");
  if (kind == "rrelieff" && view(target).size() != n_rows) throw nb::value_error("rrelieff needs a number per row");
  const auto codes = check_classes(classes, n_rows, n_classes);
  for (const std::uint32_t row : view(rows)) {
    if (row >= n_rows) throw nb::index_error("row out of range");
  }
  const ReliefKind which = choice_from("kind", kind, kReliefKinds);
  return to_numpy(without_gil([&](Interrupt& interrupt) {
    const auto table = scaled_by_range(dense_columns(columns), view(nominal), codes, n_classes, n_threads);
    return relief_weights(table, {which, n_neighbours, view(rows), n_threads, view(target)}, interrupt);
  }));
}

template <class T>
auto graph(const Matrix<T>& columns, std::size_t n_neighbours, std::size_t n_threads) {
  Edges edges = without_gil(
      [&](Interrupt& interrupt) { return nearest_graph(dense_columns(columns), n_neighbours, n_threads, interrupt); });
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
  return {view(first), view(second), view(weight), view(degree)};
}

template <class Columns>
auto scores(const Columns& columns, const WeightedGraph& on, bool centred, std::size_t n_threads) {
  return to_numpy(without_gil([&](Interrupt&) { return graph_scores(columns, on, centred, n_threads); }));
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
        const WeightedGraph on = weighted(first, second, weight, degree, columns.shape(1));
        return scores(dense_columns(columns), on, centred, n_threads);
      },
      nb::arg("columns").noconvert(), nb::arg("first"), nb::arg("second"), nb::arg("weight"), nb::arg("degree"),
      nb::arg("centred"), nb::arg("n_threads") = 1, "Laplacian score (centred) or its uncentred form.");
  module.def(
      "graph_scores_sparse",
      [](const Vector<T>& values, const Vector<std::int32_t>& rows, const Vector<std::int64_t>& starts,
         std::size_t n_rows, const Vector<std::uint32_t>& first, const Vector<std::uint32_t>& second,
         const Vector<double>& weight, const Vector<double>& degree, bool centred, std::size_t n_threads) {
        const WeightedGraph on = weighted(first, second, weight, degree, n_rows);
        return scores(sparse_columns(values, rows, starts, n_rows), on, centred, n_threads);
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
