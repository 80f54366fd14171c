// Discretisers: learning cuts and coding by them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "bindings/numeric_arrays.hpp"
#include "discretize/cuts.hpp"

namespace thresher::bindings {
namespace {

using Weights = std::optional<Vector<double>>;
// Cuts and offsets.
using BoundCuts =
    std::tuple<nb::ndarray<nb::numpy, double, nb::ndim<1>>, nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>>>;

// Returns the cuts and offsets of learn(options, interrupt), which runs without the GIL.
template <class Learn>
BoundCuts learnt(std::size_t n_rows, const Weights& weights, std::size_t n_threads, Learn&& learn) {
  if (weights && weights->size() != n_rows) throw nb::value_error("weights must have one entry per row");
  const CutOptions options{view(weights), n_threads};
  Cuts cuts = without_gil([&](Interrupt& interrupt) { return learn(options, interrupt); });
  return {to_numpy(std::move(cuts.cuts)), to_numpy(std::move(cuts.offsets))};
}

void check_bins(std::size_t n_bins) {
  if (n_bins < 2 || n_bins > 255) throw nb::value_error("n_bins must be between 2 and 255");
}

BoundCuts equal_frequency(const NumericArray& array, std::size_t n_bins, const Weights& weights,
                          std::size_t n_threads) {
  check_bins(n_bins);
  const NumericMatrix matrix = numeric_matrix(array);
  return learnt(matrix.n_rows, weights, n_threads, [&](const CutOptions& options, Interrupt& interrupt) {
    return cuts_equal_frequency(matrix, n_bins, options, interrupt);
  });
}

BoundCuts equal_width(const NumericArray& array, std::size_t n_bins, const Weights& weights, std::size_t n_threads) {
  check_bins(n_bins);
  const NumericMatrix matrix = numeric_matrix(array);
  return learnt(matrix.n_rows, weights, n_threads, [&](const CutOptions& options, Interrupt& interrupt) {
    return cuts_equal_width(matrix, n_bins, options, interrupt);
  });
}

BoundCuts mean_sd(const NumericArray& array, double t, const Weights& weights, std::size_t n_threads) {
  if (!(t >= 0.0)) throw nb::value_error("t must be at least 0");
  const NumericMatrix matrix = numeric_matrix(array);
  return learnt(matrix.n_rows, weights, n_threads, [&](const CutOptions& options, Interrupt& interrupt) {
    return cuts_mean_sd(matrix, t, options, interrupt);
  });
}

BoundCuts mdl(const NumericArray& array, const Vector<std::int32_t>& classes, std::size_t n_classes, bool weka_count,
              const Weights& weights, std::size_t n_threads) {
  const auto codes = check_classes(classes, array.shape(1), n_classes);
  const NumericMatrix matrix = numeric_matrix(array);
  return learnt(matrix.n_rows, weights, n_threads, [&](const CutOptions& options, Interrupt& interrupt) {
    return cuts_mdl(matrix, codes, n_classes, weka_count, options, interrupt);
  });
}

auto apply(const NumericArray& array, const Vector<double>& cuts, const Vector<std::int64_t>& offsets,
           std::size_t n_threads) {
  const NumericMatrix matrix = numeric_matrix(array);
  auto out = empty_numpy<std::uint8_t>(matrix.n_features, matrix.n_rows);
  without_gil(
      [&](Interrupt& interrupt) { apply_cuts(matrix, view(cuts), view(offsets), n_threads, out.data(), interrupt); });
  return out;
}

// Columns of a CSC matrix and the features to bin.
template <class T>
SparseCutData<T> sparse_data(const Vector<T>& values, const Vector<std::int32_t>& rows,
                             const Vector<std::int64_t>& starts, std::size_t n_rows,
                             const Vector<std::uint8_t>& wanted) {
  const SparseColumns<T> columns = sparse_columns(values, rows, starts, n_rows);
  if (wanted.size() != columns.n_features) throw nb::value_error("wanted must have one mark per feature");
  for (const std::int32_t row : view(rows)) {
    if (row < 0 || static_cast<std::size_t>(row) >= n_rows) throw nb::index_error("row out of range");
  }
  return {columns, view(wanted)};
}

// rule: "equal-frequency", "equal-width" (setting: bins), "mean-sd" (t) or "mdl" (1 for Weka's count).
template <class T>
BoundCuts cuts_sparse(const Vector<T>& values, const Vector<std::int32_t>& rows, const Vector<std::int64_t>& starts,
                      std::size_t n_rows, const Vector<std::uint8_t>& wanted, const std::string& rule, double setting,
                      const std::optional<Vector<std::int32_t>>& classes, std::size_t n_classes, const Weights& weights,
                      std::size_t n_threads) {
  const auto data = sparse_data(values, rows, starts, n_rows, wanted);
  if (rule == "mdl") {
    if (!classes) throw nb::value_error("y is needed");
    check_classes(*classes, n_rows, n_classes);
  } else if (rule != "mean-sd") {
    check_bins(static_cast<std::size_t>(setting));
  }
  return learnt(n_rows, weights, n_threads, [&](const CutOptions& options, Interrupt&) {
    if (rule == "equal-frequency") return cuts_equal_frequency(data, static_cast<std::size_t>(setting), options);
    if (rule == "equal-width") return cuts_equal_width(data, static_cast<std::size_t>(setting), options);
    if (rule == "mean-sd") return cuts_mean_sd(data, setting, options);
    if (rule == "mdl") return cuts_mdl(data, view(classes), n_classes, setting != 0.0, options);
    throw std::invalid_argument("unknown rule " + rule);
  });
}

template <class T>
nb::ndarray<nb::numpy, nb::ndim<1>> apply_sparse(const Vector<T>& values, const Vector<std::int32_t>& rows,
                                                 const Vector<std::int64_t>& starts, std::size_t n_rows,
                                                 const Vector<std::uint8_t>& wanted, const Vector<double>& cuts,
                                                 const Vector<std::int64_t>& offsets, std::size_t n_threads) {
  const auto data = sparse_data(values, rows, starts, n_rows, wanted);
  std::vector<T> out(values.size());
  without_gil([&](Interrupt&) { apply_cuts(data, view(cuts), view(offsets), n_threads, out.data()); });
  return nb::ndarray<nb::numpy, nb::ndim<1>>(to_numpy(std::move(out)));
}

template <class T>
void bind_sparse_bins(nb::module_& module) {
  module.def("cuts_sparse", &cuts_sparse<T>, nb::arg("values").noconvert(), nb::arg("rows"), nb::arg("starts"),
             nb::arg("n_rows"), nb::arg("wanted"), nb::arg("rule"), nb::arg("setting"), nb::arg("classes") = nb::none(),
             nb::arg("n_classes") = 1, nb::arg("weights") = nb::none(), nb::arg("n_threads") = 1,
             "Cuts of the wanted features of a CSC matrix, and their offsets.");
  module.def("apply_cuts_sparse", &apply_sparse<T>, nb::arg("values").noconvert(), nb::arg("rows"), nb::arg("starts"),
             nb::arg("n_rows"), nb::arg("wanted"), nb::arg("cuts"), nb::arg("offsets"), nb::arg("n_threads") = 1,
             "Stored values as codes less the code of zero.");
}

}  // namespace

void bind_discretize(nb::module_& module) {
  bind_sparse_bins<float>(module);
  bind_sparse_bins<double>(module);
  module.def("cuts_equal_frequency", &equal_frequency, nb::arg("matrix").noconvert(), nb::arg("n_bins"),
             nb::arg("weights") = nb::none(), nb::arg("n_threads") = 1);
  module.def("cuts_equal_width", &equal_width, nb::arg("matrix").noconvert(), nb::arg("n_bins"),
             nb::arg("weights") = nb::none(), nb::arg("n_threads") = 1);
  module.def("cuts_mean_sd", &mean_sd, nb::arg("matrix").noconvert(), nb::arg("t") = 1.0,
             nb::arg("weights") = nb::none(), nb::arg("n_threads") = 1);
  module.def("cuts_mdl", &mdl, nb::arg("matrix").noconvert(), nb::arg("classes"), nb::arg("n_classes"),
             nb::arg("weka_count") = false, nb::arg("weights") = nb::none(), nb::arg("n_threads") = 1);
  module.def("apply_cuts", &apply, nb::arg("matrix").noconvert(), nb::arg("cuts"), nb::arg("offsets"),
             nb::arg("n_threads") = 1, "uint8 codes (p, n): the number of cuts below each value, 255 for NaN.");
}

}  // namespace thresher::bindings
