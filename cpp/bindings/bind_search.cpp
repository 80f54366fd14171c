// The searches over pair measures.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bindings/results.hpp"
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

// Defines the attributes for the strongest objection to each feature.
template <class Result>
void def_extremes(nb::class_<Result>& bound) {
  bound
      .def_prop_ro(
          "nearest", [](Result& self) { return array_of<ExtremeTerms>(&ExtremeTerms::partner)(self.against); },
          "Per feature: the selected feature of its most extreme term, such as its largest redundancy; -1: none.")
      .def_prop_ro(
          "nearest_value", [](Result& self) { return array_of<ExtremeTerms>(&ExtremeTerms::extreme)(self.against); },
          "Per feature: that term.");
}

template <class Series>
Series& reported(std::optional<Series>& series) {
  if (!series) throw nb::attribute_error("this search has no such series");
  return *series;
}

BoundSearch* bound_greedy_forward(PairMeasure& measure, Vector<double> relevance, std::size_t n_select,
                                  const std::string& objective, double weight, double offset, double unit,
                                  const std::string& strategy, Mask candidates, Indices kept,
                                  const PythonProgress& progress) {
  auto options = forward_options<GreedyOptions>(candidates, kept, progress);
  options.objective = choice_from("objective", objective, kObjectives);
  options.weight = weight;
  options.offset = offset;
  options.unit = unit;
  options.strategy = choice_from<Strategy>(
      "strategy", strategy, {{"lazy", Strategy::lazy}, {"scan", Strategy::scan}, {"naive", Strategy::cached}});
  return hold_search(greedy_forward(measure, view(relevance), options), n_select, relevance);
}

BoundSearch* bound_cfs_forward(PairMeasure& measure, Vector<double> relevance, std::optional<std::size_t> n_select,
                               const std::string& strategy, double unit, Mask candidates, Indices kept,
                               const PythonProgress& progress) {
  auto options = forward_options<CfsOptions>(candidates, kept, progress);
  options.unit = unit;
  options.strategy = choice_from<Strategy>(
      "strategy", strategy, {{"lazy", Strategy::lazy}, {"cached", Strategy::cached}, {"naive", Strategy::naive}});
  return hold_search(cfs_forward(measure, view(relevance), options), n_select, relevance);
}

BestFirstResult bound_cfs_best_first(PairMeasure& measure, Vector<double> relevance, std::size_t max_stale,
                                     double min_gain, bool zero_to_one, bool locally_predictive, double unit,
                                     Mask candidates, Indices kept) {
  BestFirstOptions options;
  options.max_stale = max_stale;
  options.min_gain = min_gain;
  options.zero_to_one = zero_to_one;
  options.locally_predictive = locally_predictive;
  options.unit = unit;
  options.candidates = {view(candidates), view(kept)};
  return without_gil(
      [&](Interrupt& interrupt) { return cfs_best_first(measure, view(relevance), options, interrupt); });
}

BoundSearch* bound_fcbf(PairMeasure& measure, Vector<double> relevance, double threshold,
                        std::optional<std::size_t> n_select, Mask candidates, Indices kept,
                        const PythonProgress& progress) {
  auto options = forward_options<FcbfOptions>(candidates, kept, progress);
  options.threshold = threshold;
  return hold_search(fcbf(measure, view(relevance), options), n_select, relevance);
}

BoundSearch* bound_greedy_accumulate(PairMeasure& term, Vector<double> relevance, std::size_t n_select,
                                     const std::string& accumulation, const std::string& strategy, Mask candidates,
                                     Indices kept, const PythonProgress& progress) {
  auto options = forward_options<AccumulateOptions>(candidates, kept, progress);
  options.accumulation = choice_from<Accumulation>("accumulation", accumulation,
                                                   {{"sum", Accumulation::sum},
                                                    {"minus-sum", Accumulation::minus_sum},
                                                    {"minus-positive-sum", Accumulation::minus_positive_sum},
                                                    {"smallest", Accumulation::smallest},
                                                    {"smallest-and-relevance", Accumulation::smallest_and_relevance}});
  options.strategy =
      choice_from<Strategy>("strategy", strategy, {{"lazy", Strategy::lazy}, {"naive", Strategy::cached}});
  return hold_search(greedy_accumulate(term, view(relevance), options), n_select, relevance);
}

EnsembleResult bound_greedy_ensemble(PairMeasure& measure, Matrix<double> relevance, std::size_t n_select,
                                     const std::string& objective, double weight, double offset,
                                     const std::string& strategy, Indices replicates,
                                     std::optional<Matrix<std::uint8_t>> candidates, Indices kept,
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
  options.candidates = view(candidates);
  options.kept = view(kept);
  options.memory_limit = memory_limit;
  options.always_share = always_share;
  return without_gil(
      [&](Interrupt& interrupt) { return greedy_ensemble(measure, view(relevance), options, interrupt); });
}

void bind_results(nb::module_& module) {
  nb::class_<SearchResult> result(module, "SearchResult", "The result of a forward search.");
  def_indices(result, "selected", &SearchResult::selected);
  result
      .def_prop_ro("scores", array_of<SearchResult>(&SearchResult::scores),
                   "Per step, at the time of choice; of the first feature, its relevance.")
      .def_prop_ro("relevance", array_of<SearchResult>(&SearchResult::relevance), "Per step.")
      .def_prop_ro("redundancy", array_of<SearchResult>(&SearchResult::redundancy),
                   "Per step: the mean over the features selected before; 0 for the first.")
      .def_ro("n_evaluations", &SearchResult::n_evaluations, "Values computed for the search.");
  def_extremes(result);
  result
      .def_prop_ro(
          "partials", [](SearchResult& self) -> PartialSeries& { return reported(self.partials); },
          "Further results of a search by partial correlations.")
      .def_prop_ro(
          "walk", [](SearchResult& self) -> WalkSeries& { return reported(self.walk); },
          "Further results of the walk by conditional mutual information.");

  nb::class_<PartialSeries>(module, "PartialSeries", "Further results of a search by partial correlations, by feature.")
      .def_prop_ro("complementarity", array_of<PartialSeries>(&PartialSeries::complementarity), "Per step.")
      .def_prop_ro("relevance", array_of<PartialSeries>(&PartialSeries::relevance))
      .def_prop_ro("mean_redundancy", array_of<PartialSeries>(&PartialSeries::mean_redundancy),
                   "With the selected features compared with it; nan if there are none.")
      .def_prop_ro("last_score", array_of<PartialSeries>(&PartialSeries::last_score))
      .def_prop_ro("collinear", marks_of<PartialSeries>(&PartialSeries::collinear),
                   "Whether it is a linear combination of selected ones.")
      .def_ro("exhausted_at", &PartialSeries::exhausted_at,
              "After how many features nothing of the target was left to explain.");

  nb::class_<WalkSeries> walk(module, "WalkSeries", "Further results of the walk by conditional mutual information.");
  walk.def_prop_ro("unknown", array_of<WalkSeries>(&WalkSeries::unknown),
                   "Per step: the entropy of the class given the selected features.");
  def_indices(walk, "n_blocks", &WalkSeries::n_blocks);
  def_indices(walk, "examined", &WalkSeries::examined);
  walk.def_prop_ro("value", array_of<WalkSeries>(&WalkSeries::value), "Of each examined feature: its information.")
      .def_prop_ro("successor_value", array_of<WalkSeries>(&WalkSeries::successor_value), "That of its successor.")
      .def_ro("n_walked", &WalkSeries::n_walked);

  nb::class_<BestFirstResult> best_first(module, "BestFirstResult", "The set that best-first search ended with.");
  def_indices(best_first, "selected", &BestFirstResult::selected);
  best_first.def_ro("merit", &BestFirstResult::merit, "Of the set before the locally predictive step.")
      .def_ro("n_evaluations", &BestFirstResult::n_evaluations, "Distinct pairs.");
  def_extremes(best_first);

  nb::class_<ReplicateSelection> one(module, "ReplicateSelection", "The selection on one replicate.");
  def_indices(one, "selected", &ReplicateSelection::selected);
  one.def_prop_ro("scores", array_of<ReplicateSelection>(&ReplicateSelection::scores))
      .def_prop_ro("redundancy", array_of<ReplicateSelection>(&ReplicateSelection::redundancy));
  nb::class_<EnsembleResult>(module, "EnsembleResult", "The selections on all replicates.")
      .def_prop_ro(
          "replicates",
          [](EnsembleResult& self) {
            std::vector<ReplicateSelection*> all;
            for (ReplicateSelection& replicate : self.replicates) all.push_back(&replicate);
            return all;
          },
          nb::rv_policy::reference_internal)
      .def_ro("n_evaluations", &EnsembleResult::n_evaluations, "Distinct pairs that any replicate requested.")
      .def_ro("cache_full", &EnsembleResult::cache_full, "Whether values were computed again because memory ran out.");
}

}  // namespace

void bind_search(nb::module_& module) {
  bind_results(module);
  nb::class_<BoundSearch>(module, "ForwardSearch", "A forward search that can be continued for more features.")
      .def("extend", &BoundSearch::extend, nb::arg("n_more") = nb::none(),
           "Take `n_more` more features, or all that the criterion takes.")
      .def("result", &BoundSearch::result, "The features selected up to now, with their scores.")
      .def_prop_ro("exhausted", &BoundSearch::is_exhausted, "Whether the criterion has no further feature to take.");
  module.def("greedy_forward", &bound_greedy_forward, nb::arg("measure"), nb::arg("relevance"), nb::arg("n_select"),
             nb::kw_only(), nb::arg("objective") = "difference", nb::arg("weight") = 1.0, nb::arg("offset") = 0.0,
             nb::arg("unit") = 1.0, nb::arg("strategy") = "lazy", nb::arg("candidates") = nb::none(),
             nb::arg("kept") = nb::none(), nb::arg("progress") = nb::none(), nb::keep_alive<0, 1>());
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
