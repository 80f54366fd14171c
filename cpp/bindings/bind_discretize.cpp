// Discretisers: learning cuts and coding by them.
#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "bindings/bindings.hpp"
#include "bindings/numeric_arrays.hpp"
#include "discretize/cuts.hpp"

namespace thresher::bindings {
namespace {

using Weights = std::optional<Vector<double>>;

// learn(matrix, options, interrupt) without the GIL; its cuts and offsets as arrays.
template <class Learn>
nb::tuple learnt(const NumericArray& array, const Weights& weights, std::size_t n_threads, Learn&& learn) {
  const NumericMatrix matrix = numeric_matrix(array);
  CutOptions options;
  options.n_threads = n_threads;
  if (weights) {
    if (weights->size() != matrix.n_rows) throw nb::value_error("weights must have one entry per row");
    options.weights = {weights->data(), weights->size()};
  }
  Cuts cuts;
  {
    nb::gil_scoped_release released;
    SignalInterrupt interrupt;
    cuts = learn(matrix, options, interrupt);
  }
  return nb::make_tuple(to_numpy(std::move(cuts.cuts)), to_numpy(std::move(cuts.offsets)));
}

void check_bins(std::size_t n_bins) {
  if (n_bins < 2 || n_bins > 255) throw nb::value_error("n_bins must be between 2 and 255");
}

nb::tuple equal_frequency(NumericArray matrix, std::size_t n_bins, Weights weights, std::size_t n_threads) {
  check_bins(n_bins);
  return learnt(matrix, weights, n_threads, [&](NumericMatrix data, const CutOptions& options, Interrupt& interrupt) {
    return cuts_equal_frequency(data, n_bins, options, interrupt);
  });
}

nb::tuple equal_width(NumericArray matrix, std::size_t n_bins, Weights weights, std::size_t n_threads) {
  check_bins(n_bins);
  return learnt(matrix, weights, n_threads, [&](NumericMatrix data, const CutOptions& options, Interrupt& interrupt) {
    return cuts_equal_width(data, n_bins, options, interrupt);
  });
}

nb::tuple mean_sd(NumericArray matrix, double t, Weights weights, std::size_t n_threads) {
  if (!(t >= 0.0)) throw nb::value_error("t must be at least 0");
  return learnt(matrix, weights, n_threads, [&](NumericMatrix data, const CutOptions& options, Interrupt& interrupt) {
    return cuts_mean_sd(data, t, options, interrupt);
  });
}

nb::tuple mdl(NumericArray matrix, Vector<std::int32_t> classes, std::size_t n_classes, bool weka_count,
              Weights weights, std::size_t n_threads) {
  const std::span<const std::int32_t> codes(classes.data(), classes.size());
  if (codes.size() != matrix.shape(1)) throw nb::value_error("y must have one class per row");
  for (const std::int32_t code : codes) {
    if (code < 0 || static_cast<std::size_t>(code) >= n_classes) {
      throw nb::value_error("class codes must be 0..n_classes-1");
    }
  }
  return learnt(matrix, weights, n_threads, [&](NumericMatrix data, const CutOptions& options, Interrupt& interrupt) {
    return cuts_mdl(data, codes, n_classes, weka_count, options, interrupt);
  });
}

nb::object apply(NumericArray matrix, Vector<double> cuts, Vector<std::int64_t> offsets, std::size_t n_threads) {
  const NumericMatrix data = numeric_matrix(matrix);
  auto out = empty_numpy<std::uint8_t>(data.n_features, data.n_rows);
  {
    nb::gil_scoped_release released;
    SignalInterrupt interrupt;
    apply_cuts(data, {cuts.data(), cuts.size()}, {offsets.data(), offsets.size()}, n_threads, out.data(), interrupt);
  }
  return nb::cast(out);
}

}  // namespace

void bind_discretize(nb::module_& module) {
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
