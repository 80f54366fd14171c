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

template <class T>
std::span<const T> span_of(const Vector<T>& array) {
  return {array.data(), array.size()};
}

// One data set, one measure, one order of the features; holds the arrays it reads.
class ConsistencyProblem {
 public:
  // Codes come from a packed table, or from a matrix with one row per feature.
  ConsistencyProblem(std::shared_ptr<CodedTable> table, Vector<std::int32_t> classes, std::size_t n_classes,
                     std::optional<Vector<double>> weights, Features order, Features kept, Vector<double> relevance,
                     const std::string& measure, double tolerance)
      : ConsistencyProblem({}, table->n_rows(), table->n_features(), std::make_unique<TableColumns>(table),
                           std::move(classes), n_classes, std::move(weights), std::move(order), std::move(kept),
                           std::move(relevance), measure, tolerance, table->has_lists() ? table : nullptr) {}

  ConsistencyProblem(Matrix<std::uint8_t> codes, Vector<std::int32_t> classes, std::size_t n_classes,
                     std::optional<Vector<double>> weights, Features order, Features kept, Vector<double> relevance,
                     const std::string& measure, double tolerance)
      : ConsistencyProblem(codes, codes.shape(1), codes.shape(0),
                           std::make_unique<MatrixColumns>(codes.data(), codes.shape(1)), std::move(classes), n_classes,
                           std::move(weights), std::move(order), std::move(kept), std::move(relevance), measure,
                           tolerance) {}

  ConsistencyProblem(Matrix<std::uint8_t> codes, std::size_t n_rows, std::size_t n_features,
                     std::unique_ptr<ColumnSource> columns, Vector<std::int32_t> classes, std::size_t n_classes,
                     std::optional<Vector<double>> weights, Features order, Features kept, Vector<double> relevance,
                     const std::string& measure, double tolerance, std::shared_ptr<CodedTable> with_lists = nullptr)
      : codes_(std::move(codes)),
        columns_(std::move(columns)),
        with_lists_(std::move(with_lists)),
        lists_(with_lists_ ? std::make_unique<ListedRows>(*with_lists_) : nullptr),
        classes_(std::move(classes)),
        weights_(std::move(weights)),
        order_(std::move(order)),
        kept_(std::move(kept)),
        relevance_(std::move(relevance)),
        rows_{columns_.get(),
              n_rows,
              n_features,
              span_of(classes_),
              weights_ ? span_of(*weights_) : std::span<const double>{},
              n_classes,
              lists_.get()},
        cost_(choice_from("measure", measure, kRiskMeasures), checked(rows_), tolerance) {
    if (relevance_.size() != rows_.n_features) throw std::invalid_argument("relevance needs one value per feature");
    check_features(order_);
    check_features(kept_);
    ReleasedGil released;
    SignalInterrupt interrupt;
    refinement_ = refine(rows_, cost_, span_of(order_), span_of(kept_), interrupt);
  }

  double full_risk() const { return refinement_.full_risk; }
  double empty_risk() const { return refinement_.empty_risk; }
  std::size_t border() const { return refinement_.border; }

  double risk(const Features& features) const {
    check_features(features);
    ReleasedGil released;
    SignalInterrupt interrupt;
    return subset_risk(rows_, cost_, span_of(features));
  }

  // The risk of a set, and of it without each of its features.
  std::tuple<double, Values> leave_one_out(const Features& features) const {
    check_features(features);
    if (features.size() == 0) return {risk_of_none(), to_numpy(std::vector<double>{})};
    std::vector<double> without(features.size());
    double risk = 0.0;
    {
      ReleasedGil released;
      SignalInterrupt interrupt;
      const auto set = risks_without_one(rows_, cost_, span_of(features));
      risk = set->risk();
      std::vector<std::uint32_t> members(without.size());
      std::iota(members.begin(), members.end(), std::uint32_t{0});
      set->risks_without(members, without);
    }
    return {risk, to_numpy(std::move(without))};
  }

  std::tuple<Indices, double, std::size_t> sweep(const std::string& rule, double bound) {
    const SweepRule which = choice_from("rule", rule, kSweepRules);
    SweepResult result;
    {
      ReleasedGil released;
      SignalInterrupt interrupt;
      if (!sweep_) sweep_ = std::make_unique<Sweep>(rows_, cost_, refinement_, span_of(order_));
      result = sweep_->run(which, bound, interrupt);
    }
    return {to_numpy(std::move(result.kept)), result.risk, result.n_probes};
  }

  std::tuple<Indices, Values, std::size_t> eliminate(const std::string& strategy, double bound, double alpha,
                                                     double window, double expansion) const {
    Elimination result;
    {
      ReleasedGil released;
      SignalInterrupt interrupt;
      const EliminationProblem problem{rows_, cost_, refinement_, span_of(order_), span_of(kept_), span_of(relevance_)};
      if (strategy == "steepest") {
        result = eliminate_steepest(problem, bound, interrupt);
      } else if (strategy == "fast") {
        result = eliminate_fast(problem, bound, interrupt);
      } else if (strategy == "lazy") {
        result = eliminate_lazy(problem, bound, interrupt);
      } else if (strategy == "balanced") {
        result = eliminate_balanced(problem, bound, alpha, interrupt);
      } else if (strategy == "window") {
        result = eliminate_in_window(problem, bound, {alpha, window, expansion}, interrupt);
      } else {
        throw std::invalid_argument("unknown strategy " + strategy);
      }
    }
    return {to_numpy(std::move(result.removed)), to_numpy(std::move(result.risks)), result.n_evaluations};
  }

  // Features, evaluations, and whether these are all that the method's listing asks for.
  std::tuple<Indices, nb::int_, bool> search(const std::string& method, double bound, std::size_t max_evaluations,
                                             const Features& among) const {
    check_features(among);
    SubsetSearch result;
    {
      ReleasedGil released;
      SignalInterrupt interrupt;
      const SubsetProblem problem{rows_, cost_, span_of(among), span_of(kept_)};
      if (method == "focus") {
        result = focus(problem, bound, max_evaluations, interrupt);
      } else if (method == "abb") {
        result = automatic_branch_and_bound(problem, bound, max_evaluations, interrupt);
      } else {
        throw std::invalid_argument("unknown search " + method);
      }
    }
    nb::int_ n_evaluations(result.n_evaluations);
    for (std::size_t e = 0; e < result.unvisited.cubes.size(); ++e) {
      if (result.unvisited.cubes[e] != 0) n_evaluations += nb::int_(result.unvisited.cubes[e]) << nb::int_(e);
    }
    return {to_numpy(std::move(result.chosen)), n_evaluations, result.unvisited.complete};
  }

  std::tuple<Indices, std::size_t> cover(double bound, double tolerance) const {
    SubsetSearch result;
    {
      ReleasedGil released;
      SignalInterrupt interrupt;
      const SubsetProblem problem{rows_, cost_, span_of(order_), span_of(kept_)};
      const GroupCost pairs(RiskMeasure::pairs, rows_, tolerance);
      result = set_cover(problem, pairs, bound, interrupt);
    }
    return {to_numpy(std::move(result.chosen)), result.n_evaluations};
  }

  // One label per row: rows that all features of the order and the kept ones leave together, or of one class.
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
    for (const std::uint32_t feature : span_of(features)) {
      if (feature >= rows_.n_features) throw std::invalid_argument("feature out of range");
    }
  }

  double risk_of_none() const { return subset_risk(rows_, cost_, {}); }

  static const CodedRows& checked(const CodedRows& rows) {
    if (rows.classes.size() != rows.n_rows) throw std::invalid_argument("classes need one code per row");
    if (!rows.weights.empty() && rows.weights.size() != rows.n_rows) {
      throw std::invalid_argument("weights need one value per row");
    }
    for (const std::int32_t code : rows.classes) {
      if (code < 0 || static_cast<std::size_t>(code) >= rows.n_classes) {
        throw std::invalid_argument("class code out of range");
      }
    }
    return rows;
  }

  Matrix<std::uint8_t> codes_;
  std::unique_ptr<ColumnSource> columns_;
  std::shared_ptr<CodedTable> with_lists_;
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
      .def(nb::init<std::shared_ptr<CodedTable>, Vector<std::int32_t>, std::size_t, std::optional<Vector<double>>,
                    Features, Features, Vector<double>, const std::string&, double>(),
           nb::arg("codes"), nb::arg("classes"), nb::arg("n_classes"), nb::arg("weights").none(), nb::arg("order"),
           nb::arg("kept"), nb::arg("relevance"), nb::arg("measure") = "bayes", nb::arg("tolerance") = 0.0)
      .def(nb::init<Matrix<std::uint8_t>, Vector<std::int32_t>, std::size_t, std::optional<Vector<double>>, Features,
                    Features, Vector<double>, const std::string&, double>(),
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
