// Replicates of a measure, one at a time or summed.
#include "bindings/bindings.hpp"

#include <nanobind/stl/vector.h>

#include <cstdint>
#include <vector>

#include "search/pair_store.hpp"

namespace thresher::bindings {

void bind_replicates(nb::module_& module) {
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
}

}  // namespace thresher::bindings
