// The searches over pair measures.
#include <nanobind/stl/string.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/searching.hpp"
#include "measures/pair_measure.hpp"
#include "search/accumulate.hpp"
#include "search/cfs.hpp"
#include "search/ensemble.hpp"
#include "search/fcbf.hpp"
#include "search/greedy.hpp"
#include "search/order.hpp"

namespace thresher::bindings {
namespace {

BoundSearch* bound_greedy_forward(PairMeasure& measure, Vector<double> relevance, std::size_t n_select,
                                  const std::string& objective, double weight, double offset,
                                  const std::string& strategy, Mask candidates, Indices kept, nb::object progress) {
  auto options = forward_options<GreedyOptions>(candidates, kept, progress);
  options.objective = choice_from("objective", objective, kObjectives);
  options.weight = weight;
  options.offset = offset;
  options.strategy = choice_from<Strategy>(
      "strategy", strategy, {{"lazy", Strategy::lazy}, {"scan", Strategy::scan}, {"naive", Strategy::cached}});
  return hold_search(greedy_forward(measure, view(relevance), options), &result_to_dict, n_select, relevance);
}

BoundSearch* bound_cfs_forward(PairMeasure& measure, Vector<double> relevance, std::optional<std::size_t> n_select,
                               const std::string& strategy, double unit, Mask candidates, Indices kept,
                               nb::object progress) {
  auto options = forward_options<CfsOptions>(candidates, kept, progress);
  options.unit = unit;
  options.strategy = choice_from<Strategy>(
      "strategy", strategy, {{"lazy", Strategy::lazy}, {"cached", Strategy::cached}, {"naive", Strategy::naive}});
  return hold_search(cfs_forward(measure, view(relevance), options), &result_to_dict, n_select, relevance);
}

nb::dict bound_cfs_best_first(PairMeasure& measure, Vector<double> relevance, std::size_t max_stale, double min_gain,
                              bool zero_to_one, bool locally_predictive, double unit, Mask candidates, Indices kept) {
  BestFirstOptions options;
  options.max_stale = max_stale;
  options.min_gain = min_gain;
  options.zero_to_one = zero_to_one;
  options.locally_predictive = locally_predictive;
  options.unit = unit;
  options.candidates = {view(candidates), view(kept)};
  BestFirstResult result =
      without_gil([&](Interrupt& interrupt) { return cfs_best_first(measure, view(relevance), options, interrupt); });
  nb::dict out;
  out["selected"] = to_numpy(std::move(result.selected));
  out["merit"] = result.merit;
  out["n_evaluations"] = result.n_evaluations;
  out["extreme"] = to_numpy(std::move(result.against.extreme));
  out["partner"] = to_numpy(std::move(result.against.partner));
  return out;
}

BoundSearch* bound_fcbf(PairMeasure& measure, Vector<double> relevance, double threshold,
                        std::optional<std::size_t> n_select, Mask candidates, Indices kept, nb::object progress) {
  auto options = forward_options<FcbfOptions>(candidates, kept, progress);
  options.threshold = threshold;
  return hold_search(fcbf(measure, view(relevance), options), &result_to_dict, n_select, relevance);
}

BoundSearch* bound_greedy_accumulate(PairMeasure& term, Vector<double> relevance, std::size_t n_select,
                                     const std::string& accumulation, const std::string& strategy, Mask candidates,
                                     Indices kept, nb::object progress) {
  auto options = forward_options<AccumulateOptions>(candidates, kept, progress);
  options.accumulation = choice_from<Accumulation>("accumulation", accumulation,
                                                   {{"sum", Accumulation::sum},
                                                    {"minus-sum", Accumulation::minus_sum},
                                                    {"minus-positive-sum", Accumulation::minus_positive_sum},
                                                    {"smallest", Accumulation::smallest},
                                                    {"smallest-and-relevance", Accumulation::smallest_and_relevance}});
  options.strategy =
      choice_from<Strategy>("strategy", strategy, {{"lazy", Strategy::lazy}, {"naive", Strategy::cached}});
  return hold_search(greedy_accumulate(term, view(relevance), options), &result_to_dict, n_select, relevance);
}

nb::dict bound_greedy_ensemble(PairMeasure& measure, Matrix<double> relevance, std::size_t n_select,
                               const std::string& objective, double weight, double offset, const std::string& strategy,
                               Indices replicates, std::optional<Matrix<std::uint8_t>> candidates, Indices kept,
                               std::size_t memory_limit, bool always_share) {
  EnsembleOptions options;
  options.n_select = n_select;
  options.objective = choice_from("objective", objective, kObjectives);
  options.weight = weight;
  options.offset = offset;
  options.strategy = choice_from<EnsembleStrategy>(
      "strategy", strategy,
      {{"lazy", EnsembleStrategy::lazy}, {"scan", EnsembleStrategy::scan}, {"dense", EnsembleStrategy::dense}});
  options.replicates = view(replicates);
  if (candidates) options.candidates = {candidates->data(), candidates->size()};
  options.kept = view(kept);
  options.memory_limit = memory_limit;
  options.always_share = always_share;
  EnsembleResult result = without_gil([&](Interrupt& interrupt) {
    return greedy_ensemble(measure, {relevance.data(), relevance.size()}, options, interrupt);
  });
  nb::list selected, scores, redundancy;
  for (ReplicateSelection& selection : result.replicates) {
    selected.append(to_numpy(std::move(selection.selected)));
    scores.append(to_numpy(std::move(selection.scores)));
    redundancy.append(to_numpy(std::move(selection.redundancy)));
  }
  nb::dict out;
  out["selected"] = selected;
  out["scores"] = scores;
  out["redundancy"] = redundancy;
  out["n_evaluations"] = result.n_evaluations;
  out["cache_full"] = result.cache_full;
  return out;
}

}  // namespace

void bind_search(nb::module_& module) {
  nb::class_<BoundSearch>(module, "ForwardSearch", "A forward search that can be asked for more features.")
      .def("extend", &BoundSearch::extend, nb::arg("n_more") = nb::none(),
           "Takes so many features more, or all the criterion takes.")
      .def("result", &BoundSearch::result, "Everything found so far.")
      .def_prop_ro("exhausted", &BoundSearch::is_exhausted, "Whether the criterion has no further feature to take.");
  module.def("greedy_forward", &bound_greedy_forward, nb::arg("measure"), nb::arg("relevance"), nb::arg("n_select"),
             nb::kw_only(), nb::arg("objective") = "difference", nb::arg("weight") = 1.0, nb::arg("offset") = 0.0,
             nb::arg("strategy") = "lazy", nb::arg("candidates") = nb::none(), nb::arg("kept") = nb::none(),
             nb::arg("progress") = nb::none(), nb::keep_alive<0, 1>());
  module.def("cfs_forward", &bound_cfs_forward, nb::arg("measure"), nb::arg("relevance"), nb::kw_only(),
             nb::arg("n_select") = nb::none(), nb::arg("strategy") = "lazy", nb::arg("unit") = 1.0,
             nb::arg("candidates") = nb::none(), nb::arg("kept") = nb::none(), nb::arg("progress") = nb::none(),
             nb::keep_alive<0, 1>());
  module.def("cfs_best_first", &bound_cfs_best_first, nb::arg("measure"), nb::arg("relevance"), nb::kw_only(),
             nb::arg("max_stale") = 5, nb::arg("min_gain") = 1e-5, nb::arg("zero_to_one") = false,
             nb::arg("locally_predictive") = false, nb::arg("unit") = 1.0, nb::arg("candidates") = nb::none(),
             nb::arg("kept") = nb::none());
  module.def("fcbf", &bound_fcbf, nb::arg("measure"), nb::arg("relevance"), nb::arg("threshold") = 0.0, nb::kw_only(),
             nb::arg("n_select") = nb::none(), nb::arg("candidates") = nb::none(), nb::arg("kept") = nb::none(),
             nb::arg("progress") = nb::none(), nb::keep_alive<0, 1>());
  module.def("greedy_accumulate", &bound_greedy_accumulate, nb::arg("term"), nb::arg("relevance"), nb::arg("n_select"),
             nb::kw_only(), nb::arg("accumulation"), nb::arg("strategy") = "lazy", nb::arg("candidates") = nb::none(),
             nb::arg("kept") = nb::none(), nb::arg("progress") = nb::none(), nb::keep_alive<0, 1>());
  module.def("greedy_ensemble", &bound_greedy_ensemble, nb::arg("measure"), nb::arg("relevance"), nb::arg("n_select"),
             nb::kw_only(), nb::arg("objective") = "difference", nb::arg("weight") = 1.0, nb::arg("offset") = 0.0,
             nb::arg("strategy") = "lazy", nb::arg("replicates") = nb::none(), nb::arg("candidates") = nb::none(),
             nb::arg("kept") = nb::none(), nb::arg("memory_limit") = 0, nb::arg("always_share") = false);
  module.def(
      "order_by_relevance",
      [](Vector<double> relevance, Mask candidates) {
        return to_numpy(order_by_relevance(view(relevance), view(candidates)));
      },
      nb::arg("relevance"), nb::arg("candidates") = nb::none(),
      "The candidates by decreasing relevance, ties by index; relevances must not be negative.");
}

}  // namespace thresher::bindings
