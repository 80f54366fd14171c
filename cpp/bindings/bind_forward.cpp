// Forward selections that read rows: by partial correlations, and by partitions of the rows. Those over pair measures,
// and the results of all, are in bind_search.cpp.
#include <algorithm>
#include <memory>
#include <numeric>
#include <stdexcept>

#include "bindings/arrays.hpp"
#include "bindings/searching.hpp"
#include "packing/coded_table.hpp"
#include "partial_correlation/gso.hpp"
#include "partial_correlation/rrct.hpp"
#include "search/cmi_walk.hpp"

namespace thresher::bindings {
namespace {

using AnyMatrix = nb::ndarray<nb::numpy, nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

ColumnPointer column_pointer(const AnyMatrix& matrix) {
  if (matrix.dtype() == nb::dtype<std::int16_t>()) return static_cast<const std::int16_t*>(matrix.data());
  if (matrix.dtype() == nb::dtype<std::int32_t>()) return static_cast<const std::int32_t*>(matrix.data());
  if (matrix.dtype() == nb::dtype<float>()) return static_cast<const float*>(matrix.data());
  if (matrix.dtype() == nb::dtype<double>()) return static_cast<const double*>(matrix.data());
  throw std::invalid_argument("columns must be int16 or int32 ranks, float32 or float64");
}

void check_columns(const AnyMatrix& columns, const Matrix<double>& target, const ForwardOptions& options) {
  if (target.shape(1) != columns.shape(1)) throw std::invalid_argument("target and columns differ in rows");
  check_candidates(columns.shape(0), options.candidates);
}

BoundSearch* bound_rrct(const AnyMatrix& ranks, const AnyMatrix& values, const Matrix<double>& target,
                        std::size_t n_select, bool information, bool complementarity, bool magnitude_rule,
                        double redundancy_scale, const Mask& candidates, const Indices& kept,
                        const PythonProgress& progress, std::size_t n_threads) {
  if (values.shape(0) != ranks.shape(0) || values.shape(1) != ranks.shape(1)) {
    throw std::invalid_argument("ranks and values differ in shape");
  }
  auto options = forward_options<RrctOptions>(candidates, kept, progress);
  options.information = information;
  options.complementarity = complementarity;
  options.magnitude_rule = magnitude_rule;
  options.redundancy_scale = redundancy_scale;
  check_columns(ranks, target, options);
  const ColumnPointer rank_pointer = column_pointer(ranks);
  const ColumnPointer value_pointer = column_pointer(values);
  auto columns = std::make_unique<std::vector<CentredColumns>>();
  auto search = without_gil([&](Interrupt& interrupt) {
    columns->emplace_back(rank_pointer, ranks.shape(0), ranks.shape(1), n_threads, interrupt);
    columns->emplace_back(value_pointer, values.shape(0), values.shape(1), n_threads, interrupt);
    return rrct_forward(columns->front(), columns->back(), view(target), options, interrupt);
  });
  return hold_search(std::move(search), n_select, ranks, values, target, std::move(columns));
}

BoundSearch* bound_gso(const AnyMatrix& columns, const Matrix<double>& target, std::size_t n_select,
                       const Mask& candidates, const Indices& kept, const std::optional<Matrix<double>>& weights,
                       const PythonProgress& progress, std::size_t n_threads) {
  if (weights && weights->shape(1) != columns.shape(1)) throw std::invalid_argument("one weight per row is needed");
  const auto options = forward_options<ForwardOptions>(candidates, kept, progress);
  check_columns(columns, target, options);
  const ColumnPointer pointer = column_pointer(columns);
  auto replicates = std::make_unique<std::vector<CentredColumns>>();
  auto search = without_gil([&](Interrupt& interrupt) {
    const std::size_t p = columns.shape(0), n = columns.shape(1);
    for (std::size_t r = 0; r < (weights ? weights->shape(0) : 1); ++r) {
      const std::span<const double> of_rows(weights ? weights->data() + r * n : nullptr, weights ? n : 0);
      replicates->emplace_back(pointer, p, n, n_threads, interrupt, of_rows);
    }
    return gso_forward(*replicates, view(target), options, interrupt);
  });
  return hold_search(std::move(search), n_select, columns, target, weights, std::move(replicates));
}

BoundSearch* bound_cmi_walk(const CodedTable& table, const Vector<std::int32_t>& classes, std::size_t n_classes,
                            const Vector<double>& relevance, std::optional<std::size_t> n_select, bool take_last,
                            const std::optional<Matrix<std::int64_t>>& weights, const Mask& candidates,
                            const Indices& kept, const PythonProgress& progress) {
  if (weights && weights->shape(1) != table.n_rows()) throw std::invalid_argument("one weight per row is needed");
  auto options = forward_options<CmiOptions>(candidates, kept, progress);
  check_relevance(table.n_features(), view(relevance), options.candidates);
  options.table = &table;
  options.classes = check_classes(classes, table.n_rows(), n_classes);
  options.n_classes = n_classes;
  options.weights = view(weights);
  std::uint64_t n_counted = 0;
  for (std::size_t first = 0; first < options.weights.size(); first += classes.size()) {
    const auto of_rows = options.weights.subspan(first, classes.size());
    n_counted = std::max(n_counted, static_cast<std::uint64_t>(std::reduce(of_rows.begin(), of_rows.end())));
  }
  std::unique_ptr<XLogX> larger;
  if (n_counted > table.xlogx().n()) larger = std::make_unique<XLogX>(n_counted);
  options.xlogx = larger ? larger.get() : &table.xlogx();
  options.relevance = view(relevance);
  options.take_last = take_last;
  auto search = without_gil([&](Interrupt&) { return cmi_walk(options); });
  return hold_search(std::move(search), n_select, classes, relevance, weights, std::move(larger));
}

}  // namespace

void bind_forward(nb::module_& module) {
  module.def("rrct", &bound_rrct, nb::arg("ranks"), nb::arg("values"), nb::arg("target"), nb::arg("n_select"),
             nb::kw_only(), nb::arg("information"), nb::arg("complementarity"), nb::arg("magnitude_rule"),
             nb::arg("redundancy_scale"), nb::arg("candidates") = nb::none(), nb::arg("kept") = nb::none(),
             nb::arg("progress") = nb::none(), nb::arg("n_threads") = 1,
             "Forward selection by relevance, redundancy and complementarity.");
  module.def("gso", &bound_gso, nb::arg("columns"), nb::arg("target"), nb::arg("n_select"), nb::kw_only(),
             nb::arg("candidates") = nb::none(), nb::arg("kept") = nb::none(), nb::arg("weights") = nb::none(),
             nb::arg("progress") = nb::none(), nb::arg("n_threads") = 1,
             "Forward selection by squared partial correlation.");
  module.def("cmi_walk", &bound_cmi_walk, nb::arg("table"), nb::arg("classes"), nb::arg("n_classes"),
             nb::arg("relevance"), nb::kw_only(), nb::arg("n_select") = nb::none(), nb::arg("take_last") = true,
             nb::arg("weights") = nb::none(), nb::arg("candidates") = nb::none(), nb::arg("kept") = nb::none(),
             nb::arg("progress") = nb::none(), nb::keep_alive<0, 1>(),
             "The one-pass filter by conditional mutual information.");
}

}  // namespace thresher::bindings
