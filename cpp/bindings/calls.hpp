// Calls that run without the GIL: how they hear that they are to end, and how the interpreter waits for them.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>

namespace thresher::bindings {

// Asks the calls of several threads to end together. One made where another is in force ends with that one.
class Stop {
 public:
  Stop();
  void request();
  bool requested() const noexcept;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

// Puts another stop, or none, in force on this thread; returns the one before.
std::optional<Stop> exchange_stop(std::optional<Stop> stop);

// Returns whether what runs on this thread is to end, by the stop in force or with the interpreter.
bool stop_requested() noexcept;

// Releases the GIL for its lifetime. A thread that takes the GIL back after the interpreter has ended is killed in the
// middle of that, upon which C++ calls abort(). So these threads are counted, and end_calls waits for them.
class ReleasedGil {
 public:
  ReleasedGil();
  ~ReleasedGil();
  ReleasedGil(const ReleasedGil&) = delete;
  ReleasedGil& operator=(const ReleasedGil&) = delete;

 private:
  PyThreadState* state_;
};

void bind_calls(nanobind::module_& module);

}  // namespace thresher::bindings
