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

// Empty if there is no array.
template <class T>
std::span<const T> as_span(const std::optional<Vector<T>>& values) {
  return values ? std::span<const T>(values->data(), values->size()) : std::span<const T>();
}

// A NumPy array that owns the vector's memory.
template <class T, class Allocator>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T, Allocator>&& values) {
  auto* owned = new std::vector<T, Allocator>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T, Allocator>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<1>>(owned->data(), {owned->size()}, owner);
}

template <class T, class Allocator>
nb::ndarray<nb::numpy, T, nb::ndim<2>> to_numpy(std::vector<T, Allocator>&& values, std::size_t rows,
                                                std::size_t columns) {
  auto* owned = new std::vector<T, Allocator>(std::move(values));
  nb::capsule owner(owned, [](void* p) noexcept { delete static_cast<std::vector<T, Allocator>*>(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<2>>(owned->data(), {rows, columns}, owner);
}

// Time that passes, within some milliseconds. Short loops ask for it so often that the exact time would cost several
// percent of a search.
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
// force while it lives: every binding that works over many columns or rows makes one.
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

void bind_system(nb::module_& module);
void bind_clusters(nb::module_& module);
void bind_consistency(nb::module_& module);
void bind_dispersion(nb::module_& module);
void bind_neighbours(nb::module_& module);
void bind_support_vectors(nb::module_& module);
void bind_measure(nb::module_& module);
void bind_replicates(nb::module_& module);
void bind_search(nb::module_& module);
void bind_forward(nb::module_& module);
void bind_moments(nb::module_& module);
void bind_discretize(nb::module_& module);
void bind_counting(nb::module_& module);
void bind_counted(nb::module_& module);
void bind_sparse(nb::module_& module);
void bind_testing(nb::module_& core);
void bind_sums(nb::module_& module);
void bind_summed(nb::module_& module);

}  // namespace thresher::bindings
