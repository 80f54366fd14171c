// Shared by the files of this folder, the only ones that know of Python.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "bindings/calls.hpp"
#include "core/interrupt.hpp"

namespace thresher::bindings {

namespace nb = nanobind;

template <class T>
using Vector = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
template <class T>
using Matrix = nb::ndarray<const T, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

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

// Asks the stop in force (calls.hpp), and at most every 50 ms Python for pending signals, taking the GIL to do so. In
// force while it lives: every binding that works over many columns or rows makes one.
class SignalInterrupt final : public Interrupt {
 public:
  SignalInterrupt() : scope_(*this) {}

  bool requested() override {
    if (stop_requested()) return true;
    const auto now = std::chrono::steady_clock::now();
    if (now < next_) return false;
    next_ = now + std::chrono::milliseconds(50);
    nb::gil_scoped_acquire gil;
    return PyErr_CheckSignals() != 0;
  }

 private:
  std::chrono::steady_clock::time_point next_ = std::chrono::steady_clock::now() + std::chrono::milliseconds(50);
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
