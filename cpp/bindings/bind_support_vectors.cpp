// Support vector machines: recursive elimination, and classes of rows.
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "bindings/numeric_arrays.hpp"
#include "bindings/searching.hpp"
#include "support_vectors/classify.hpp"
#include "support_vectors/elimination.hpp"

namespace thresher::bindings {
namespace {

using EliminationProgress = std::optional<nb::typed<nb::callable, nb::object(std::size_t, std::size_t)>>;

auto recursive_elimination(const Matrix<double>& columns, const Matrix<double>& signs,
                           const Vector<std::uint32_t>& used, const Vector<std::uint8_t>& never,
                           const Vector<std::uint32_t>& counts, double penalty, double tolerance, std::size_t n_threads,
                           const EliminationProgress& progress) {
  const std::size_t n_features = columns.shape(0);
  if (signs.shape(1) != columns.shape(1) || never.size() != n_features) throw nb::value_error("lengths differ");
  for (const std::uint32_t feature : view(used)) {
    if (feature >= n_features) throw nb::index_error("feature out of range");
  }
  const auto show = [&](std::size_t n_rounds, std::size_t n_left) {
    nb::gil_scoped_acquire gil;
    (*progress)(n_rounds, n_left);
  };
  EliminationInput input{dense_columns(columns), view(signs), view(used), view(never), view(counts), n_threads, {}};
  if (progress) input.progress = show;
  Eliminated result =
      without_gil([&](Interrupt& interrupt) { return eliminate(input, {penalty, tolerance, true}, interrupt); });
  return std::make_tuple(to_numpy(std::move(result.dropped)), to_numpy(std::move(result.scores)), result.n_unfinished);
}

using Products = nb::ndarray<nb::numpy, double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

nb::ndarray<nb::numpy, double, nb::ndim<2>> decide_pairs(const Products& own, const Products& others,
                                                         const Vector<double>& squares,
                                                         const Vector<std::int32_t>& classes, std::size_t n_classes,
                                                         double gamma, double penalty, double tolerance) {
  const std::size_t n = classes.size();
  if (n == 0 || own.shape(0) != n || own.shape(1) != n || others.shape(0) != squares.size() || others.shape(1) != n) {
    throw nb::value_error("lengths differ");
  }
  const LabelledRows rows{{own.data(), own.size()},
                          {others.data(), others.size()},
                          view(squares),
                          check_classes(classes, n, n_classes),
                          n_classes,
                          gamma};
  auto decisions = without_gil(
      [&](Interrupt& interrupt) { return thresher::decide_pairs(rows, {penalty, tolerance, false}, interrupt); });
  return to_numpy(std::move(decisions), squares.size(), n_classes * (n_classes - 1) / 2);
}

}  // namespace

void bind_support_vectors(nb::module_& module) {
  module.def(
      "recursive_elimination", &recursive_elimination, nb::arg("columns").noconvert(), nb::arg("signs"),
      nb::arg("used"), nb::arg("never"), nb::arg("counts"), nb::arg("penalty"), nb::arg("tolerance"),
      nb::arg("n_threads") = 1, nb::arg("progress") = nb::none(),
      "Features of a (features, rows) array in the order in which they are dropped, their squared weights when last "
      "computed, and the number of trainings that stopped before the tolerance.");
  module.def(
      "decide_pairs", &decide_pairs, nb::arg("own").noconvert(), nb::arg("others").noconvert(), nb::arg("squares"),
      nb::arg("classes"), nb::arg("n_classes"), nb::arg("gamma"), nb::arg("penalty") = 1.0, nb::arg("tolerance") = 1e-3,
      "Machines with a Gaussian kernel, one per pair of classes: their decisions on other rows, positive for the "
      "first class of the pair. `own` are the inner products of the rows of known class, `others` those of the "
      "other rows with them, `squares` of the other rows with themselves; the first two are overwritten.");
}

}  // namespace thresher::bindings
