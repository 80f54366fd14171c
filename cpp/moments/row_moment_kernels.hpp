// Class moments of many columns at once, from the rows of a C-ordered matrix.
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

// Rows whose squares are added up before they go to a sum of two doubles.
inline constexpr std::size_t kRowsOfSquares = 32;

// At [class * stride + j]: sums of two doubles each. Fastest where all begin at multiples of 64 bytes.
struct RowSums {
  double* sums;
  double* sum_rests;
  double* squares;
  double* square_rests;
  double* block;  // zeros
  std::size_t n_classes;
  std::size_t stride;
};

template <class T>
struct RowMomentKernelsOf {
  // Adds the values, and the squares of their distances from centres[j].
  void (*add)(const RowBlock<T>& block, const double* centres, const RowSums& sums);
};

struct RowMomentKernels {
  RowMomentKernelsOf<float> single;
  RowMomentKernelsOf<double> twice;

  const RowMomentKernelsOf<float>& of(const float*) const { return single; }
  const RowMomentKernelsOf<double>& of(const double*) const { return twice; }
};

THRESHER_DECLARE_KERNELS(RowMomentKernels, row_moment_kernels)

}  // namespace thresher
