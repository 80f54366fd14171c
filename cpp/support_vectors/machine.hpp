// A support vector machine, trained on inner products or other similarities of rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/interrupt.hpp"

namespace thresher {

struct MachineOptions {
  double penalty = 1.0;     // C: no dual exceeds it
  double tolerance = 1e-6;  // largest violation of the optimality conditions that may remain
  bool settles = false;     // now and then all duals between their bounds move together: pays if the tolerance is tight
};

// The soft-margin machine that separates rows of sign +1 from those of sign -1, in its dual: maximise sum sign_i b_i -
// b' K b / 2 with sum b_i = 0 and sign_i b_i in [0, C]. The weight of a feature x is sum b_i x_i.
class Machine {
 public:
  explicit Machine(std::span<const double> signs);

  // Trains by sequential minimal optimisation, from where the last training ended; `kernel` contains the inner
  // products, row by row. Returns false if it stopped before the tolerance was reached.
  bool train(std::span<const double> kernel, const MachineOptions& options, Interrupt& interrupt);

  std::span<const double> duals() const { return duals_; }

  // Returns the constant added to sum b_i K(i, x) to decide on x: the gradient of the rows whose duals are between the
  // bounds, on average; if there are none, halfway between what the bounds allow.
  double bias(const MachineOptions& options) const;

 private:
  void look_at(std::size_t row, const MachineOptions& options);
  void look_at_all(std::span<const double> kernel, const MachineOptions& options);
  void put_aside();
  void settle_free(std::span<const double> kernel, const MachineOptions& options);
  double highest(std::size_t row, const MachineOptions& options) const {
    return signs_[row] > 0.0 ? options.penalty : 0.0;
  }
  double lowest(std::size_t row, const MachineOptions& options) const {
    return signs_[row] > 0.0 ? 0.0 : -options.penalty;
  }

  std::vector<double> signs_;
  std::vector<double> duals_;
  std::vector<double> gradient_;  // of the objective: sign - K b; of rows put aside it is not kept up to date
  // 0 for an active row whose dual may rise (fall), else minus infinity.
  std::vector<double> rise_, fall_;
  std::vector<double> diagonal_, gains_;
  std::size_t n_aside_ = 0;
};

}  // namespace thresher
