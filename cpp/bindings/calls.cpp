#include "bindings/calls.hpp"

#include <nanobind/stl/optional.h>

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

#include "core/interrupt.hpp"

namespace thresher::bindings {

namespace nb = nanobind;

struct Stop::State {
  std::atomic<bool> requested{false};
  std::optional<Stop> parent;
};

namespace {

thread_local std::optional<Stop> stop_in_force;

std::atomic<std::size_t> n_released{0};
thread_local std::size_t n_released_here = 0;

// The thread that ends the interpreter, once it does; its own calls go on.
std::atomic<bool> is_ending{false};
std::thread::id ending_thread;

constexpr std::chrono::seconds kLongestWait{10};

bool ends_with_interpreter() noexcept { return is_ending.load() && std::this_thread::get_id() != ending_thread; }

void end_calls() {
  ending_thread = std::this_thread::get_id();
  is_ending = true;
  nb::gil_scoped_release released;
  const auto latest = std::chrono::steady_clock::now() + kLongestWait;
  while (n_released.load() > n_released_here && std::chrono::steady_clock::now() < latest) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

Stop::Stop() : state_(std::make_shared<State>()) { state_->parent = stop_in_force; }

void Stop::request() { state_->requested = true; }

bool Stop::requested() const noexcept {
  return state_->requested.load(std::memory_order_relaxed) || (state_->parent && state_->parent->requested());
}

std::optional<Stop> exchange_stop(std::optional<Stop> stop) { return std::exchange(stop_in_force, std::move(stop)); }

bool stop_requested() noexcept { return (stop_in_force && stop_in_force->requested()) || ends_with_interpreter(); }

ReleasedGil::ReleasedGil() {
  if (ends_with_interpreter()) throw Interrupted();
  ++n_released;
  ++n_released_here;
  state_ = PyEval_SaveThread();
}

ReleasedGil::~ReleasedGil() {
  PyEval_RestoreThread(state_);
  --n_released_here;
  --n_released;
}

void bind_calls(nb::module_& module) {
  nb::class_<Stop>(module, "Stop", "Asks the calls of several threads to end together.")
      .def(nb::init<>())
      .def("request", &Stop::request, "End all calls made where this is in force.")
      .def_prop_ro("requested", &Stop::requested);
  module.def("exchange_stop", &exchange_stop, nb::arg("stop").none(),
             "Put a stop, or None, in force on this thread; returns what was.");
  module.def("has_stop", [] { return stop_in_force.has_value(); }, "Whether a stop is in force on this thread.");
  module.def("stop_requested", &stop_requested, "Whether what runs on this thread is to end.");
  module.def("forget_calls", [] { n_released = n_released_here; }, "In a forked child: no other thread is left.");
  // At the end of the interpreter: end the calls of other threads, and wait for that.
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&end_calls));
}

}  // namespace thresher::bindings
