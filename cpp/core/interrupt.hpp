// How long work asks whether the user has pressed Ctrl-C.
#pragma once

#include <exception>

namespace thresher {

struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// Asked between pieces of work of at most some tens of milliseconds, from the calling thread only.
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

}  // namespace thresher
