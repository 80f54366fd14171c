// Class moments of many columns at once, from rows as they lie in a C-ordered matrix.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.hpp"

namespace thresher {

// A block of rows by columns; row r starts at first + r * stride.
template <class T>
struct RowBlock {
  const T* first;
  std::size_t stride;
  std::size_t n_rows;
  std::size_t n_columns;
  const std::int32_t* classes;  // of these rows
};

template <class T>
struct RowMomentKernelsOf {
  // At [class * n_columns + j]: sums += value; low, high: smallest and largest value.
  void (*add)(const RowBlock<T>& block, double* sums, T* low, T* high);
  // squares[class * n_columns + j] += (value - means[class * n_columns + j])^2.
  void (*add_squares)(const RowBlock<T>& block, const double* means, double* squares);
};

struct RowMomentKernels {
  RowMomentKernelsOf<float> single;
  RowMomentKernelsOf<double> twice;

  const RowMomentKernelsOf<float>& of(const float*) const { return single; }
  const RowMomentKernelsOf<double>& of(const double*) const { return twice; }
};

THRESHER_DECLARE_KERNELS(RowMomentKernels, row_moment_kernels)

}  // namespace thresher
