// Sums over rows as values that add and subtract.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/numeric_arrays.hpp"
#include "measures/exact_fallback.hpp"

namespace thresher::bindings {
namespace {

using Weights = std::optional<Vector<double>>;

// Returns whether any row counts; the layout of rows needs one.
bool has_rows(std::size_t n_rows, std::span<const double> weights) {
  if (weights.empty()) return n_rows > 0;
  return std::any_of(weights.begin(), weights.end(), [](double w) { return w > 0.0; });
}

void reject_extremes(bool extreme) {
  if (extreme)
    throw nb::value_error("values beyond 1e140, or closer than 1e-140, cannot be added up; scale the column");
}

PairSums sums_of_pair(const Vector<double>& a, const Vector<double>& b, const Weights& weights) {
  if (a.size() != b.size()) throw nb::value_error("both columns must have the same length");
  if (!has_rows(a.size(), view(weights))) return {};
  const SegmentLayout layout(a.size(), {}, PartSets(), view(weights));
  const auto x = layout.arrange(view(a));
  const auto y = layout.arrange(view(b));
  PairSums sums = pair_sums({nullptr, x.data()}, {nullptr, y.data()}, layout, 0);
  reject_extremes(sums.scale_x != 0 || sums.scale_y != 0);
  return sums;
}

ClassSums sums_by_class(const Vector<double>& values, const Vector<std::int32_t>& classes, std::size_t n_classes,
                        const Weights& weights) {
  const auto codes = check_classes(classes, values.size(), n_classes);
  if (!has_rows(values.size(), view(weights))) return {std::vector<ClassSum>(n_classes)};
  const SegmentLayout layout(values.size(), {}, PartSets(), view(weights));
  const auto x = layout.arrange(view(values));
  ClassSums sums = class_sums({nullptr, x.data()}, layout.arrange(codes).data(), n_classes, layout, 0);
  reject_extremes(sums.scale != 0);
  return sums;
}

template <class Sums>
Sums combined(Sums sums, const Sums& other, double sign) {
  sums.add(other, sign);
  return sums;
}

// Returns all numbers of some sums, in order, for pickling and inspection.
std::vector<double> state(const PairSums& sums) {
  std::vector<double> out{sums.centre_x, sums.centre_y};
  for (const DoubleDouble& sum : {sums.n, sums.x, sums.y, sums.xx, sums.yy, sums.xy}) {
    out.insert(out.end(), {sum.hi, sum.lo});
  }
  return out;
}

void set_state(PairSums* self, const std::vector<double>& state) {
  if (state.size() != 14) throw nb::value_error("not the state of these sums");
  auto* sums = new (self) PairSums;
  sums->centre_x = state[0];
  sums->centre_y = state[1];
  std::size_t at = 2;
  for (const auto member :
       {&PairedSums::n, &PairedSums::x, &PairedSums::y, &PairedSums::xx, &PairedSums::yy, &PairedSums::xy}) {
    sums->*member = {state[at], state[at + 1]};
    at += 2;
  }
}

std::vector<double> state(const ClassSums& sums) {
  std::vector<double> out{sums.centre};
  for (const ClassSum& own : sums.classes) {
    out.insert(out.end(), {own.n.hi, own.n.lo, own.x.hi, own.x.lo, own.xx.hi, own.xx.lo});
  }
  return out;
}

void set_state(ClassSums* self, const std::vector<double>& state) {
  if (state.size() % 6 != 1) throw nb::value_error("not the state of these sums");
  auto* sums = new (self) ClassSums;
  sums->centre = state[0];
  for (std::size_t at = 1; at < state.size(); at += 6) {
    sums->classes.push_back(
        {{state[at], state[at + 1]}, {state[at + 2], state[at + 3]}, {state[at + 4], state[at + 5]}});
  }
}

template <class Sums, class Class, class Kind>
void bind_sums_as_values(Class& sums_class, Kind kind) {
  sums_class.def("__add__", [](const Sums& a, const Sums& b) { return combined(a, b, 1.0); })
      .def("__sub__", [](const Sums& a, const Sums& b) { return combined(a, b, -1.0); })
      .def("value", [kind](const Sums& sums, const std::string& measure) { return sums.value(kind(measure)); })
      .def("__getstate__", [](const Sums& sums) { return state(sums); })
      .def("__setstate__", [](Sums& sums, const std::vector<double>& from) { set_state(&sums, from); });
}

}  // namespace

void bind_sums(nb::module_& module) {
  nb::class_<PairSums> pair(module, "PairSums", "Sums of two columns of numbers, in double-double.");
  pair.def(
      "__init__",
      [](PairSums* self, const Vector<double>& a, const Vector<double>& b, const Weights& weights) {
        new (self) PairSums(sums_of_pair(a, b, weights));
      },
      nb::arg("a"), nb::arg("b"), nb::arg("weights") = nb::none());
  bind_sums_as_values<PairSums>(pair, &numeric_kind);
  nb::class_<ClassSums> by_class(module, "ClassSums", "Sums of a column of numbers by class, in double-double.");
  by_class.def(
      "__init__",
      [](ClassSums* self, const Vector<double>& values, const Vector<std::int32_t>& classes, std::size_t n_classes,
         const Weights& weights) { new (self) ClassSums(sums_by_class(values, classes, n_classes, weights)); },
      nb::arg("values"), nb::arg("classes"), nb::arg("n_classes"), nb::arg("weights") = nb::none());
  bind_sums_as_values<ClassSums>(by_class, &class_kind);
}

}  // namespace thresher::bindings
