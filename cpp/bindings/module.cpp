#include "bindings/bindings.hpp"

#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/isa.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "core/sorting.hpp"

namespace thresher::bindings {

namespace {

auto ascending(const Vector<double>& values) {
  std::vector<std::int64_t> order(values.size());
  std::size_t n_sorted = 0;
  ColumnSorter<double>({}, true).visit(values.data(), values.size(), 0, 1,
                                       [&](std::size_t, const SortedColumn<double>& sorted) {
                                         std::copy(sorted.rows.begin(), sorted.rows.end(), order.begin());
                                         n_sorted = sorted.rows.size();
                                       });
  if (n_sorted != order.size()) throw nb::value_error("values must not be NaN");
  return to_numpy(std::move(order));
}

}  // namespace

void bind_system(nb::module_& module) {
  module.def("ascending", &ascending, nb::arg("values"),
             "Positions of the values from the smallest to the largest, equal ones by position.");
  allocate_thread_locals();
  keep_freed_memory();
  isa_level();  // chosen before any thread or forked child needs it
  module.def("isa_level", [] { return std::string(isa_level_name(isa_level())); }, "The instruction-set level in use.");
}

}  // namespace thresher::bindings

NB_MODULE(_core, module) {
  namespace nb = nanobind;
  module.doc() = "The compiled core of thresher.";
#ifdef NDEBUG
  // After Ctrl-C frames of third-party code may keep objects until the end; users need no warning about that.
  nb::set_leak_warnings(false);
#endif
  nb::register_exception_translator([](const std::exception_ptr& error, void*) {
    try {
      std::rethrow_exception(error);
    } catch (const thresher::Interrupted&) {
      // PyErr_CheckSignals has set KeyboardInterrupt already.
      if (!PyErr_Occurred()) PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
  // Base classes before those that derive from them.
  using namespace thresher::bindings;
  for (const auto bind :
       {&bind_calls, &bind_system, &bind_clusters, &bind_consistency, &bind_measure, &bind_search, &bind_forward,
        &bind_moments, &bind_discretize, &bind_counting, &bind_counted, &bind_dispersion, &bind_neighbours,
        &bind_support_vectors, &bind_testing, &bind_sums, &bind_summed}) {
    bind(module);
  }
}
