// Continuous features: transposition, dense and sparse tables, Pearson, cosine, F and Spearman.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "bindings/numeric_arrays.hpp"
#include "bindings/part_sets.hpp"
#include "measures/mixed_measure.hpp"
#include "measures/numeric_measure.hpp"
#include "measures/numeric_relevance.hpp"
#include "measures/ranks.hpp"
#include "measures/sparse_table.hpp"
#include "moments/feature_major.hpp"
#include "moments/numeric_table.hpp"

namespace thresher::bindings {
namespace {

using AnyArray = nb::ndarray<nb::numpy, nb::ro, nb::ndim<2>, nb::device::cpu>;
using AnyResult = nb::ndarray<nb::numpy, nb::ndim<2>>;

template <class In, class Out>
AnyResult transpose(const AnyArray& array, std::span<const std::uint32_t> order, std::size_t n_threads) {
  const StridedMatrix<In> matrix{static_cast<const In*>(array.data()), array.shape(0), array.shape(1), array.stride(0),
                                 array.stride(1)};
  for (const std::uint32_t row : order) {
    if (row >= matrix.n_rows) throw nb::index_error("order names a row that does not exist");
  }
  auto out = empty_numpy<Out>(matrix.n_columns, order.empty() ? matrix.n_rows : order.size());
  without_gil([&](Interrupt& interrupt) { feature_major(matrix, order, out.data(), n_threads, interrupt); });
  return AnyResult(out);
}

AnyResult feature_major_any(const AnyArray& array, std::size_t n_threads,
                            const std::optional<Vector<std::uint32_t>>& order) {
  const auto rows = view(order);
  const nb::dlpack::dtype type = array.dtype();
  if (type.lanes == 1) {
    switch (static_cast<nb::dlpack::dtype_code>(type.code)) {
      case nb::dlpack::dtype_code::Float:
        if (type.bits == 16) return transpose<Half, float>(array, rows, n_threads);
        if (type.bits == 32) return transpose<float, float>(array, rows, n_threads);
        if (type.bits == 64) return transpose<double, double>(array, rows, n_threads);
        break;
      case nb::dlpack::dtype_code::Bool:
        if (type.bits == 8) return transpose<std::uint8_t, float>(array, rows, n_threads);
        break;
      case nb::dlpack::dtype_code::Int:
        if (type.bits == 8) return transpose<std::int8_t, float>(array, rows, n_threads);
        if (type.bits == 16) return transpose<std::int16_t, float>(array, rows, n_threads);
        if (type.bits == 32) return transpose<std::int32_t, double>(array, rows, n_threads);
        if (type.bits == 64) return transpose<std::int64_t, double>(array, rows, n_threads);
        break;
      case nb::dlpack::dtype_code::UInt:
        if (type.bits == 8) return transpose<std::uint8_t, float>(array, rows, n_threads);
        if (type.bits == 16) return transpose<std::uint16_t, float>(array, rows, n_threads);
        if (type.bits == 32) return transpose<std::uint32_t, double>(array, rows, n_threads);
        if (type.bits == 64) return transpose<std::uint64_t, double>(array, rows, n_threads);
        break;
      default: break;
    }
  }
  throw nb::type_error("the array must contain real numbers of at most 64 bits");
}

NumericTable* make_table(NumericArray array, const OptionalParts& parts, const OptionalSets& sets,
                         std::optional<Vector<double>> weights, std::size_t n_threads, const std::string& missing) {
  if (missing != "error" && missing != "pairwise") {
    throw nb::value_error(("missing must be 'error' or 'pairwise', got '" + missing + "'").c_str());
  }
  const NumericMatrix matrix = numeric_matrix(array);
  const NumericOptions options{view(parts), read_sets(parts, sets), view(weights), missing == "pairwise", n_threads};
  return without_gil([&](Interrupt& interrupt) { return new NumericTable(matrix, options, interrupt); });
}

auto copied(std::span<const double> values) { return to_numpy(std::vector<double>(values.begin(), values.end())); }

NumericPairMeasure* make_numeric_measure(const NumericTable& table, const std::string& name, std::size_t n_threads) {
  const NumericKind kind = numeric_kind(name);
  return without_gil([&](Interrupt&) { return new NumericPairMeasure(table, kind, n_threads); });
}

RankPairMeasure* make_rank_measure(NumericArray array, std::size_t n_threads, std::optional<Vector<double>> weights) {
  const NumericMatrix matrix = numeric_matrix(array);
  return without_gil(
      [&](Interrupt& interrupt) { return new RankPairMeasure(matrix, view(weights), n_threads, interrupt); });
}

AnyResult rank_array(NumericArray array, std::size_t n_threads) {
  const NumericMatrix matrix = numeric_matrix(array);
  DoubledRanks ranks =
      without_gil([&](Interrupt& interrupt) { return doubled_ranks(matrix, {}, n_threads, interrupt); });
  if (ranks.wide.empty()) return AnyResult(to_numpy(std::move(ranks.narrow), matrix.n_features, matrix.n_rows));
  return AnyResult(to_numpy(std::move(ranks.wide), matrix.n_features, matrix.n_rows));
}

nb::ndarray<nb::numpy, double, nb::ndim<1>> relevance_spearman(const RankPairMeasure& measure, Vector<double> target) {
  return to_numpy(without_gil([&](Interrupt&) { return measure.relevance(view(target)); }));
}

auto constant(const NumericTable& table) {
  std::vector<std::uint8_t> marks(table.n_features());
  for (std::size_t feature = 0; feature < marks.size(); ++feature) marks[feature] = table.constant(feature);
  return to_numpy_bool(std::move(marks));
}

// The arrays are borrowed: they must have exactly these types, and outlive the table.
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

using CodeMatrix = nb::ndarray<nb::numpy, const std::uint8_t, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// The tables and arrays are borrowed: they must outlive the measure.
void make_mixed_measure(MixedMeasure* self, const NumericTable& numbers, std::shared_ptr<CodedTable> categories,
                        const CodeMatrix& codes, const Vector<std::int32_t>& levels,
                        const Vector<std::uint8_t>& is_category, std::size_t n_threads) {
  const CategoryRows rows{{codes.data(), codes.size()}, view(levels)};
  new (self) MixedMeasure(numbers, std::move(categories), rows, view(is_category), n_threads);
}

}  // namespace

void bind_moments(nb::module_& module) {
  module.def("feature_major", &feature_major_any, nb::arg("array").noconvert(), nb::arg("n_threads") = 1,
             nb::arg("order") = nb::none(),
             "One row per feature: (p, n) float32 where that represents every value of the dtype, else float64. "
             "order: rows to take, in that order.");
  nb::class_<NumericTable> numeric_table(module, "NumericTable", "Continuous features, one row per feature.");
  numeric_table
      .def(nb::new_(&make_table), nb::arg("matrix").noconvert(), nb::arg("parts") = nb::none(),
           nb::arg("sets") = nb::none(), nb::arg("weights") = nb::none(), nb::arg("n_threads") = 1,
           nb::arg("missing") = "error", nb::keep_alive<0, 2>())
      .def_prop_ro("n_features", &NumericTable::n_features)
      .def_prop_ro("n_rows", &NumericTable::n_rows)
      .def_prop_ro("n_replicates", &NumericTable::n_replicates)
      .def_prop_ro(
          "mean", [](const NumericTable& table) { return copied(table.mean()); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "minimum", [](const NumericTable& table) { return copied(table.minimum()); }, nb::rv_policy::automatic)
      .def_prop_ro(
          "maximum", [](const NumericTable& table) { return copied(table.maximum()); }, nb::rv_policy::automatic)
      .def_prop_ro("constant", &constant, nb::rv_policy::automatic);
  bind_relevance<NumericTable>(numeric_table);
  nb::class_<NumericPairMeasure, PairMeasure>(module, "NumericPairMeasure", "Measures of pairs of features.")
      .def(nb::new_(&make_numeric_measure), nb::arg("table"), nb::arg("measure"), nb::arg("n_threads") = 1,
           nb::keep_alive<0, 2>());
  nb::class_<RankPairMeasure, PairMeasure>(module, "RankPairMeasure", "Spearman correlation of pairs of features.")
      .def(nb::new_(&make_rank_measure), nb::arg("matrix").noconvert(), nb::arg("n_threads") = 1,
           nb::arg("weights") = nb::none())
      .def_prop_ro("n_rows", &RankPairMeasure::n_rows)
      .def("relevance_spearman", &relevance_spearman, nb::arg("values"));
  nb::class_<MixedMeasure, PairMeasure>(module, "MixedMeasure", "The association of numbers and categories.")
      .def("__init__", &make_mixed_measure, nb::arg("numbers"), nb::arg("categories"), nb::arg("codes").noconvert(),
           nb::arg("levels").noconvert(), nb::arg("is_category"), nb::arg("n_threads") = 1, nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 4>(), nb::keep_alive<1, 5>());
  module.def("doubled_ranks", &rank_array, nb::arg("matrix").noconvert(), nb::arg("n_threads") = 1,
             "2 less + equal - n for every value; int16 or int32, (p, n).");
  nb::class_<SparseTable> sparse_table(module, "SparseTable", "Numeric features of a CSC matrix.");
  sparse_table
      .def("__init__", &make_sparse_table, nb::arg("starts").noconvert(), nb::arg("rows").noconvert(),
           nb::arg("values").noconvert(), nb::arg("n_rows"), nb::arg("parts") = nb::none(),
           nb::arg("sets") = nb::none(), nb::arg("weights") = nb::none(), nb::keep_alive<1, 2>(),
           nb::keep_alive<1, 3>(), nb::keep_alive<1, 4>())
      .def_prop_ro("n_features", &SparseTable::n_features);
  bind_relevance<SparseTable>(sparse_table);
  nb::class_<SparsePairMeasure, PairMeasure>(module, "SparsePairMeasure", "Measures of pairs of sparse columns.")
      .def("__init__", &make_sparse_measure, nb::arg("table"), nb::arg("measure"), nb::arg("n_threads") = 1,
           nb::keep_alive<1, 2>());
}

}  // namespace thresher::bindings
