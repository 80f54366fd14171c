// Dispersion measures, class separation, similarities and the walk of the relevance-redundancy filter.
#include <nanobind/stl/string.h>

#include <cstdint>
#include <string>

#include "bindings/bindings.hpp"
#include "bindings/numeric_arrays.hpp"
#include "bindings/results.hpp"
#include "measures/class_scatter.hpp"
#include "measures/dispersion.hpp"
#include "search/redundancy_walk.hpp"

namespace thresher::bindings {
namespace {

template <class Columns>
auto dispersions_of(const Columns& columns, const std::string& measure, bool skip_missing, std::size_t n_threads) {
  const DispersionOptions options{choice_from("measure", measure, kDispersions), skip_missing, n_threads};
  return to_numpy(without_gil([&](Interrupt& interrupt) { return dispersions(columns, options, interrupt); }));
}

template <class Columns>
auto separations_of(const Columns& columns, const std::string& measure, const Vector<std::int32_t>& classes,
                    std::size_t n_classes, std::size_t n_threads) {
  const SeparationOptions options{class_kind(measure), check_classes(classes, columns.n_rows, n_classes), n_classes,
                                  n_threads};
  return to_numpy(without_gil([&](Interrupt&) { return separations(columns, options); }));
}

template <class T>
void bind_for(nb::module_& module) {
  module.def(
      "dispersion",
      [](const Matrix<T>& columns, const std::string& measure, bool skip_missing, std::size_t n_threads) {
        return dispersions_of(dense_columns(columns), measure, skip_missing, n_threads);
      },
      nb::arg("columns").noconvert(), nb::arg("measure"), nb::arg("skip_missing") = false, nb::arg("n_threads") = 1,
      "Dispersion of every feature of a (features, rows) array.");
  module.def(
      "dispersion_sparse",
      [](const Vector<T>& values, const Vector<std::int32_t>& rows, const Vector<std::int64_t>& starts,
         std::size_t n_rows, const std::string& measure, bool skip_missing, std::size_t n_threads) {
        return dispersions_of(sparse_columns(values, rows, starts, n_rows), measure, skip_missing, n_threads);
      },
      nb::arg("values").noconvert(), nb::arg("rows"), nb::arg("starts"), nb::arg("n_rows"), nb::arg("measure"),
      nb::arg("skip_missing") = false, nb::arg("n_threads") = 1, "Dispersion of every feature of a CSC matrix.");
  module.def(
      "separation",
      [](const Matrix<T>& columns, const std::string& measure, const Vector<std::int32_t>& classes,
         std::size_t n_classes, std::size_t n_threads) {
        return separations_of(dense_columns(columns), measure, classes, n_classes, n_threads);
      },
      nb::arg("columns").noconvert(), nb::arg("measure"), nb::arg("classes"), nb::arg("n_classes"),
      nb::arg("n_threads") = 1, "How well every feature separates the classes.");
  module.def(
      "separation_rows",
      [](const Matrix<T>& rows, const std::string& measure, const Vector<std::int32_t>& classes, std::size_t n_classes,
         std::size_t n_threads) {
        const RowMatrix<T> matrix{rows.data(), rows.shape(1), rows.shape(0), rows.shape(1)};
        return separations_of(matrix, measure, classes, n_classes, n_threads);
      },
      nb::arg("rows").noconvert(), nb::arg("measure"), nb::arg("classes"), nb::arg("n_classes"),
      nb::arg("n_threads") = 1, "The same of a (rows, features) array, read once as it lies.");
}

}  // namespace

void bind_dispersion(nb::module_& module) {
  bind_for<float>(module);
  bind_for<double>(module);
  nb::class_<Walk> walk(module, "Walk", "The features kept by a walk down an order, and why others were not.");
  def_indices(walk, "kept", &Walk::kept);
  walk.def_prop_ro("similarity", array_of<Walk>(&Walk::similarity),
                   "Of every feature examined: the similarity that rejected it, or the largest.")
      .def_prop_ro("rival", array_of<Walk>(&Walk::rival), "The kept feature of that similarity; -1 if there is none.")
      .def_ro("n_scanned", &Walk::n_scanned)
      .def_ro("n_evaluations", &Walk::n_evaluations);
  module.def(
      "redundancy_walk",
      [](PairMeasure& similarity, const Vector<std::uint32_t>& order, const Vector<double>& relevance,
         std::size_t max_kept, double max_similarity, bool against_all, double stop_mass, std::size_t n_kept_before,
         std::size_t n_threads) {
        for (const std::uint32_t f : view(order)) {
          if (f >= similarity.n_features() || f >= relevance.size()) throw nb::index_error("order is out of range");
        }
        return without_gil([&](Interrupt& interrupt) {
          return redundancy_walk(similarity, view(order), view(relevance),
                                 {max_kept, max_similarity, against_all, stop_mass, n_kept_before, n_threads},
                                 interrupt);
        });
      },
      nb::arg("similarity"), nb::arg("order"), nb::arg("relevance"), nb::kw_only(), nb::arg("max_kept"),
      nb::arg("max_similarity"), nb::arg("against_all") = false, nb::arg("stop_mass") = -1.0,
      nb::arg("n_kept_before") = 0, nb::arg("n_threads") = 1,
      "Walks down the order, keeping features that are not too similar to one kept before.");
}

}  // namespace thresher::bindings
