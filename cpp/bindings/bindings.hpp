// Shared by the files of this folder, the only ones that know of Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/optional.h>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bindings/calls.hpp"
#include "core/interrupt.hpp"

namespace thresher::bindings {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<nb::numpy, const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<nb::numpy, const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

// An array of any type of number, or None where a binding says so: the object that Python passed.
using AnyNumpy = nb::typed<nb::object, nb::ndarray<nb::numpy>>;

// Returns all values of a contiguous array, in order.
template <class T, class... Config>
std::span<const T> view(const nb::ndarray<nb::numpy, const T, Config...>& values) {
  return {values.data(), values.size()};
}

// Returns an empty span if there is no array.
template <class T, class... Config>
std::span<const T> view(const std::optional<nb::ndarray<nb::numpy, const T, Config...>>& values) {
  return values ? view(*values) : std::span<const T>();
}

// Returns the class codes of all rows, checked.
inline std::span<const std::int32_t> check_classes(const Vector<std::int32_t>& classes, std::size_t n_rows,
                                                   std::size_t n_classes) {
  if (classes.size() != n_rows) throw nb::value_error("y must have one class per row");
  for (const std::int32_t code : view(classes)) {
    if (code < 0 || static_cast<std::size_t>(code) >= n_classes)
      throw nb::value_error("class codes must be 0..n_classes-1");
  }
  return view(classes);
}

// Returns an array of this shape that owns the memory of a vector.
template <class Array, class Values>
Array owning_array(Values&& values, const std::vector<std::size_t>& shape) {
  auto* owned = new Values(std::move(values));
  const nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<Values*>(p); });
  return Array(owned->data(), shape.size(), shape.data(), owner);
}

template <class T, class Allocator>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T, Allocator>&& values) {
  return owning_array<nb::ndarray<nb::numpy, T, nb::ndim<1>>>(std::move(values), {values.size()});
}

template <class T, class Allocator>
nb::ndarray<nb::numpy, T, nb::ndim<2>> to_numpy(std::vector<T, Allocator>&& values, std::size_t rows,
                                                std::size_t columns) {
  return owning_array<nb::ndarray<nb::numpy, T, nb::ndim<2>>>(std::move(values), {rows, columns});
}

// Returns the time by a clock exact to some milliseconds. Short loops read it so often that an exact clock would cost
// several percent of a search.
inline std::chrono::milliseconds rough_time() {
#if defined(__linux__)
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return std::chrono::milliseconds(std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000);
#else
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::steady_clock::now().time_since_epoch());
#endif
}

// Asks the stop in force (calls.hpp), and at most every 50 ms Python for pending signals, taking the GIL to do so. In
// force for its lifetime: every binding that works over many columns or rows creates one.
class SignalInterrupt final : public Interrupt {
 public:
  SignalInterrupt() : scope_(*this) {}

  bool requested() override {
    if (stop_requested()) return true;
    const auto now = rough_time();
    if (now < next_) return false;
    next_ = now + kPause;
    nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
  }

 private:
  static constexpr std::chrono::milliseconds kPause{50};

  std::chrono::milliseconds next_ = rough_time() + kPause;
  InterruptScope scope_;
};

// Runs a function of an Interrupt with the GIL released and Ctrl-C watched.
template <class Work>
auto without_gil(Work work) {
  SignalInterrupt interrupt;
  ReleasedGil released;
  return work(interrupt);
}

void bind_system(nb::module_& module);
void bind_clusters(nb::module_& module);
void bind_consistency(nb::module_& module);
void bind_dispersion(nb::module_& module);
void bind_neighbours(nb::module_& module);
void bind_support_vectors(nb::module_& module);
void bind_measure(nb::module_& module);
void bind_search(nb::module_& module);
void bind_forward(nb::module_& module);
void bind_moments(nb::module_& module);
void bind_discretize(nb::module_& module);
void bind_counting(nb::module_& module);
void bind_counted(nb::module_& module);
void bind_testing(nb::module_& core);
void bind_sums(nb::module_& module);
void bind_summed(nb::module_& module);

}  // namespace thresher::bindings
