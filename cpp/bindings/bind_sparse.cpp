#include <nanobind/stl/string.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/part_sets.hpp"
#include "measures/sparse_table.hpp"

namespace thresher::bindings {
namespace {

template <class T>
std::span<const T> view(const Vector<T>& array) {
  return {array.data(), array.size()};
}

// The arrays are borrowed: they must come in the type asked for, and outlive the table.
void make_sparse_table(SparseTable* self, const Vector<std::int64_t>& starts, const Vector<std::int32_t>& rows,
                       const Vector<double>& values, std::size_t n_rows, const OptionalParts& parts,
                       const OptionalSets& sets, const std::optional<Vector<double>>& weights) {
  const CscView matrix{n_rows, starts.size() - 1, view(starts), view(rows), view(values)};
  ReleasedGil released;
  SignalInterrupt interrupt;
  new (self) SparseTable(matrix, as_span(parts), read_sets(parts, sets), as_span(weights));
}

// One row per replicate; plain data give one dimension.
nb::object per_feature(const SparseTable& table, std::vector<double>&& values) {
  if (!table.has_parts()) return nb::cast(to_numpy(std::move(values)));
  return nb::cast(to_numpy(std::move(values), table.n_replicates(), table.n_features()));
}

template <class Compute>
nb::object relevance(const SparseTable& table, Compute compute) {
  std::vector<double> values(table.n_replicates() * table.n_features());
  {
    ReleasedGil released;
    SignalInterrupt interrupt;
    compute(std::span<double>(values));
  }
  return per_feature(table, std::move(values));
}

nb::object constant_parts(const SparseTable& table) {
  auto* flags = new bool[table.n_replicates() * table.n_features()];
  nb::capsule owner(flags, [](void* p) noexcept { delete[] static_cast<bool*>(p); });
  table.constant({reinterpret_cast<std::uint8_t*>(flags), table.n_replicates() * table.n_features()});
  return nb::cast(nb::ndarray<nb::numpy, bool, nb::ndim<2>>(flags, {table.n_replicates(), table.n_features()}, owner));
}

void make_sparse_measure(SparsePairMeasure* self, const SparseTable& table, const std::string& measure,
                         std::size_t n_threads) {
  if (measure != "pearson" && measure != "cosine")
    throw std::invalid_argument("no measure of sparse columns: " + measure);
  new (self) SparsePairMeasure(table, measure == "pearson", n_threads);
}

}  // namespace

void bind_sparse(nb::module_& module) {
  nb::class_<SparseTable>(module, "SparseTable", "Numeric features of a CSC matrix.")
      .def("__init__", &make_sparse_table, nb::arg("starts").noconvert(), nb::arg("rows").noconvert(),
           nb::arg("values").noconvert(), nb::arg("n_rows"), nb::arg("parts") = nb::none(),
           nb::arg("sets") = nb::none(), nb::arg("weights") = nb::none(), nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def_prop_ro("n_features", &SparseTable::n_features)
      .def_prop_ro("constant_parts", &constant_parts)
      .def(
          "relevance_pearson",
          [](const SparseTable& table, const Vector<double>& target, std::size_t n_threads) {
            return relevance(table,
                             [&](std::span<double> out) { table.relevance_pearson(view(target), n_threads, out); });
          },
          nb::arg("values"), nb::arg("n_threads"))
      .def(
          "relevance_cosine",
          [](const SparseTable& table, const Vector<double>& target, std::size_t n_threads) {
            return relevance(table,
                             [&](std::span<double> out) { table.relevance_cosine(view(target), n_threads, out); });
          },
          nb::arg("values"), nb::arg("n_threads"))
      .def(
          "relevance_f",
          [](const SparseTable& table, const Vector<std::int32_t>& classes, std::size_t n_classes,
             std::size_t n_threads) {
            return relevance(
                table, [&](std::span<double> out) { table.relevance_f(view(classes), n_classes, n_threads, out); });
          },
          nb::arg("classes"), nb::arg("n_classes"), nb::arg("n_threads"));
  nb::class_<SparsePairMeasure, PairMeasure>(module, "SparsePairMeasure", "Pearson or cosine of sparse columns.")
      .def("__init__", &make_sparse_measure, nb::arg("table"), nb::arg("measure"), nb::arg("n_threads"),
           nb::keep_alive<1, 2>());
}

}  // namespace thresher::bindings
