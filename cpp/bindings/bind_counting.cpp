// Packed tables of discrete features and the measures on them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "bindings/build_options.hpp"
#include "bindings/part_sets.hpp"
#include "bindings/results.hpp"
#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "measures/cell_values.hpp"
#include "measures/discrete_measure.hpp"
#include "measures/three_way.hpp"
#include "packing/build.hpp"
#include "packing/scan.hpp"

namespace thresher::bindings {
namespace {

DiscreteMeasure measure_named(const std::string& name) { return choice_from("measure", name, kDiscreteMeasures); }

std::shared_ptr<CodedTable> table_from_dense(AnyNumpy array, const OptionalParts& parts, const OptionalSets& sets,
                                             const AnyNumpy& weights, std::size_t n_threads,
                                             const std::string& missing) {
  const HeldArray held = hold_array(std::move(array), 2);
  BuildOptions options = read_options(parts, sets, weights, held.view.n_rows, n_threads, missing);
  return without_gil([&](Interrupt& interrupt) {
    return std::make_shared<CodedTable>(build_from_dense(held.view, std::move(options), interrupt));
  });
}

std::shared_ptr<CodedTable> table_from_codes(const Matrix<std::uint8_t>& codes, const Vector<std::int32_t>& levels,
                                             const OptionalParts& parts, const OptionalSets& sets,
                                             const AnyNumpy& weights, std::size_t n_threads, int missing_code) {
  if (codes.shape(0) != levels.size()) throw std::invalid_argument("levels: one number per feature is needed");
  BuildOptions options = read_options(parts, sets, weights, codes.shape(1), n_threads, "pairwise");
  return without_gil([&](Interrupt& interrupt) {
    return std::make_shared<CodedTable>(
        build_from_codes(codes.data(), view(levels), codes.shape(1), missing_code, std::move(options), interrupt));
  });
}

std::shared_ptr<CodedTable> table_take(const CodedTable& table, const Vector<std::int64_t>& rows,
                                       std::size_t n_threads) {
  return without_gil([&](Interrupt& interrupt) {
    return std::make_shared<CodedTable>(take_rows(table, view(rows), n_threads, interrupt));
  });
}

bool sparse_indices_rise(const AnyNumpy& indptr, const AnyNumpy& indices, const AnyNumpy& data, std::size_t n_rows,
                         std::size_t n_columns, bool is_csc) {
  std::vector<HeldArray> held;
  return check_indices(read_sparse(indptr, indices, data, n_rows, n_columns, is_csc, held));
}

std::shared_ptr<CodedTable> table_from_sparse(const AnyNumpy& indptr, const AnyNumpy& indices, const AnyNumpy& data,
                                              std::size_t n_rows, std::size_t n_columns, bool is_csc,
                                              const OptionalParts& parts, const OptionalSets& sets,
                                              const AnyNumpy& weights, std::size_t n_threads,
                                              const std::string& missing, std::size_t dense_bytes) {
  std::vector<HeldArray> held;
  const SparseView matrix = checked_sparse(indptr, indices, data, n_rows, n_columns, is_csc, held);
  BuildOptions options = read_options(parts, sets, weights, n_rows, n_threads, missing);
  options.dense_bytes = dense_bytes;
  return without_gil([&](Interrupt& interrupt) {
    return std::make_shared<CodedTable>(build_from_sparse(matrix, std::move(options), interrupt));
  });
}

void check_feature(const CodedTable& table, std::size_t f) {
  if (f >= table.n_features()) throw nb::index_error("feature out of range");
}

auto table_levels(const CodedTable& table) {
  std::vector<std::int32_t> levels(table.n_features());
  for (std::size_t f = 0; f < levels.size(); ++f) levels[f] = table.feature(f).levels;
  return to_numpy(std::move(levels));
}

auto table_constant(const CodedTable& table) {
  std::vector<std::uint8_t> constant(table.n_features());
  for (std::size_t f = 0; f < constant.size(); ++f) constant[f] = table.is_constant(f);
  return to_numpy_bool(std::move(constant));
}

auto table_constant_parts(const CodedTable& table) {
  const std::size_t n = table.n_features();
  const std::size_t n_replicates = table.layout().n_replicates();
  std::vector<std::uint8_t> constant(n * n_replicates);
  std::vector<std::uint8_t> one(n_replicates);
  for (std::size_t f = 0; f < n; ++f) {
    if (table.surely_varies(f)) continue;
    table.find_constant_replicates(f, one.data());
    for (std::size_t r = 0; r < n_replicates; ++r) constant[r * n + f] = one[r];
  }
  return to_numpy_bool(std::move(constant), n_replicates, n);
}

auto table_codes(const CodedTable& table, std::size_t f) {
  check_feature(table, f);
  std::vector<std::uint8_t> codes(table.n_rows());
  table.codes_of(f, codes.data());
  return to_numpy(std::move(codes));
}

auto table_matrix(const CodedTable& table, const std::optional<Vector<std::uint32_t>>& features,
                  std::size_t n_threads) {
  const std::size_t n = features ? features->size() : table.n_features();
  for (std::size_t i = 0; features && i < n; ++i) check_feature(table, features->data()[i]);
  UninitialisedVector<std::uint8_t> codes(checked_product(n, table.n_rows()));
  without_gil([&](Interrupt&) {
    parallel_for(n, 16, n_threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        table.codes_of(features ? features->data()[i] : i, codes.data() + i * table.n_rows());
      }
    });
  });
  return to_numpy(std::move(codes), n, table.n_rows());
}

nb::ndarray<nb::numpy, double> table_relevance(const CodedTable& table, const Vector<std::int32_t>& classes,
                                               std::size_t n_classes, const std::string& measure,
                                               std::size_t n_threads) {
  const DiscreteMeasure kind = measure_named(measure);
  const std::size_t n_replicates = table.layout().n_replicates();
  std::vector<double> values(table.n_features() * n_replicates);
  without_gil([&](Interrupt&) { discrete_relevance(table, view(classes), n_classes, kind, n_threads, values); });
  using Values = nb::ndarray<nb::numpy, double>;
  if (!table.layout().has_parts()) return Values(to_numpy(std::move(values)));
  return Values(to_numpy(std::move(values), n_replicates, table.n_features()));
}

// High and low words of sums of real weights, by levels.
using WeightedCounts = nb::ndarray<nb::numpy, const double, nb::shape<-1, -1, 2>, nb::c_contig, nb::device::cpu>;

template <class Count>
double value_of_cells(std::span<const Count> cells, std::size_t n_rows, const std::string& measure) {
  Count total{};
  for (const Count cell : cells) {
    if (leading(cell) < 0.0) throw nb::value_error("counts must not be negative");
    total += cell;
  }
  double value = 0.0;
  table_values(measure_named(measure), XLogX(static_cast<std::uint64_t>(leading(total))), PartSets(), cells, n_rows,
               &value);
  return value;
}

double value_of_counts(const Matrix<std::int64_t>& counts, const std::string& measure) {
  return value_of_cells(view(counts), counts.shape(0), measure);
}

double value_of_weighted_counts(const WeightedCounts& counts, const std::string& measure) {
  std::vector<DoubleDouble> cells;
  for (std::size_t i = 0; i < counts.size(); i += 2) cells.push_back({counts.data()[i], counts.data()[i + 1]});
  return value_of_cells<DoubleDouble>(cells, counts.shape(0), measure);
}

ColumnScan scan_columns(AnyNumpy array, std::size_t n_threads) {
  const HeldArray held = hold_array(std::move(array), 2);
  return without_gil([&](Interrupt& interrupt) { return scan_dense(held.view, n_threads, interrupt); });
}

ColumnScan scan_sparse_columns(const AnyNumpy& indptr, const AnyNumpy& indices, const AnyNumpy& data,
                               std::size_t n_rows, std::size_t n_columns, bool is_csc, std::size_t n_threads) {
  std::vector<HeldArray> held;
  const SparseView matrix = checked_sparse(indptr, indices, data, n_rows, n_columns, is_csc, held);
  return without_gil([&](Interrupt& interrupt) { return scan_sparse(matrix, n_threads, interrupt); });
}

void bind_scans(nb::module_& module) {
  nb::class_<ColumnScan>(module, "ColumnScan", "Facts of all columns from one pass; missing values are left out.")
      .def_prop_ro("minimum", array_of<ColumnScan>(&ColumnScan::minimum))
      .def_prop_ro("maximum", array_of<ColumnScan>(&ColumnScan::maximum))
      .def_prop_ro("n_missing", array_of<ColumnScan>(&ColumnScan::n_missing))
      .def_prop_ro("n_infinite", array_of<ColumnScan>(&ColumnScan::n_infinite))
      .def_prop_ro("whole", marks_of<ColumnScan>(&ColumnScan::whole), "Columns of integers alone.")
      .def_prop_ro("n_distinct", array_of<ColumnScan>(&ColumnScan::n_distinct),
                   "Distinct values of columns of integers, up to eleven: more than ten.");
  module.def("scan_columns", &scan_columns, nb::arg("array"), nb::arg("n_threads") = 1);
  module.def("scan_sparse", &scan_sparse_columns, nb::arg("indptr"), nb::arg("indices"), nb::arg("data"),
             nb::arg("n_rows"), nb::arg("n_columns"), nb::arg("is_csc"), nb::arg("n_threads") = 1);
}

// `TooManyLevels` of Python has the number of the column in `column`.
void bind_errors(nb::module_& module) {
  nb::dict attributes;
  attributes["column"] = 0;
  nb::object kind = nb::steal(PyErr_NewException("thresher._core.TooManyLevels", PyExc_ValueError, attributes.ptr()));
  module.attr("TooManyLevels") = kind;
  nb::register_exception_translator(
      [](const std::exception_ptr& thrown, void* payload) {
        try {
          std::rethrow_exception(thrown);
        } catch (const TooManyLevels& error) {
          auto* type = static_cast<PyObject*>(payload);
          nb::object raised = nb::borrow(type)(error.what());
          raised.attr("column") = error.column;
          PyErr_SetObject(type, raised.ptr());
        }
      },
      kind.ptr());
}

void bind_table(nb::module_& module) {
  nb::class_<CodedTable> table(module, "CodedTable", "Discrete features, packed for counting.");
  table
      .def_static("from_dense", &table_from_dense, nb::arg("array"), nb::arg("parts") = nb::none(),
                  nb::arg("sets") = nb::none(), nb::arg("weights") = nb::none(), nb::arg("n_threads") = 1,
                  nb::arg("missing") = "error")
      .def_static("from_codes", &table_from_codes, nb::arg("codes"), nb::arg("levels"), nb::arg("parts") = nb::none(),
                  nb::arg("sets") = nb::none(), nb::arg("weights") = nb::none(), nb::arg("n_threads") = 1,
                  nb::arg("missing_code") = -1)
      .def_static("from_sparse", &table_from_sparse, nb::arg("indptr"), nb::arg("indices"), nb::arg("data"),
                  nb::arg("n_rows"), nb::arg("n_columns"), nb::arg("is_csc"), nb::arg("parts") = nb::none(),
                  nb::arg("sets") = nb::none(), nb::arg("weights") = nb::none(), nb::arg("n_threads") = 1,
                  nb::arg("missing") = "error", nb::arg("dense_bytes") = kDenseBytes,
                  "Columns that would take more than `dense_bytes` as planes may be kept as lists.")
      .def_prop_ro("n_rows", &CodedTable::n_rows)
      .def_prop_ro("n_features", &CodedTable::n_features)
      .def_prop_ro("n_parts", &CodedTable::n_parts)
      .def_prop_ro("levels", &table_levels, nb::rv_policy::automatic)
      .def_prop_ro("constant", &table_constant, nb::rv_policy::automatic)
      .def_prop_ro("constant_parts", &table_constant_parts, nb::rv_policy::automatic)
      .def("take", &table_take, nb::arg("rows"), nb::arg("n_threads") = 1)
      .def("codes", &table_codes, nb::arg("feature"))
      .def("matrix", &table_matrix, nb::arg("features") = nb::none(), nb::arg("n_threads") = 1)
      .def("relevance", &table_relevance, nb::arg("y_codes"), nb::arg("n_classes"), nb::arg("measure") = "mi",
           nb::arg("n_threads") = 1);
  bind_storage(module, table);
}

}  // namespace

void bind_counting(nb::module_& module) {
  bind_errors(module);
  bind_table(module);
  nb::class_<DiscretePairMeasure, PairMeasure>(module, "DiscretePairMeasure")
      .def(
          "__init__",
          [](DiscretePairMeasure* self, std::shared_ptr<CodedTable> table, const std::string& measure,
             std::size_t n_threads) {
            new (self) DiscretePairMeasure(std::move(table), measure_named(measure), n_threads);
          },
          nb::arg("table"), nb::arg("measure") = "mi", nb::arg("n_threads") = 1);
  nb::class_<ThreeWayMeasure, PairMeasure>(module, "ThreeWayMeasure")
      .def(
          "__init__",
          [](ThreeWayMeasure* self, std::shared_ptr<CodedTable> table, const Vector<std::int32_t>& classes,
             std::size_t n_classes, const std::string& term, std::size_t n_threads) {
            new (self) ThreeWayMeasure(std::move(table), view(classes), n_classes,
                                       choice_from("term", term, kThreeWayTerms), n_threads);
          },
          nb::arg("table"), nb::arg("y_codes"), nb::arg("n_classes"), nb::arg("term"), nb::arg("n_threads") = 1);
  module.def("value_of_counts", &value_of_counts, nb::arg("counts"), nb::arg("measure"));
  module.def("value_of_weighted_counts", &value_of_weighted_counts, nb::arg("counts"), nb::arg("measure"));
  bind_scans(module);
  module.def("sparse_indices_rise", &sparse_indices_rise, nb::arg("indptr"), nb::arg("indices"), nb::arg("data"),
             nb::arg("n_rows"), nb::arg("n_columns"), nb::arg("is_csc"));
}

}  // namespace thresher::bindings
