// The options that every builder of packed tables takes.
#pragma once

#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "bindings/part_sets.hpp"
#include "packing/build.hpp"

namespace thresher::bindings {

BuildOptions read_options(const OptionalParts& parts, const OptionalSets& sets, const nb::object& weights,
                          std::size_t n_rows, std::size_t n_threads, const std::string& missing);

// Returns the arrays of a SciPy matrix; `held` keeps them alive.
SparseView read_sparse(const nb::object& indptr, const nb::object& indices, const nb::object& data, std::size_t n_rows,
                       std::size_t n_columns, bool is_csc, std::vector<HeldArray>& held);
// Returns the same, checked.
SparseView checked_sparse(const nb::object& indptr, const nb::object& indices, const nb::object& data,
                          std::size_t n_rows, std::size_t n_columns, bool is_csc, std::vector<HeldArray>& held);

// Tables built one group of columns at a time, and tables in files.
void bind_storage(nb::module_& module, nb::class_<CodedTable>& table);

}  // namespace thresher::bindings
