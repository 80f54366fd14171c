// Classes of rows by support vector machines with a Gaussian kernel, one for each pair of classes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "support_vectors/machine.hpp"

namespace thresher {

// Inner products, row by row, which are overwritten.
struct LabelledRows {
  std::span<double> own;            // of rows with a class, each with each
  std::span<double> others;         // of rows to be classified with those
  std::span<const double> squares;  // of rows to be classified, each with itself
  std::span<const std::int32_t> classes;
  std::size_t n_classes;
  double gamma;
};

// For each row to be classified, a number for each pair of classes (0, 1), (0, 2) ... (1, 2) ...: positive where it
// looks like the first of them. 0 for a pair of which a class has no row.
std::vector<double> decide_pairs(const LabelledRows& rows, const MachineOptions& options, Interrupt& interrupt);

}  // namespace thresher
