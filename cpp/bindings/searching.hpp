// Helpers of the bindings of all searches.
#pragma once

#include <nanobind/stl/optional.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>
#include <utility>

#include "bindings/bindings.hpp"
#include "search/forward.hpp"

namespace thresher::bindings {

using Mask = std::optional<Vector<std::uint8_t>>;
using Indices = std::optional<Vector<std::uint32_t>>;

// Called after each step with the number of features selected, the feature and its score.
using PythonProgress = std::optional<nb::typed<nb::callable, nb::object(std::size_t, std::uint32_t, double)>>;

// `progress` is called with the GIL held, but the options may be copied without.
template <class Options>
Options forward_options(const Mask& candidates, const Indices& kept, const PythonProgress& progress = {}) {
  Options options;
  options.candidates = {view(candidates), view(kept)};
  if (progress) {
    options.progress = [shared = std::make_shared<nb::object>(*progress)](std::size_t n_selected, std::uint32_t feature,
                                                                          double score) {
      nb::gil_scoped_acquire gil;
      (*shared)(n_selected, feature, score);
    };
  }
  return options;
}

// A forward search as Python sees it.
class BoundSearch {
 public:
  BoundSearch() = default;
  virtual ~BoundSearch() = default;
  BoundSearch(const BoundSearch&) = delete;
  BoundSearch& operator=(const BoundSearch&) = delete;

  void extend(std::optional<std::size_t> n_more) {
    const Running running(*this);
    without_gil(
        [&](Interrupt& interrupt) { go_on(n_more.value_or(std::numeric_limits<std::size_t>::max()), interrupt); });
  }
  SearchResult result() const {
    check_idle();
    return current_result();
  }
  virtual bool is_exhausted() const = 0;

 protected:
  virtual void go_on(std::size_t n_more, Interrupt& interrupt) = 0;
  virtual SearchResult current_result() const = 0;

 private:
  // The GIL is released while the search runs: another thread, or its own progress callback, could call it again.
  struct Running {
    explicit Running(BoundSearch& bound) : search(bound) {
      search.check_idle();
      search.is_running_ = true;
    }
    ~Running() { search.is_running_ = false; }
    BoundSearch& search;
  };
  void check_idle() const {
    if (is_running_) throw std::logic_error("the search is running; call it again when it has returned");
  }

  bool is_running_ = false;
};

// The search with what it reads.
template <class... Inputs>
class HeldSearch final : public BoundSearch {
 public:
  explicit HeldSearch(ForwardSearch&& search, Inputs... inputs)
      : inputs_(std::move(inputs)...), search_(std::move(search)) {}

  bool is_exhausted() const override { return search_.is_exhausted(); }

 protected:
  void go_on(std::size_t n_more, Interrupt& interrupt) override { search_.extend(n_more, interrupt); }
  SearchResult current_result() const override { return search_.result(); }

 private:
  std::tuple<Inputs...> inputs_;
  ForwardSearch search_;
};

// Returns Python's search, which has taken its first features, and owns `inputs`.
template <class... Inputs>
BoundSearch* hold_search(ForwardSearch&& search, std::optional<std::size_t> n_select, Inputs... inputs) {
  auto held = std::make_unique<HeldSearch<Inputs...>>(std::move(search), std::move(inputs)...);
  held->extend(n_select);
  return held.release();
}

}  // namespace thresher::bindings
