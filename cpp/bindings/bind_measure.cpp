// The base class of all pair measures, and the one that reads a table.
#include "bindings/bindings.hpp"

#include <nanobind/stl/vector.h>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "measures/in_rounds.hpp"
#include "measures/matrix_measure.hpp"
#include "measures/pair_measure.hpp"

namespace thresher::bindings {
namespace {

void check_index(std::uint32_t feature, std::size_t n_features) {
  if (feature >= n_features) {
    throw nb::index_error(
        ("feature " + std::to_string(feature) + " is out of range, there are " + std::to_string(n_features)).c_str());
  }
}

nb::ndarray<nb::numpy, double, nb::ndim<2>> measure_values(PairMeasure& measure, std::uint32_t reference,
                                                           Vector<std::uint32_t> features) {
  check_index(reference, measure.n_features());
  const std::span<const std::uint32_t> wanted(features.data(), features.size());
  for (const std::uint32_t feature : wanted) check_index(feature, measure.n_features());
  std::vector<double> out(wanted.size() * measure.n_replicates());
  {
    ReleasedGil released;
    SignalInterrupt interrupt;
    measure.values(reference, wanted, out);
  }
  return to_numpy(std::move(out), wanted.size(), measure.n_replicates());
}

MatrixMeasure* make_matrix_measure(nb::ndarray<const double, nb::c_contig, nb::device::cpu> values) {
  if (values.ndim() != 2 && values.ndim() != 3) {
    throw nb::value_error("values must have the shape (p, p) or (e, p, p)");
  }
  const std::size_t n_replicates = values.ndim() == 3 ? values.shape(0) : 1;
  const std::size_t n_features = values.shape(values.ndim() - 1);
  if (values.shape(values.ndim() - 2) != n_features || n_replicates == 0) {
    throw nb::value_error("values must have the shape (p, p) or (e, p, p)");
  }
  return new MatrixMeasure(std::vector<double>(values.data(), values.data() + values.size()), n_features, n_replicates);
}

}  // namespace

void bind_measure(nb::module_& module) {
  nb::class_<PairMeasure>(module, "PairMeasure", "Values of one measure for pairs of features.")
      .def_prop_ro("n_features", &PairMeasure::n_features)
      .def_prop_ro("n_replicates", &PairMeasure::n_replicates)
      .def_prop_ro("is_symmetric", &PairMeasure::is_symmetric)
      .def("values", &measure_values, nb::arg("reference"), nb::arg("features"),
           "values(reference, features) -> (len(features), n_replicates) array");
  nb::class_<MatrixMeasure, PairMeasure>(module, "MatrixMeasure",
                                         "A measure that reads a table: values[..., reference, feature].")
      .def(nb::new_(&make_matrix_measure), nb::arg("values"));
  nb::class_<InRounds, PairMeasure>(module, "InRounds", "Another measure, as if it answered in rounds.")
      .def(nb::init<PairMeasure&, std::size_t>(), nb::arg("base"), nb::arg("round_size"), nb::keep_alive<1, 2>())
      .def_prop_ro("n_rounds", &InRounds::n_rounds);
}

}  // namespace thresher::bindings
