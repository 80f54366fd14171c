#include "support_vectors/machine.hpp"

#include <algorithm>
#include <limits>

#include "moments/dot_kernels.hpp"
#include "support_vectors/face.hpp"
#include "support_vectors/machine_kernels.hpp"

namespace thresher {
namespace {

constexpr std::size_t kStepsBetweenChecks = 1024;
constexpr std::size_t kMostSteps = 10'000'000;
// Operations of one move of all duals between their bounds, for each inner product of rows.
constexpr std::size_t kMostWork = 4;
constexpr std::size_t kMostFree = 1024;
constexpr double kNever = -std::numeric_limits<double>::infinity();

}  // namespace

Machine::Machine(std::span<const double> signs)
    : signs_(signs.begin(), signs.end()),
      duals_(signs.size()),
      gradient_(signs.size()),
      rise_(signs.size()),
      fall_(signs.size()),
      diagonal_(signs.size()),
      gains_(signs.size()) {}

void Machine::look_at(std::size_t row, const MachineOptions& options) {
  rise_[row] = duals_[row] < highest(row, options) ? 0.0 : kNever;
  fall_[row] = duals_[row] > lowest(row, options) ? 0.0 : kNever;
}

void Machine::look_at_all(std::span<const double> kernel, const MachineOptions& options) {
  const std::size_t n = signs_.size();
  gradient_ = signs_;
  for (std::size_t i = 0; i < n; ++i) {
    if (duals_[i] != 0.0) dots().subtract(gradient_.data(), duals_[i], kernel.data() + i * n, n);
    look_at(i, options);
  }
  n_aside_ = 0;
}

// A dual at a bound whose gradient keeps it there leaves the active rows until those left are solved.
void Machine::put_aside() {
  double most = kNever;
  double least = -kNever;
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    if (rise_[i] == 0.0) most = std::max(most, gradient_[i]);
    if (fall_[i] == 0.0) least = std::min(least, gradient_[i]);
  }
  for (std::size_t i = 0; i < signs_.size(); ++i) {
    const bool at_highest = rise_[i] != 0.0 && fall_[i] == 0.0;
    const bool at_lowest = fall_[i] != 0.0 && rise_[i] == 0.0;
    if ((at_highest && gradient_[i] > most) || (at_lowest && gradient_[i] < least)) {
      rise_[i] = fall_[i] = kNever;
      ++n_aside_;
    }
  }
}

// Moves all duals between their bounds at once to their common optimum; where some reach a bound first, the others go
// on.
void Machine::settle_free(std::span<const double> kernel, const MachineOptions& options) {
  const std::size_t n = signs_.size();
  for (std::size_t work = 0; work <= kMostWork * n * n;) {
    std::vector<std::size_t> free;
    for (std::size_t i = 0; i < n; ++i) {
      if (rise_[i] == 0.0 && fall_[i] == 0.0) free.push_back(i);
    }
    if (free.size() < 2 || free.size() > kMostFree) return;
    work += free.size() * free.size() * free.size() / 3;
    const std::vector<double> step = step_to_optimum(kernel, n, free, gradient_);
    double share = 1.0;
    for (std::size_t i = 0; i < free.size(); ++i) {
      const double bound = step[i] > 0.0 ? highest(free[i], options) : lowest(free[i], options);
      if (step[i] != 0.0) share = std::min(share, (bound - duals_[free[i]]) / step[i]);
    }
    for (std::size_t i = 0; i < free.size(); ++i) {
      const std::size_t row = free[i];
      const double bound = step[i] > 0.0 ? highest(row, options) : lowest(row, options);
      const double before = duals_[row];
      const bool meets = step[i] != 0.0 && (bound - before) / step[i] == share;
      const double moved = std::clamp(before + share * step[i], lowest(row, options), highest(row, options));
      duals_[row] = meets ? bound : moved;
      dots().subtract(gradient_.data(), duals_[row] - before, kernel.data() + row * n, n);
      look_at(row, options);
    }
    if (share == 1.0) return;
  }
}

bool Machine::train(std::span<const double> kernel, const MachineOptions& options, Interrupt& interrupt) {
  const std::size_t n = signs_.size();
  for (std::size_t i = 0; i < n; ++i) diagonal_[i] = kernel[i * n + i];
  look_at_all(kernel, options);
  std::size_t until_settled = n;
  std::size_t until_aside = std::min(n, kStepsBetweenChecks);
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    if (step % kStepsBetweenChecks == 0) interrupt.check();
    if (--until_aside == 0) {
      put_aside();
      until_aside = std::min(n, kStepsBetweenChecks);
    }
    // The row that gains most by a larger dual; of those that may have a smaller one, the row with which the
    // objective gains most (second order).
    const std::size_t up = machines().steepest(gradient_.data(), rise_.data(), n).row;
    std::size_t down = n;
    double violation = 0.0;
    const double* row = kernel.data() + (up == n ? 0 : up) * n;
    if (up != n) {
      const RowFound found = machines().partner(gradient_.data(), fall_.data(), row, diagonal_.data(), gradient_[up],
                                                diagonal_[up], n, gains_.data(), &violation);
      down = found.row;
    }
    if (down == n || violation < options.tolerance) {
      if (n_aside_ == 0) return true;
      look_at_all(kernel, options);  // those put aside may have to move after all
      until_aside = 2;               // one pass over all rows first
      continue;
    }
    if (options.settles && --until_settled == 0) {
      settle_free(kernel, options);
      until_settled = n;
      continue;
    }
    const double curvature = std::max(diagonal_[up] + diagonal_[down] - 2.0 * row[down], kLeastCurvature);
    const double room_up = highest(up, options) - duals_[up];
    const double room_down = duals_[down] - lowest(down, options);
    const double move = std::min({(gradient_[up] - gradient_[down]) / curvature, room_up, room_down});
    // A dual that reaches its bound is set to it: the rounding of a sum must not leave it just inside.
    duals_[up] = move == room_up ? highest(up, options) : duals_[up] + move;
    duals_[down] = move == room_down ? lowest(down, options) : duals_[down] - move;
    look_at(up, options);
    look_at(down, options);
    machines().descend(gradient_.data(), move, row, kernel.data() + down * n, n);
  }
  return false;
}

double Machine::bias(const MachineOptions& options) const {
  double total = 0.0;
  std::size_t n_free = 0;
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < duals_.size(); ++i) {
    const bool can_rise = duals_[i] < highest(i, options);
    const bool can_fall = duals_[i] > lowest(i, options);
    if (can_rise && can_fall) {
      total += gradient_[i];
      ++n_free;
    }
    if (can_rise) least = std::max(least, gradient_[i]);
    if (can_fall) most = std::min(most, gradient_[i]);
  }
  return n_free > 0 ? total / static_cast<double>(n_free) : (least + most) / 2.0;
}

}  // namespace thresher
