// For tests only: internals, and measures made from given values.
#include <nanobind/stl/string.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "bindings/arrays.hpp"
#include "bindings/bindings.hpp"
#include "core/isa.hpp"
#include "counting/pair_counter.hpp"
#include "testing/in_rounds.hpp"
#include "testing/matrix_measure.hpp"

namespace thresher::bindings {
namespace {

void check_feature(const CodedTable& table, std::size_t f) {
  if (f >= table.n_features()) throw nb::index_error("feature out of range");
}

std::size_t table_n_listed(const CodedTable& table) {
  return static_cast<std::size_t>(std::count_if(table.features(), table.features() + table.n_features(),
                                                [](const CodedFeature& feature) { return feature.listed; }));
}

auto table_level_values(const CodedTable& table, std::size_t f) {
  check_feature(table, f);
  const CodedFeature& feature = table.feature(f);
  return to_numpy(std::vector<double>(feature.values, feature.values + feature.levels));
}

template <class Cell>
nb::object cells_to_numpy(const CodedTable& table, const ReferenceColumn& reference, std::size_t f) {
  const std::size_t a_levels = table.feature(f).levels;
  const std::size_t b_levels = reference.n_levels();
  CountScratch scratch;
  std::vector<Cell> cells(a_levels * b_levels * table.n_parts() + 1);
  count_cells(table, reference, f, scratch, cells.data());
  cells.pop_back();
  using Shown = std::conditional_t<std::is_same_v<Cell, DoubleDouble>, double, std::int64_t>;
  std::vector<Shown> shown(cells.size());
  std::ranges::transform(cells, shown.begin(), [](Cell cell) { return static_cast<Shown>(leading(cell)); });
  std::vector<std::size_t> shape{a_levels, b_levels};
  if (table.layout().has_parts()) shape.insert(shape.begin(), table.n_parts());
  return nb::cast(owning_array<nb::ndarray<nb::numpy, Shown>>(std::move(shown), shape));
}

nb::object count_table(const CodedTable& table, const ReferenceColumn& reference, std::size_t f) {
  if (!table.weights().real.empty()) return cells_to_numpy<DoubleDouble>(table, reference, f);
  if (!table.weights().whole.empty()) return cells_to_numpy<std::int64_t>(table, reference, f);
  return cells_to_numpy<std::uint32_t>(table, reference, f);
}

nb::object table_counts(const CodedTable& table, std::size_t f, std::size_t g) {
  check_feature(table, f);
  check_feature(table, g);
  return count_table(table, ReferenceColumn(table, g), f);
}

nb::object table_counts_with(const CodedTable& table, std::size_t f, const Vector<std::int32_t>& classes,
                             std::size_t n_classes) {
  check_feature(table, f);
  return count_table(table, ReferenceColumn(table, {classes.data(), classes.size()}, n_classes), f);
}

MatrixMeasure* make_matrix_measure(nb::ndarray<const double, nb::c_contig, nb::device::cpu> values) {
  if (values.ndim() != 2 && values.ndim() != 3) {
    throw nb::value_error("values must have the shape (p, p) or (e, p, p)");
  }
  const std::size_t n_replicates = values.ndim() == 3 ? values.shape(0) : 1;
  const std::size_t n_features = values.shape(values.ndim() - 1);
  if (values.shape(values.ndim() - 2) != n_features || n_replicates == 0) {
    throw nb::value_error("values must have the shape (p, p) or (e, p, p)");
  }
  return new MatrixMeasure(std::vector<double>(values.data(), values.data() + values.size()), n_features, n_replicates);
}

}  // namespace

void bind_testing(nb::module_& core) {
  nb::module_ module = core.def_submodule("_testing", "For tests only.");
  module.def(
      "best_isa_level", [] { return std::string(isa_level_name(best_isa_level())); },
      "The best instruction-set level of this processor.");
  module.def("level_values", &table_level_values, nb::arg("table"), nb::arg("feature"));
  module.def("n_listed", &table_n_listed, nb::arg("table"),
             "How many features are kept as lists of the rows off one level.");
  module.def("counts", &table_counts, nb::arg("table"), nb::arg("feature"), nb::arg("other"));
  module.def("counts_with", &table_counts_with, nb::arg("table"), nb::arg("feature"), nb::arg("y_codes"),
             nb::arg("n_classes"));
  module.def("xlogx_shift", [](std::uint64_t n) { return XLogX(n).shift(); }, nb::arg("n"));
  module.def(
      "xlogx",
      [](std::uint64_t n, const Vector<std::int64_t>& counts) {
        const XLogX xlogx(n);
        std::vector<std::int64_t> values(counts.size());
        for (std::size_t i = 0; i < values.size(); ++i) {
          values[i] = xlogx(static_cast<std::uint64_t>(std::max<std::int64_t>(counts.data()[i], 0)));
        }
        return to_numpy(std::move(values));
      },
      nb::arg("n"), nb::arg("counts"));
  nb::class_<MatrixMeasure, PairMeasure>(module, "MatrixMeasure",
                                         "A measure that reads a table: values[..., reference, feature].")
      .def(nb::new_(&make_matrix_measure), nb::arg("values"))
      .def("asked", [](const MatrixMeasure& self) {
        return to_numpy_bool(std::vector<std::uint8_t>(self.requested()), self.n_features(), self.n_features());
      });
  nb::class_<InRounds, PairMeasure>(module, "InRounds", "Another measure, as if it answered in rounds.")
      .def(nb::init<PairMeasure&, std::size_t>(), nb::arg("base"), nb::arg("round_size"), nb::keep_alive<1, 2>())
      .def_prop_ro("n_rounds", &InRounds::n_rounds);
}

}  // namespace thresher::bindings
