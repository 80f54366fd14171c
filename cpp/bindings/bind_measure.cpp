// The base class of all pair measures.
#include "bindings/bindings.hpp"

#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

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
  for (const std::uint32_t feature : view(features)) check_index(feature, measure.n_features());
  std::vector<double> out(features.size() * measure.n_replicates());
  without_gil([&](Interrupt&) { measure.values(reference, view(features), out); });
  return to_numpy(std::move(out), features.size(), measure.n_replicates());
}

}  // namespace

void bind_measure(nb::module_& module) {
  nb::class_<PairMeasure>(module, "PairMeasure", "Values of one measure for pairs of features.")
      .def_prop_ro("n_features", &PairMeasure::n_features)
      .def_prop_ro("n_replicates", &PairMeasure::n_replicates)
      .def_prop_ro("is_symmetric", &PairMeasure::is_symmetric)
      .def("values", &measure_values, nb::arg("reference"), nb::arg("features"),
           "values(reference, features) -> (len(features), n_replicates) array");
}

}  // namespace thresher::bindings
