// A linear support vector machine, trained on inner products of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/interrupt.hpp"

namespace thresher {

struct MachineOptions {
  double penalty = 1.0;     // C: no dual exceeds it
  double tolerance = 1e-6;  // largest violation of the optimality conditions that may remain
};

// The soft-margin machine that tells rows of sign +1 from those of sign -1, in its dual: maximise
// sum sign_i b_i - b' K b / 2 with sum b_i = 0 and sign_i b_i in [0, C]. The weight of a feature x is sum b_i x_i.
class Machine {
 public:
  explicit Machine(std::span<const double> signs);

  // Trains by sequential minimal optimisation, from where the last training ended; `kernel` holds the inner products,
  // row by row. False if it gave up before the tolerance was met.
  bool train(std::span<const double> kernel, const MachineOptions& options, Interrupt& interrupt);

  std::span<const double> duals() const { return duals_; }

 private:
  void find_gradient(std::span<const double> kernel);
  void put_aside(const MachineOptions& options);
  double highest(std::size_t row, const MachineOptions& options) const {
    return signs_[row] > 0.0 ? options.penalty : 0.0;
  }
  double lowest(std::size_t row, const MachineOptions& options) const {
    return signs_[row] > 0.0 ? 0.0 : -options.penalty;
  }

  std::vector<double> signs_;
  std::vector<double> duals_;
  std::vector<double> gradient_;       // of the objective: sign - K b
  std::vector<std::uint32_t> active_;  // rows that are looked at
};

}  // namespace thresher
