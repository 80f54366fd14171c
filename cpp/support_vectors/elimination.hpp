// Recursive elimination: train, drop the features of the smallest squared weights, train again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "core/column_views.hpp"
#include "core/interrupt.hpp"
#include "support_vectors/machine.hpp"

namespace thresher {

struct EliminationInput {
  DenseColumns<double> columns;
  std::span<const double> signs;          // by machine, then row: +1 or -1
  std::span<const std::uint32_t> used;    // features to begin with, ascending
  std::span<const std::uint8_t> never;    // by feature: never dropped
  std::span<const std::uint32_t> counts;  // features to drop in each round
  std::size_t n_threads = 1;
  std::function<void(std::size_t n_rounds, std::size_t n_left)> progress = {};  // after each round
};

struct Eliminated {
  std::vector<std::uint32_t> dropped;  // in order
  std::vector<double> scores;          // squared weights, over all machines, in the last round of the feature; else NaN
  std::size_t n_unfinished = 0;        // trainings that stopped before the tolerance
};

// Squared weights are compared after rounding to 32 significant bits; the lowest feature of equals is dropped first.
// The inner products of rows are kept up to date, and computed again whenever half of the features have gone, so that
// rounding errors cannot pile up. Time per round: one training, O(n_rows^2) per dropped and O(n_rows) per other
// feature.
Eliminated eliminate(const EliminationInput& input, const MachineOptions& options, Interrupt& interrupt);

}  // namespace thresher
