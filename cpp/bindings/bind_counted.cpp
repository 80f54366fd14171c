// Measures over counts that Python delivers.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "bindings/bindings.hpp"
#include "bindings/part_sets.hpp"
#include "bindings/python_source.hpp"
#include "bindings/searching.hpp"
#include "measures/counted_measure.hpp"
#include "measures/three_way.hpp"

namespace thresher::bindings {
namespace {

class PythonCounts final : public CountSource {
 public:
  explicit PythonCounts(nb::object request) : source_(std::move(request)) {}

  void count(const PairRequest& request, std::span<std::int64_t> counts) override {
    nb::gil_scoped_acquire gil;
    const auto delivered =
        source_.fetch<Vector<std::int64_t>>(request, "an int64 array of " + std::to_string(counts.size()) + " counts",
                                            [&](const auto& array) { return array.size() == counts.size(); });
    std::copy_n(delivered.data(), counts.size(), counts.begin());
  }

 private:
  PythonSource source_;
};

FeatureMargins read_margins(const Vector<std::int32_t>& levels, const Vector<std::int64_t>& counts,
                            std::uint64_t n_rows, std::size_t n_parts, const Mask& incomplete) {
  FeatureMargins margins;
  margins.n_parts = n_parts;
  margins.n_rows = n_rows;
  for (const std::int32_t n_levels : view(levels)) {
    if (n_levels < 0) throw std::invalid_argument("levels must not be negative");
    margins.levels.push_back(static_cast<std::uint32_t>(n_levels));
  }
  margins.counts.assign(counts.data(), counts.data() + counts.size());
  if (incomplete) margins.incomplete.assign(incomplete->data(), incomplete->data() + incomplete->size());
  return margins;
}

CountedPairs* make_pairs(RequestFunction<std::int64_t> request, const Vector<std::int32_t>& levels,
                         const Vector<std::int64_t>& margins, std::uint64_t n_rows, const std::string& measure,
                         const OptionalSets& sets, const Mask& incomplete, std::optional<std::size_t> round_size) {
  const DiscreteMeasure kind = choice_from("measure", measure, kDiscreteMeasures);
  PartSets replicates = read_sets(std::nullopt, sets);
  const std::size_t n_parts = replicates.n_parts();
  return new CountedPairs(std::make_shared<PythonCounts>(std::move(request)),
                          read_margins(levels, margins, n_rows, n_parts, incomplete), std::move(replicates),
                          round_size.value_or(CountedMeasure::usual_round_size(levels.size())), kind);
}

CountedTriples* make_triples(RequestFunction<std::int64_t> request, const Vector<std::int32_t>& levels,
                             const Vector<std::int64_t>& margins, std::uint64_t n_rows, std::size_t n_classes,
                             const std::string& term, const OptionalSets& sets, const Mask& incomplete,
                             std::optional<std::size_t> round_size) {
  const ThreeWayTerm kind = choice_from("term", term, kThreeWayTerms);
  PartSets replicates = read_sets(std::nullopt, sets);
  const std::size_t n_parts = replicates.n_parts() * n_classes;
  return new CountedTriples(std::make_shared<PythonCounts>(std::move(request)),
                            read_margins(levels, margins, n_rows, n_parts, incomplete), std::move(replicates),
                            round_size.value_or(CountedMeasure::usual_round_size(levels.size())), n_classes, kind);
}

auto bound_count_request(const CodedTable& block, const Vector<std::uint32_t>& references,
                         const Vector<std::uint32_t>& features, const Mask& incomplete, std::size_t n_threads) {
  return to_numpy(without_gil([&](Interrupt&) {
    return count_request(block, {view(references), view(features)}, view(incomplete), n_threads);
  }));
}

}  // namespace

void bind_counted(nb::module_& module) {
  nb::class_<DeliveredMeasure, PairMeasure>(module, "DeliveredMeasure", "Values from sums that a callback returns.")
      .def_prop_ro("n_rounds", &DeliveredMeasure::n_rounds)
      .def_prop_ro("n_pairs", &DeliveredMeasure::n_pairs);
  nb::class_<CountedPairs, DeliveredMeasure>(module, "CountedPairs", "A measure of two features.")
      .def(nb::new_(&make_pairs), nb::arg("request"), nb::arg("levels"), nb::arg("margins"), nb::arg("n_rows"),
           nb::kw_only(), nb::arg("measure") = "mi", nb::arg("sets") = nb::none(), nb::arg("incomplete") = nb::none(),
           nb::arg("round_size") = nb::none());
  nb::class_<CountedTriples, DeliveredMeasure>(module, "CountedTriples", "A term of two features and the target.")
      .def(nb::new_(&make_triples), nb::arg("request"), nb::arg("levels"), nb::arg("margins"), nb::arg("n_rows"),
           nb::arg("n_classes"), nb::kw_only(), nb::arg("term"), nb::arg("sets") = nb::none(),
           nb::arg("incomplete") = nb::none(), nb::arg("round_size") = nb::none());
  module.def("count_request", &bound_count_request, nb::arg("block"), nb::arg("references"), nb::arg("features"),
             nb::arg("incomplete") = nb::none(), nb::arg("n_threads") = 1,
             "The counts of pairs of features in a block of rows, as counted measures add them up.");
}

}  // namespace thresher::bindings
