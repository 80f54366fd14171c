// Forward selections on columns of numbers and on partitions of rows.
#include <nanobind/stl/optional.h>

#include <stdexcept>

#include "bindings/bindings.hpp"
#include "counting/coded_table.hpp"
#include "partial/forward.hpp"
#include "partition/cmi_walk.hpp"

namespace thresher::bindings {
namespace {

using AnyMatrix = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

ColumnPointer column_pointer(const AnyMatrix& matrix) {
  if (matrix.dtype() == nb::dtype<std::int16_t>()) return static_cast<const std::int16_t*>(matrix.data());
  if (matrix.dtype() == nb::dtype<std::int32_t>()) return static_cast<const std::int32_t*>(matrix.data());
  if (matrix.dtype() == nb::dtype<float>()) return static_cast<const float*>(matrix.data());
  if (matrix.dtype() == nb::dtype<double>()) return static_cast<const double*>(matrix.data());
  throw std::invalid_argument("columns must be int16 or int32 ranks, float32 or float64");
}

ForwardTask forward_task(const AnyMatrix& columns, const Matrix<double>& target,
                         const Vector<std::uint32_t>& candidates, const Vector<std::uint32_t>& kept,
                         std::size_t n_wanted) {
  if (target.shape(1) != columns.shape(1)) throw std::invalid_argument("target and columns differ in rows");
  for (const auto& features : {candidates, kept}) {
    for (std::size_t i = 0; i < features.shape(0); ++i) {
      if (features(i) >= columns.shape(0)) throw std::invalid_argument("no such feature");
    }
  }
  return {.target = {target.data(), target.size()},
          .candidates = {candidates.data(), candidates.size()},
          .kept = {kept.data(), kept.size()},
          .n_wanted = n_wanted};
}

nb::dict to_python(ForwardResult&& result) {
  nb::dict out;
  out["selected"] = to_numpy(std::move(result.selected));
  out["score"] = to_numpy(std::move(result.score));
  out["relevance"] = to_numpy(std::move(result.relevance));
  out["redundancy"] = to_numpy(std::move(result.redundancy));
  out["complementarity"] = to_numpy(std::move(result.complementarity));
  out["feature_relevance"] = to_numpy(std::move(result.feature_relevance));
  out["feature_redundancy"] = to_numpy(std::move(result.feature_redundancy));
  out["feature_score"] = to_numpy(std::move(result.feature_score));
  out["largest_redundancy"] = to_numpy(std::move(result.largest_redundancy));
  out["most_redundant"] = to_numpy(std::move(result.most_redundant));
  out["collinear"] = to_numpy(std::move(result.collinear));
  out["n_evaluations"] = result.n_evaluations;
  out["exhausted_at"] = result.exhausted_at;
  return out;
}

nb::dict rrct(const AnyMatrix& ranks, const AnyMatrix& values, const Matrix<double>& target,
              const Vector<std::uint32_t>& candidates, const Vector<std::uint32_t>& kept, std::size_t n_wanted,
              bool information, bool complementarity, bool magnitude_rule, double redundancy_scale,
              std::size_t n_threads) {
  if (values.shape(0) != ranks.shape(0) || values.shape(1) != ranks.shape(1)) {
    throw std::invalid_argument("ranks and values differ in shape");
  }
  const ForwardTask task = forward_task(ranks, target, candidates, kept, n_wanted);
  const RrctOptions options{information, complementarity, magnitude_rule, redundancy_scale};
  const ColumnPointer rank_pointer = column_pointer(ranks);
  const ColumnPointer value_pointer = column_pointer(values);
  ForwardResult result;
  {
    SignalInterrupt interrupt;
    nb::gil_scoped_release release;
    const CentredColumns rank_columns(rank_pointer, ranks.shape(0), ranks.shape(1), n_threads, interrupt);
    const CentredColumns value_columns(value_pointer, values.shape(0), values.shape(1), n_threads, interrupt);
    result = rrct_forward(rank_columns, value_columns, task, options, interrupt);
  }
  return to_python(std::move(result));
}

nb::dict gso(const AnyMatrix& columns, const Matrix<double>& target, const Vector<std::uint32_t>& candidates,
             const Vector<std::uint32_t>& kept, std::size_t n_wanted, std::size_t n_threads) {
  const ForwardTask task = forward_task(columns, target, candidates, kept, n_wanted);
  const ColumnPointer pointer = column_pointer(columns);
  ForwardResult result;
  {
    SignalInterrupt interrupt;
    nb::gil_scoped_release release;
    const CentredColumns centred(pointer, columns.shape(0), columns.shape(1), n_threads, interrupt);
    result = gso_forward(centred, task, interrupt);
  }
  return to_python(std::move(result));
}

nb::dict bound_cmi_walk(const CodedTable& table, const Vector<std::int32_t>& classes, std::size_t n_classes,
                        const Vector<std::uint32_t>& order, const Vector<std::uint32_t>& kept, std::size_t n_wanted,
                        bool take_last, const std::optional<Vector<std::int64_t>>& weights) {
  if (classes.size() != table.n_rows() || (weights && weights->size() != table.n_rows())) {
    throw std::invalid_argument("one class, and one weight if any, per row is needed");
  }
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (classes(i) < 0 || static_cast<std::size_t>(classes(i)) >= n_classes) {
      throw std::invalid_argument("no such class");
    }
  }
  for (const auto& features : {order, kept}) {
    for (std::size_t i = 0; i < features.size(); ++i) {
      if (features(i) >= table.n_features()) throw std::invalid_argument("no such feature");
    }
  }
  CmiTask task;
  task.read = [&table](std::uint32_t feature, std::uint8_t* codes) { table.codes_of(feature, codes); };
  task.classes = {classes.data(), classes.size()};
  task.n_classes = n_classes;
  if (weights) task.weights = {weights->data(), weights->size()};
  task.order = {order.data(), order.size()};
  task.kept = {kept.data(), kept.size()};
  task.n_wanted = n_wanted;
  task.take_last = take_last;
  CmiResult result;
  {
    SignalInterrupt interrupt;
    nb::gil_scoped_release release;
    result = cmi_walk(task, interrupt);
  }
  nb::dict out;
  out["selected"] = to_numpy(std::move(result.selected));
  out["gain"] = to_numpy(std::move(result.gain));
  out["unknown"] = to_numpy(std::move(result.unknown));
  out["n_blocks"] = to_numpy(std::move(result.n_blocks));
  out["examined"] = to_numpy(std::move(result.examined));
  out["value"] = to_numpy(std::move(result.value));
  out["successor_value"] = to_numpy(std::move(result.successor_value));
  out["n_evaluations"] = result.n_evaluations;
  out["n_walked"] = result.n_walked;
  return out;
}

}  // namespace

void bind_forward(nb::module_& module) {
  module.def("rrct", &rrct, nb::arg("ranks"), nb::arg("values"), nb::arg("target"), nb::kw_only(),
             nb::arg("candidates"), nb::arg("kept"), nb::arg("n_wanted"), nb::arg("information"),
             nb::arg("complementarity"), nb::arg("magnitude_rule"), nb::arg("redundancy_scale"), nb::arg("n_threads"),
             "Forward selection by relevance, redundancy and complementarity.");
  module.def("gso", &gso, nb::arg("columns"), nb::arg("target"), nb::kw_only(), nb::arg("candidates"), nb::arg("kept"),
             nb::arg("n_wanted"), nb::arg("n_threads"), "Forward selection by squared partial correlation.");
  module.def("cmi_walk", &bound_cmi_walk, nb::arg("table"), nb::arg("classes"), nb::arg("n_classes"), nb::kw_only(),
             nb::arg("order"), nb::arg("kept"), nb::arg("n_wanted"), nb::arg("take_last") = true,
             nb::arg("weights") = nb::none(), "The one-pass filter by conditional mutual information.");
}

}  // namespace thresher::bindings
