#include "bindings/bindings.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "core/isa.hpp"

namespace thresher::bindings {

void bind_system(nb::module_& module) {
  module.def("isa_level", [] { return std::string(isa_level_name(isa_level())); }, "The instruction-set level in use.");
  module.def(
      "best_isa_level", [] { return std::string(isa_level_name(best_isa_level())); },
      "The best instruction-set level of this processor.");
}

}  // namespace thresher::bindings

NB_MODULE(_core, module) {
  namespace nb = nanobind;
  module.doc() = "The compiled core of thresher.";
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const thresher::Interrupted&) {
      // PyErr_CheckSignals has set KeyboardInterrupt already.
      if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
  thresher::bindings::bind_system(module);
  thresher::bindings::bind_consistency(module);
  thresher::bindings::bind_measure(module);
  thresher::bindings::bind_replicates(module);
  thresher::bindings::bind_search(module);
  thresher::bindings::bind_forward(module);
  thresher::bindings::bind_moments(module);
  thresher::bindings::bind_discretize(module);
  thresher::bindings::bind_counting(module);
  thresher::bindings::bind_dispersion(module);
  thresher::bindings::bind_neighbours(module);
  thresher::bindings::bind_sparse(module);
}
