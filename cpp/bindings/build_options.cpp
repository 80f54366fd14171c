#include "bindings/build_options.hpp"

#include <stdexcept>

namespace thresher::bindings {
namespace {

// Weights are copied: the table may outlive the array. Integers stay exact whatever their type.
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
  options.parts = view(parts);
  options.sets = read_sets(parts, sets);
  options.weights = read_weights(weights, n_rows);
  options.missing = choice_from("missing", missing, kMissing);
  options.n_threads = n_threads;
  return options;
}

SparseView read_sparse(const nb::object& indptr, const nb::object& indices, const nb::object& data, std::size_t n_rows,
                       std::size_t n_columns, bool is_csc, std::vector<HeldArray>& held) {
  const auto contiguous = [&](const nb::object& array) -> const HeldArray& {
    held.push_back(hold_array(nb::module_::import_("numpy").attr("ascontiguousarray")(array), 1));
    return held.back();
  };
  const auto width = [](DType dtype) {
    if (dtype != DType::i32 && dtype != DType::i64) throw nb::type_error("sparse indices must be int32 or int64");
    return dtype == DType::i64;
  };
  SparseView view;
  const HeldArray pointers = contiguous(indptr);
  const HeldArray held_indices = contiguous(indices);
  const HeldArray values = contiguous(data);
  if (pointers.view.n_rows != (is_csc ? n_columns : n_rows) + 1) throw std::invalid_argument("indptr: wrong length");
  if (held_indices.view.n_rows != values.view.n_rows) throw std::invalid_argument("indices and data differ in length");
  view.indptr = pointers.view.data;
  view.wide_indptr = width(pointers.view.dtype);
  view.indices = held_indices.view.data;
  view.wide_indices = width(held_indices.view.dtype);
  view.values = values.view.data;
  view.dtype = values.view.dtype;
  view.n_stored = values.view.n_rows;
  view.n_rows = n_rows;
  view.n_columns = n_columns;
  view.by_columns = is_csc;
  return view;
}

SparseView checked_sparse(const nb::object& indptr, const nb::object& indices, const nb::object& data,
                          std::size_t n_rows, std::size_t n_columns, bool is_csc, std::vector<HeldArray>& held) {
  const SparseView view = read_sparse(indptr, indices, data, n_rows, n_columns, is_csc, held);
  check_sparse(view);
  return view;
}

}  // namespace thresher::bindings
