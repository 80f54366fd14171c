#include "support_vectors/machine.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "moments/dot_kernels.hpp"

namespace thresher {
namespace {

// Two rows that coincide in all features: their step is limited by the bounds alone.
constexpr double kLeastCurvature = 1e-12;
constexpr std::size_t kStepsBetweenQuestions = 1024;
constexpr std::size_t kMostSteps = 10'000'000;

double curvature(std::span<const double> kernel, std::size_t a, std::size_t b, std::size_t n) {
  return std::max(kernel[a * n + a] + kernel[b * n + b] - 2.0 * kernel[a * n + b], kLeastCurvature);
}

}  // namespace

Machine::Machine(std::span<const double> signs)
    : signs_(signs.begin(), signs.end()), duals_(signs.size()), gradient_(signs.size()) {}

void Machine::find_gradient(std::span<const double> kernel) {
  const std::size_t n = signs_.size();
  gradient_ = signs_;
  for (std::size_t i = 0; i < n; ++i) {
    if (duals_[i] != 0.0) dots().subtract(gradient_.data(), duals_[i], kernel.data() + i * n, n);
  }
}

// A dual at a bound whose gradient holds it there leaves the rows that are looked at, until those left are solved.
void Machine::put_aside(const MachineOptions& options) {
  double most = -std::numeric_limits<double>::infinity();
  double least = std::numeric_limits<double>::infinity();
  for (const std::uint32_t i : active_) {
    if (duals_[i] < highest(i, options)) most = std::max(most, gradient_[i]);
    if (duals_[i] > lowest(i, options)) least = std::min(least, gradient_[i]);
  }
  std::erase_if(active_, [&](std::uint32_t i) {
    return (duals_[i] == highest(i, options) && gradient_[i] > most) ||
           (duals_[i] == lowest(i, options) && gradient_[i] < least);
  });
}

bool Machine::train(std::span<const double> kernel, const MachineOptions& options, Interrupt& interrupt) {
  const std::size_t n = signs_.size();
  const auto look_at_all = [&] {
    find_gradient(kernel);
    active_.resize(n);
    std::iota(active_.begin(), active_.end(), 0u);
  };
  look_at_all();
  std::size_t until_aside = std::min(n, kStepsBetweenQuestions);
  for (std::size_t step = 0; step < kMostSteps; ++step) {
    if (step % kStepsBetweenQuestions == 0) interrupt.check();
    if (--until_aside == 0) {
      put_aside(options);
      until_aside = std::min(n, kStepsBetweenQuestions);
    }
    // The row that gains most by a larger dual.
    std::size_t up = n;
    for (const std::uint32_t i : active_) {
      if (duals_[i] < highest(i, options) && (up == n || gradient_[i] > gradient_[up])) up = i;
    }
    // Of those that may have a smaller one, the row with which the objective gains most (second order).
    const double* row = kernel.data() + (up == n ? 0 : up) * n;
    std::size_t down = n;
    double best = 0.0;
    double least = std::numeric_limits<double>::infinity();
    for (const std::uint32_t j : active_) {
      if (up == n || !(duals_[j] > lowest(j, options))) continue;
      least = std::min(least, gradient_[j]);
      const double slope = gradient_[up] - gradient_[j];
      if (!(slope > 0.0)) continue;
      const double gain = slope * slope / curvature(kernel, up, j, n);
      if (gain > best) {
        best = gain;
        down = j;
      }
    }
    if (down == n || gradient_[up] - least < options.tolerance) {
      if (active_.size() == n) return true;
      look_at_all();    // those put aside may want to move after all
      until_aside = 2;  // one look at all rows first
      continue;
    }
    const double room_up = highest(up, options) - duals_[up];
    const double room_down = duals_[down] - lowest(down, options);
    const double move =
        std::min({(gradient_[up] - gradient_[down]) / curvature(kernel, up, down, n), room_up, room_down});
    // A dual that meets its bound is set to it: the rounding of a sum must not leave it just inside.
    duals_[up] = move == room_up ? highest(up, options) : duals_[up] + move;
    duals_[down] = move == room_down ? lowest(down, options) : duals_[down] - move;
    const double* other = kernel.data() + down * n;
    for (const std::uint32_t i : active_) gradient_[i] -= move * (row[i] - other[i]);
  }
  return false;
}

}  // namespace thresher
