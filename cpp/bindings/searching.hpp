// What the bindings of all searches share.
#pragma once

#include <nanobind/stl/optional.h>

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "bindings/bindings.hpp"
#include "search/forward.hpp"

namespace thresher::bindings {

using Mask = std::optional<Vector<std::uint8_t>>;
using Indices = std::optional<Vector<std::uint32_t>>;

template <class T>
std::span<const T> view(const Vector<T>& values) {
  return {values.data(), values.size()};
}

template <class T>
std::span<const T> view(const std::optional<Vector<T>>& values) {
  return values ? view(*values) : std::span<const T>();
}

// `progress`: a Python callable or None; it is called with the GIL held.
template <class Options>
Options forward_options(std::optional<std::size_t> n_select, const Mask& candidates, const Indices& kept,
                        nb::object progress = nb::none()) {
  Options options;
  if (n_select) options.n_select = *n_select;
  options.candidates = {view(candidates), view(kept)};
  if (!progress.is_none()) {
    options.progress = [progress](std::size_t n_selected, std::uint32_t feature, double score) {
      nb::gil_scoped_acquire gil;
      progress(n_selected, feature, score);
    };
  }
  return options;
}

// Runs a search with the GIL released and Ctrl-C watched.
template <class Search>
auto without_gil(Search search) {
  SignalInterrupt interrupt;
  ReleasedGil released;
  return search(interrupt);
}

inline nb::dict steps_to_dict(Steps& steps) {
  nb::dict out;
  out["selected"] = to_numpy(std::move(steps.selected));
  out["scores"] = to_numpy(std::move(steps.scores));
  out["relevance"] = to_numpy(std::move(steps.relevance));
  out["redundancy"] = to_numpy(std::move(steps.redundancy));
  return out;
}

inline nb::dict result_to_dict(SearchResult& result) {
  nb::dict out = steps_to_dict(result);
  out["n_evaluations"] = result.n_evaluations;
  out["depth"] = to_numpy(std::move(result.record.depth));
  out["total"] = to_numpy(std::move(result.record.total));
  out["extreme"] = to_numpy(std::move(result.record.extreme));
  out["partner"] = to_numpy(std::move(result.record.partner));
  return out;
}

}  // namespace thresher::bindings
