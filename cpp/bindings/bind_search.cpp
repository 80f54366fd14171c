// The searches over pair measures.
#include "bindings/bindings.hpp"

#include <nanobind/stl/function.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "search/greedy.hpp"
#include "search/pair_measure.hpp"

namespace thresher::bindings {
namespace {

using Mask = std::optional<Vector<std::uint8_t>>;
using Indices = std::optional<Vector<std::uint32_t>>;

template <class T>
std::span<const T> view(const Vector<T>& values) {
  return {values.data(), values.size()};
}

template <class T>
std::span<const T> view(const std::optional<Vector<T>>& values) {
  return values ? view(*values) : std::span<const T>();
}

ObjectiveKind objective_from(const std::string& name) {
  if (name == "difference") return ObjectiveKind::difference;
  if (name == "sum") return ObjectiveKind::sum;
  if (name == "quotient") return ObjectiveKind::quotient;
  throw nb::value_error(("objective must be 'difference', 'sum' or 'quotient', got '" + name + "'").c_str());
}

Strategy strategy_from(const std::string& name) {
  if (name == "lazy") return Strategy::lazy;
  if (name == "scan") return Strategy::scan;
  if (name == "naive") return Strategy::naive;
  throw nb::value_error(("strategy must be 'lazy', 'scan' or 'naive', got '" + name + "'").c_str());
}

// A Python callable, called with the GIL held.
Progress progress_from(nb::object callback) {
  if (callback.is_none()) return {};
  return [callback](std::size_t n_selected, std::uint32_t feature, double score) {
    nb::gil_scoped_acquire gil;
    callback(n_selected, feature, score);
  };
}

void add_record(nb::dict& out, FeatureRecord&& record) {
  out["depth"] = to_numpy(std::move(record.depth));
  out["total"] = to_numpy(std::move(record.total));
  out["extreme"] = to_numpy(std::move(record.extreme));
  out["partner"] = to_numpy(std::move(record.partner));
}

nb::dict to_dict(GreedyResult&& result) {
  nb::dict out;
  out["selected"] = to_numpy(std::move(result.selected));
  out["scores"] = to_numpy(std::move(result.scores));
  out["relevance"] = to_numpy(std::move(result.relevance));
  out["redundancy"] = to_numpy(std::move(result.redundancy));
  out["n_evaluations"] = result.n_evaluations;
  add_record(out, std::move(result.record));
  return out;
}

nb::dict bound_greedy_forward(PairMeasure& measure, Vector<double> relevance, std::size_t n_select,
                              const std::string& objective, double weight, double offset, const std::string& strategy,
                              Mask candidates, Indices kept, nb::object progress) {
  GreedyOptions options;
  options.n_select = n_select;
  options.objective = objective_from(objective);
  options.weight = weight;
  options.offset = offset;
  options.strategy = strategy_from(strategy);
  options.candidates = view(candidates);
  options.kept = view(kept);
  options.progress = progress_from(progress);
  SignalInterrupt interrupt;
  GreedyResult result;
  {
    nb::gil_scoped_release released;
    result = greedy_forward(measure, view(relevance), options, interrupt);
  }
  return to_dict(std::move(result));
}

}  // namespace

void bind_search(nb::module_& module) {
  module.def("greedy_forward", &bound_greedy_forward, nb::arg("measure"), nb::arg("relevance"), nb::arg("n_select"),
             nb::kw_only(), nb::arg("objective") = "difference", nb::arg("weight") = 1.0, nb::arg("offset") = 0.0,
             nb::arg("strategy") = "lazy", nb::arg("candidates") = nb::none(), nb::arg("kept") = nb::none(),
             nb::arg("progress") = nb::none());
}

}  // namespace thresher::bindings
