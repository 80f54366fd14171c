// How long work checks whether the user has pressed Ctrl-C.
//
// Loops over features check by themselves: parallel_for checks the interrupt in force on the calling thread between its
// ranges. Where one range is long, its body calls check_interrupt(). Work that is not such a loop (a walk, a search)
// takes an Interrupt and checks it.
#pragma once

#include <exception>

namespace thresher {

struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// Checked between pieces of work of at most some tens of milliseconds, from the calling thread only.
class Interrupt {
 public:
  virtual ~Interrupt() = default;
  virtual bool requested() = 0;
  void check() {
    if (requested()) throw Interrupted();
  }
};

// For callers that cannot be interrupted.
class NeverInterrupt final : public Interrupt {
 public:
  bool requested() override { return false; }
};

// Returns the interrupt that check_interrupt checks on this thread, or nullptr.
Interrupt*& interrupt_in_force() noexcept;

// Puts an interrupt in force on this thread for the life of the scope.
class InterruptScope {
 public:
  explicit InterruptScope(Interrupt& interrupt) : before_(interrupt_in_force()) { interrupt_in_force() = &interrupt; }
  ~InterruptScope() { interrupt_in_force() = before_; }
  InterruptScope(const InterruptScope&) = delete;
  InterruptScope& operator=(const InterruptScope&) = delete;

 private:
  Interrupt* before_;
};

// Throws Interrupted if the interrupt in force on this thread is requested, or, in a thread that helps with a
// parallel_for, if that loop has been stopped.
void check_interrupt();

}  // namespace thresher
