// The loops over rows of a machine's training.
#pragma once

#include <cstddef>

#include "core/isa.hpp"

namespace thresher {

// Two rows that coincide in all features: their step is limited by the bounds alone.
inline constexpr double kLeastCurvature = 1e-12;

// A row and its gain; the number of rows and minus infinity or 0 if there is none.
struct RowFound {
  std::size_t row;
  double value;
};

struct MachineKernels {
  // The first row of the largest gradient + allowed.
  RowFound (*steepest)(const double* gradient, const double* allowed, std::size_t n);
  // The first row whose fall, together with the rise of another row of gradient `top`, similarities `row` and
  // self-similarity `own`, gains most to second order; `most` becomes the largest difference of gradients.
  RowFound (*partner)(const double* gradient, const double* allowed, const double* row, const double* diagonal,
                      double top, double own, std::size_t n, double* gains, double* most);
  // gradient -= move * (row - other).
  void (*descend)(double* gradient, double move, const double* row, const double* other, std::size_t n);
};

THRESHER_DECLARE_KERNELS(MachineKernels, machine_kernels)

inline const MachineKernels& machines() { return THRESHER_DISPATCH(machine_kernels); }

}  // namespace thresher
