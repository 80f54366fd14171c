// Sums over one column. Sixteen lanes, each a running sum over every sixteenth value, are added in a fixed tree, so
// that every instruction set gives the same bits. Sums are double whatever the type of the values.
#pragma once

#include <cstddef>

#include "core/isa.hpp"

namespace thresher {

struct SumAndRange {
  double sum;
  double min;
  double max;
};

template <class T>
struct ColumnKernelsOf {
  SumAndRange (*sum_and_range)(const T* x, std::size_t n);
  double (*square_deviation)(const T* x, std::size_t n, double centre);
  double (*absolute_deviation)(const T* x, std::size_t n, double centre);
  // How many values lie below the border.
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
