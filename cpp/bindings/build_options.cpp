#include "bindings/build_options.hpp"

#include <stdexcept>

#include "bindings/arrays.hpp"

namespace thresher::bindings {
namespace {

Missing missing_named(const std::string& name) {
  if (name == "error") return Missing::error;
  if (name == "category") return Missing::category;
  if (name == "pairwise") return Missing::pairwise;
  throw std::invalid_argument("missing must be 'error', 'category' or 'pairwise', got '" + name + "'");
}

// Weights are copied: the table may outlive the array. Whole numbers stay whole whatever their type.
Weights read_weights(const nb::object& array, std::size_t n_rows) {
  Weights weights;
  if (array.is_none()) return weights;
  const HeldArray held = hold_array(array, 1);
  if (held.view.n_rows != n_rows) throw std::invalid_argument("weights: one weight per row is needed");
  weights.real.resize(n_rows);
  weights.whole.resize(n_rows);
  bool whole = true;
  visit_dtype(held.view.dtype, [&](auto element) {
    using T = decltype(element);
    for (std::size_t i = 0; i < n_rows; ++i) {
      const T value = *held.view.at<T>(i, 0);
      const auto number = static_cast<double>(value);
      if (!(number >= 0.0) || number > 1e15) throw std::invalid_argument("weights: must be finite and not negative");
      weights.real[i] = number;
      weights.whole[i] = static_cast<std::int64_t>(number);
      whole = whole && static_cast<double>(weights.whole[i]) == number;
    }
  });
  (whole ? weights.real.clear() : weights.whole.clear());
  return weights;
}

}  // namespace

BuildOptions read_options(const OptionalParts& parts, const OptionalSets& sets, const nb::object& weights,
                          std::size_t n_rows, std::size_t n_threads, const std::string& missing) {
  BuildOptions options;
  options.parts = as_span(parts);
  options.sets = read_sets(parts, sets);
  options.weights = read_weights(weights, n_rows);
  options.missing = missing_named(missing);
  options.n_threads = n_threads;
  return options;
}

}  // namespace thresher::bindings
