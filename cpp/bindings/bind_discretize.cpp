// Discretisers: learning cuts and coding by them.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <cstdint>
#include <optional>
#include <span>
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

// learn(matrix, options, interrupt) without the GIL; its cuts and offsets as arrays.
template <class Learn>
BoundCuts learnt(const NumericArray& array, const Weights& weights, std::size_t n_threads, Learn&& learn) {
  const NumericMatrix matrix = numeric_matrix(array);
  CutOptions options;
  options.n_threads = n_threads;
  if (weights) {
    if (weights->size() != matrix.n_rows) throw nb::value_error("weights must have one entry per row");
    options.weights = {weights->data(), weights->size()};
  }
  Cuts cuts;
  {
    ReleasedGil released;
    SignalInterrupt interrupt;
    cuts = learn(matrix, options, interrupt);
  }
  return {to_numpy(std::move(cuts.cuts)), to_numpy(std::move(cuts.offsets))};
}

void check_bins(std::size_t n_bins) {
  if (n_bins < 2 || n_bins > 255) throw nb::value_error("n_bins must be between 2 and 255");
}

void check_classes(const Vector<std::int32_t>& classes, std::size_t n_classes, std::size_t n_rows) {
  if (classes.size() != n_rows) throw nb::value_error("y must have one class per row");
  for (std::size_t i = 0; i < n_rows; ++i) {
    if (classes.data()[i] < 0 || static_cast<std::size_t>(classes.data()[i]) >= n_classes) {
      throw nb::value_error("class codes must be 0..n_classes-1");
    }
  }
}

BoundCuts equal_frequency(NumericArray matrix, std::size_t n_bins, Weights weights, std::size_t n_threads) {
  check_bins(n_bins);
  return learnt(matrix, weights, n_threads, [&](NumericMatrix data, const CutOptions& options, Interrupt& interrupt) {
    return cuts_equal_frequency(data, n_bins, options, interrupt);
  });
}

BoundCuts equal_width(NumericArray matrix, std::size_t n_bins, Weights weights, std::size_t n_threads) {
  check_bins(n_bins);
  return learnt(matrix, weights, n_threads, [&](NumericMatrix data, const CutOptions& options, Interrupt& interrupt) {
    return cuts_equal_width(data, n_bins, options, interrupt);
  });
}

BoundCuts mean_sd(NumericArray matrix, double t, Weights weights, std::size_t n_threads) {
  if (!(t >= 0.0)) throw nb::value_error("t must be at least 0");
  return learnt(matrix, weights, n_threads, [&](NumericMatrix data, const CutOptions& options, Interrupt& interrupt) {
    return cuts_mean_sd(data, t, options, interrupt);
  });
}

BoundCuts mdl(NumericArray matrix, Vector<std::int32_t> classes, std::size_t n_classes, bool weka_count,
              Weights weights, std::size_t n_threads) {
  const std::span<const std::int32_t> codes(classes.data(), classes.size());
  check_classes(classes, n_classes, matrix.shape(1));
  return learnt(matrix, weights, n_threads, [&](NumericMatrix data, const CutOptions& options, Interrupt& interrupt) {
    return cuts_mdl(data, codes, n_classes, weka_count, options, interrupt);
  });
}

nb::ndarray<nb::numpy, std::uint8_t, nb::ndim<2>> apply(NumericArray matrix, Vector<double> cuts,
                                                        Vector<std::int64_t> offsets, std::size_t n_threads) {
  const NumericMatrix data = numeric_matrix(matrix);
  auto out = empty_numpy<std::uint8_t>(data.n_features, data.n_rows);
  {
    ReleasedGil released;
    SignalInterrupt interrupt;
    apply_cuts(data, {cuts.data(), cuts.size()}, {offsets.data(), offsets.size()}, n_threads, out.data(), interrupt);
  }
  return out;
}

// Columns of a CSC matrix and the features to bin.
template <class T>
SparseCutData<T> sparse_data(const Vector<T>& values, const Vector<std::int32_t>& rows,
                             const Vector<std::int64_t>& starts, std::size_t n_rows,
                             const Vector<std::uint8_t>& wanted) {
  if (starts.size() == 0 || values.size() != rows.size() || starts.data()[0] != 0 ||
      static_cast<std::size_t>(starts.data()[starts.size() - 1]) != values.size() ||
      wanted.size() + 1 != starts.size()) {
    throw nb::value_error("values, rows, starts and wanted are not those of one compressed matrix");
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows.data()[i] < 0 || static_cast<std::size_t>(rows.data()[i]) >= n_rows) {
      throw nb::index_error("row out of range");
    }
  }
  return {{values.data(), rows.data(), starts.data(), starts.size() - 1, n_rows}, {wanted.data(), wanted.size()}};
}

// rule: "equal-frequency", "equal-width" (setting: bins), "mean-sd" (t) or "mdl" (1 for Weka's count).
template <class T>
BoundCuts cuts_sparse(const Vector<T>& values, const Vector<std::int32_t>& rows, const Vector<std::int64_t>& starts,
                      std::size_t n_rows, const Vector<std::uint8_t>& wanted, const std::string& rule, double setting,
                      const std::optional<Vector<std::int32_t>>& classes, std::size_t n_classes, const Weights& weights,
                      std::size_t n_threads) {
  const auto data = sparse_data(values, rows, starts, n_rows, wanted);
  CutOptions options;
  options.n_threads = n_threads;
  if (weights) {
    if (weights->size() != n_rows) throw nb::value_error("weights must have one entry per row");
    options.weights = {weights->data(), weights->size()};
  }
  if (rule == "mdl") {
    if (!classes) throw nb::value_error("y is needed");
    check_classes(*classes, n_classes, n_rows);
  } else if (rule != "mean-sd") {
    check_bins(static_cast<std::size_t>(setting));
  }
  Cuts cuts;
  {
    ReleasedGil released;
    SignalInterrupt interrupt;
    if (rule == "equal-frequency") {
      cuts = cuts_equal_frequency(data, static_cast<std::size_t>(setting), options);
    } else if (rule == "equal-width") {
      cuts = cuts_equal_width(data, static_cast<std::size_t>(setting), options);
    } else if (rule == "mean-sd") {
      cuts = cuts_mean_sd(data, setting, options);
    } else if (rule == "mdl") {
      cuts = cuts_mdl(data, {classes->data(), classes->size()}, n_classes, setting != 0.0, options);
    } else {
      throw std::invalid_argument("unknown rule " + rule);
    }
  }
  return {to_numpy(std::move(cuts.cuts)), to_numpy(std::move(cuts.offsets))};
}

template <class T>
nb::ndarray<nb::numpy, nb::ndim<1>> apply_sparse(const Vector<T>& values, const Vector<std::int32_t>& rows,
                                                 const Vector<std::int64_t>& starts, std::size_t n_rows,
                                                 const Vector<std::uint8_t>& wanted, const Vector<double>& cuts,
                                                 const Vector<std::int64_t>& offsets, std::size_t n_threads) {
  const auto data = sparse_data(values, rows, starts, n_rows, wanted);
  std::vector<T> out(values.size());
  {
    ReleasedGil released;
    SignalInterrupt interrupt;
    apply_cuts(data, {cuts.data(), cuts.size()}, {offsets.data(), offsets.size()}, n_threads, out.data());
  }
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
