// Products of one stored column with a vector of doubles, in a fixed order of addition.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.hpp"

namespace thresher {

// Every sum has kDotLanes running totals, row i going to total i mod kDotLanes, which are added pairwise at the end:
// the same bits at every instruction-set level.
inline constexpr std::size_t kDotLanes = 16;

// A kernel reads column values of its type as doubles. `mean` is taken from each value before it is used.
struct DotKernels {
  double (*dot_int16)(const std::int16_t* column, double mean, const double* vector, std::size_t n_rows);
  double (*dot_int32)(const std::int32_t* column, double mean, const double* vector, std::size_t n_rows);
  double (*dot_float32)(const float* column, double mean, const double* vector, std::size_t n_rows);
  double (*dot_float64)(const double* column, double mean, const double* vector, std::size_t n_rows);
  // Sum of the values less `mean`.
  double (*sum_float32)(const float* column, double mean, std::size_t n_rows);
  double (*sum_float64)(const double* column, double mean, std::size_t n_rows);
  // Sum of the squares of the values less `mean`.
  double (*square_int16)(const std::int16_t* column, double mean, std::size_t n_rows);
  double (*square_float32)(const float* column, double mean, std::size_t n_rows);
  double (*square_float64)(const double* column, double mean, std::size_t n_rows);
  // vector -= factor * direction.
  void (*subtract)(double* vector, double factor, const double* direction, std::size_t n_rows);
};

THRESHER_DECLARE_KERNELS(DotKernels, dot_kernels)

inline const DotKernels& dots() { return THRESHER_DISPATCH(dot_kernels); }

}  // namespace thresher
