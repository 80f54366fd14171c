#include <nanobind/stl/string.h>

#include <optional>
#include <string>

#include "bindings/bindings.hpp"
#include "bindings/numeric_arrays.hpp"
#include "bindings/part_sets.hpp"
#include "measures/sparse_table.hpp"

namespace thresher::bindings {
namespace {

// The arrays are borrowed: they must come in the type asked for, and outlive the table.
void make_sparse_table(SparseTable* self, const Vector<std::int64_t>& starts, const Vector<std::int32_t>& rows,
                       const Vector<double>& values, std::size_t n_rows, const OptionalParts& parts,
                       const OptionalSets& sets, const std::optional<Vector<double>>& weights) {
  const CscView matrix{n_rows, starts.size() - 1, view(starts), view(rows), view(values)};
  ReleasedGil released;
  SignalInterrupt interrupt;
  new (self) SparseTable(matrix, view(parts), read_sets(parts, sets), view(weights));
}

void make_sparse_measure(SparsePairMeasure* self, const SparseTable& table, const std::string& measure,
                         std::size_t n_threads) {
  new (self) SparsePairMeasure(table, numeric_kind(measure), n_threads);
}

}  // namespace

void bind_sparse(nb::module_& module) {
  nb::class_<SparseTable> table(module, "SparseTable", "Numeric features of a CSC matrix.");
  table
      .def("__init__", &make_sparse_table, nb::arg("starts").noconvert(), nb::arg("rows").noconvert(),
           nb::arg("values").noconvert(), nb::arg("n_rows"), nb::arg("parts") = nb::none(),
           nb::arg("sets") = nb::none(), nb::arg("weights") = nb::none(), nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def_prop_ro("n_features", &SparseTable::n_features);
  bind_relevance<SparseTable>(table);
  nb::class_<SparsePairMeasure, PairMeasure>(module, "SparsePairMeasure", "Measures of pairs of sparse columns.")
      .def("__init__", &make_sparse_measure, nb::arg("table"), nb::arg("measure"), nb::arg("n_threads") = 1,
           nb::keep_alive<1, 2>());
}

}  // namespace thresher::bindings
