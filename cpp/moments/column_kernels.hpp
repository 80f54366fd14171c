// Kernels of columns for measures of dispersion: the same bits at every instruction-set level.
#pragma once

#include <cstddef>

#include "core/isa.hpp"

namespace thresher {

template <class T>
struct ColumnKernelsOf {
  double (*absolute_deviation)(const T* x, std::size_t n, double centre);
  // The number of values below the border.
  std::size_t (*count_below)(const T* x, std::size_t n, T border);
};

struct ColumnKernels {
  ColumnKernelsOf<float> single;
  ColumnKernelsOf<double> twice;

  const ColumnKernelsOf<float>& of(const float*) const { return single; }
  const ColumnKernelsOf<double>& of(const double*) const { return twice; }
};

THRESHER_DECLARE_KERNELS(ColumnKernels, column_kernels)

}  // namespace thresher
