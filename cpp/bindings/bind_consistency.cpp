#include <nanobind/stl/optional.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include "bindings/bindings.hpp"
#include "consistency/classic.hpp"
#include "consistency/elimination.hpp"
#include "consistency/refinement.hpp"
#include "consistency/risk.hpp"
#include "consistency/risks_without.hpp"
#include "consistency/sweep.hpp"

namespace thresher::bindings {

namespace {

using namespace thresher::consistency;

using Features = Vector<std::uint32_t>;
using Indices = nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>;
using Values = nb::ndarray<nb::numpy, double, nb::ndim<1>>;

// One data set, one measure, one order of the features. Owns the arrays it reads.
class ConsistencyProblem {
 public:
  ConsistencyProblem(const std::shared_ptr<CodedTable>& table, Vector<std::int32_t> classes, std::size_t n_classes,
                     std::optional<Vector<double>> weights, Features order, Features kept, Vector<double> relevance,
                     const std::string& measure, double tolerance)
      : columns_(table),
        lists_(table->has_lists() ? std::make_unique<ListedRows>(*table) : nullptr),
        classes_(std::move(classes)),
        weights_(std::move(weights)),
        order_(std::move(order)),
        kept_(std::move(kept)),
        relevance_(std::move(relevance)),
        rows_{&columns_,      table->n_rows(), table->n_features(), check_classes(classes_, table->n_rows(), n_classes),
              view(weights_), n_classes,       lists_.get()},
        cost_(choice_from("measure", measure, kRiskMeasures), checked(rows_), tolerance) {
    if (relevance_.size() != rows_.n_features) throw std::invalid_argument("relevance needs one value per feature");
    check_features(order_);
    check_features(kept_);
    refinement_ =
        without_gil([&](Interrupt& interrupt) { return refine(rows_, cost_, view(order_), view(kept_), interrupt); });
  }

  double full_risk() const { return refinement_.full_risk; }
  double empty_risk() const { return refinement_.empty_risk; }
  std::size_t border() const { return refinement_.border; }

  double risk(const Features& features) const {
    check_features(features);
    return without_gil([&](Interrupt&) { return subset_risk(rows_, cost_, view(features)); });
  }

  // Returns the risk of a set, and of it without each of its features.
  std::tuple<double, Values> leave_one_out(const Features& features) const {
    check_features(features);
    if (features.size() == 0) return {risk_of_none(), to_numpy(std::vector<double>{})};
    std::vector<double> without(features.size());
    const double risk = without_gil([&](Interrupt&) {
      const auto set = risks_without_one(rows_, cost_, view(features));
      std::vector<std::uint32_t> members(without.size());
      std::iota(members.begin(), members.end(), std::uint32_t{0});
      set->risks_without(members, without);
      return set->risk();
    });
    return {risk, to_numpy(std::move(without))};
  }

  std::tuple<Indices, double, std::size_t> sweep(const std::string& rule, double bound) {
    const SweepRule which = choice_from("rule", rule, kSweepRules);
    SweepResult result = without_gil([&](Interrupt& interrupt) {
      if (!sweep_) sweep_ = std::make_unique<Sweep>(rows_, cost_, refinement_, view(order_));
      return sweep_->run(which, bound, interrupt);
    });
    return {to_numpy(std::move(result.kept)), result.risk, result.n_probes};
  }

  std::tuple<Indices, Values, std::size_t> eliminate(const std::string& strategy, double bound, double alpha,
                                                     double window, double expansion) const {
    Elimination result = without_gil([&](Interrupt& interrupt) {
      const EliminationProblem problem{rows_, cost_, refinement_, view(order_), view(kept_), view(relevance_)};
      if (strategy == "steepest") return eliminate_steepest(problem, bound, interrupt);
      if (strategy == "fast") return eliminate_fast(problem, bound, interrupt);
      if (strategy == "lazy") return eliminate_lazy(problem, bound, interrupt);
      if (strategy == "balanced") return eliminate_balanced(problem, bound, alpha, interrupt);
      if (strategy == "window") return eliminate_in_window(problem, bound, {alpha, window, expansion}, interrupt);
      throw std::invalid_argument("unknown strategy " + strategy);
    });
    return {to_numpy(std::move(result.removed)), to_numpy(std::move(result.risks)), result.n_evaluations};
  }

  // Returns features, evaluations, and whether these are all that the method's listing makes.
  std::tuple<Indices, nb::int_, bool> search(const std::string& method, double bound, std::size_t max_evaluations,
                                             const Features& among) const {
    check_features(among);
    SubsetSearch result = without_gil([&](Interrupt& interrupt) {
      const SubsetProblem problem{rows_, cost_, view(among), view(kept_)};
      if (method == "focus") return focus(problem, bound, max_evaluations, interrupt);
      if (method == "abb") return automatic_branch_and_bound(problem, bound, max_evaluations, interrupt);
      throw std::invalid_argument("unknown search " + method);
    });
    nb::int_ n_evaluations(result.n_evaluations);
    for (std::size_t e = 0; e < result.unvisited.cubes.size(); ++e) {
      if (result.unvisited.cubes[e] != 0) n_evaluations += nb::int_(result.unvisited.cubes[e]) << nb::int_(e);
    }
    return {to_numpy(std::move(result.chosen)), n_evaluations, result.unvisited.complete};
  }

  std::tuple<Indices, std::size_t> cover(double bound, double tolerance) const {
    SubsetSearch result = without_gil([&](Interrupt& interrupt) {
      const SubsetProblem problem{rows_, cost_, view(order_), view(kept_)};
      return set_cover(problem, GroupCost(RiskMeasure::pairs, rows_, tolerance), bound, interrupt);
    });
    return {to_numpy(std::move(result.chosen)), result.n_evaluations};
  }

  // Returns one label per row, equal for rows that all features of the order and the kept ones leave together, or of
  // one class.
  nb::ndarray<nb::numpy, std::int32_t, nb::ndim<1>> blocks() const {
    std::vector<std::int32_t> labels(rows_.n_rows, -1);
    std::int32_t label = 0;
    for (std::size_t i = 0; i < refinement_.rows.size(); ++i) {
      if (i > 0 && refinement_.separation[i - 1] >= 0) ++label;
      labels[refinement_.rows[i]] = label;
    }
    return to_numpy(std::move(labels));
  }

 private:
  void check_features(const Features& features) const {
    for (const std::uint32_t feature : view(features)) {
      if (feature >= rows_.n_features) throw std::invalid_argument("feature out of range");
    }
  }

  double risk_of_none() const { return subset_risk(rows_, cost_, {}); }

  static const CodedRows& checked(const CodedRows& rows) {
    if (!rows.weights.empty() && rows.weights.size() != rows.n_rows) {
      throw std::invalid_argument("weights need one value per row");
    }
    return rows;
  }

  TableColumns columns_;
  std::unique_ptr<ListedRows> lists_;
  Vector<std::int32_t> classes_;
  std::optional<Vector<double>> weights_;
  Features order_;
  Features kept_;
  Vector<double> relevance_;
  CodedRows rows_;
  GroupCost cost_;
  Refinement refinement_;
  std::unique_ptr<Sweep> sweep_;
};

}  // namespace

void bind_consistency(nb::module_& module) {
  using Problem = ConsistencyProblem;
  nb::exception<TooManyEvaluations>(module, "TooManyEvaluations", PyExc_RuntimeError);
  nb::class_<Problem>(module, "Consistency",
                      "Consistency risks of one data set for one order of its features, least relevant first.")
      .def(nb::init<const std::shared_ptr<CodedTable>&, Vector<std::int32_t>, std::size_t,
                    std::optional<Vector<double>>, Features, Features, Vector<double>, const std::string&, double>(),
           nb::arg("codes"), nb::arg("classes"), nb::arg("n_classes"), nb::arg("weights").none(), nb::arg("order"),
           nb::arg("kept"), nb::arg("relevance"), nb::arg("measure") = "bayes", nb::arg("tolerance") = 0.0)
      .def_prop_ro("full_risk", &Problem::full_risk, "Unnormalised risk of all features.")
      .def_prop_ro("empty_risk", &Problem::empty_risk, "Unnormalised risk of the kept features alone.")
      .def_prop_ro("border", &Problem::border, "How many features at the start of the order change nothing.")
      .def("risk", &Problem::risk, nb::arg("features"), "Unnormalised risk of a set.")
      .def("leave_one_out", &Problem::leave_one_out, nb::arg("features"),
           "Unnormalised risk of a set, and of it without each of its features.")
      .def("sweep", &Problem::sweep, nb::arg("rule"), nb::arg("bound"),
           "LCC (rule 'total') or INTERACT ('step'): kept positions, risk, probes of the binary search.")
      .def("eliminate", &Problem::eliminate, nb::arg("strategy"), nb::arg("bound"), nb::arg("alpha") = 0.0,
           nb::arg("window") = 0.0, nb::arg("expansion") = 0.0,
           "Backward elimination: removed positions, risks beyond the border, evaluations of the listing.")
      .def("search", &Problem::search, nb::arg("method"), nb::arg("bound"), nb::arg("max_evaluations"),
           nb::arg("among"), "FOCUS or ABB among some features: the set and the evaluations.")
      .def("cover", &Problem::cover, nb::arg("bound"), nb::arg("tolerance") = 0.0,
           "SetCover: features in order of choice and evaluations; a negative bound covers all pairs.")
      .def("blocks", &Problem::blocks, "One label per row; equal for rows no feature separates or had to separate.");
}

}  // namespace thresher::bindings
