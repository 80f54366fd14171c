// What every builder of packed tables is told.
#pragma once

#include <string>

#include "bindings/bindings.hpp"
#include "bindings/part_sets.hpp"
#include "packing/build.hpp"

namespace thresher::bindings {

BuildOptions read_options(const OptionalParts& parts, const OptionalSets& sets, const nb::object& weights,
                          std::size_t n_rows, std::size_t n_threads, const std::string& missing);

// Tables made slab by slab, and in files.
void bind_storage(nb::module_& module, nb::class_<CodedTable>& table);

}  // namespace thresher::bindings
