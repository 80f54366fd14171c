// The base class of all pair measures, and replicates of a measure, one at a time or summed.
#include "bindings/bindings.hpp"

#include <nanobind/stl/vector.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "measures/pair_measure.hpp"
#include "measures/shared_bits.hpp"
#include "search/pair_store.hpp"

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
  nb::class_<PairStore>(module, "ReplicateCache", "Values on all replicates, computed once per pair.")
      .def(nb::init<PairMeasure&, std::size_t, bool>(), nb::arg("base"), nb::arg("memory_limit") = 0,
           nb::arg("own_replicates") = false, nb::keep_alive<1, 2>())
      .def_prop_ro("n_distinct", &PairStore::n_distinct)
      .def_prop_ro("n_computed", &PairStore::n_computed)
      .def_prop_ro("full", &PairStore::is_full);
  nb::class_<ReplicateView, PairMeasure>(module, "ReplicateView", "One replicate as a plain measure.")
      .def(nb::init<PairStore&, std::size_t>(), nb::arg("cache"), nb::arg("replicate"), nb::keep_alive<1, 2>());
  nb::class_<SummedReplicates, PairMeasure>(module, "SummedReplicates", "The sum over replicates as a plain measure.")
      .def(nb::init<PairMeasure&, std::vector<std::uint32_t>>(), nb::arg("base"), nb::arg("replicates"),
           nb::keep_alive<1, 2>());
  nb::class_<SharedBits, PairMeasure>(module, "SharedBits", "-1/2 log2(1 - A) of the values A of another measure.")
      .def(nb::init<PairMeasure&>(), nb::arg("base"), nb::keep_alive<1, 2>());
  module.def("shared_bits", &shared_bits, nb::arg("value"), "-1/2 log2(1 - value) bits, 32 at most.");
  module.def("novelty", &novelty, nb::arg("bits"), "2^(-bits), the same on every system.");
}

}  // namespace thresher::bindings
