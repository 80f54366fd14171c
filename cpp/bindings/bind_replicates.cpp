// Replicates of a measure, one at a time or summed.
#include "bindings/bindings.hpp"

#include <nanobind/stl/vector.h>

#include <cstdint>
#include <vector>

#include "search/replicate_views.hpp"

namespace thresher::bindings {

void bind_replicates(nb::module_& module) {
  nb::class_<ReplicateCache>(module, "ReplicateCache", "Values on all replicates, computed once per pair.")
      .def(nb::init<PairMeasure&, std::size_t>(), nb::arg("base"), nb::arg("memory_limit") = 0, nb::keep_alive<1, 2>())
      .def_prop_ro("n_computed", &ReplicateCache::n_computed)
      .def_prop_ro("full", &ReplicateCache::full);
  nb::class_<ReplicateView, PairMeasure>(module, "ReplicateView", "One replicate as a plain measure.")
      .def(nb::init<ReplicateCache&, std::size_t>(), nb::arg("cache"), nb::arg("replicate"), nb::keep_alive<1, 2>());
  nb::class_<SummedReplicates, PairMeasure>(module, "SummedReplicates", "The sum over replicates as a plain measure.")
      .def(nb::init<PairMeasure&, std::vector<std::uint32_t>>(), nb::arg("base"), nb::arg("replicates"),
           nb::keep_alive<1, 2>());
}

}  // namespace thresher::bindings
