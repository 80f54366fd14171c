// Sums over rows in double-double: slow, and as good as exact.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/double_double.hpp"
#include "core/isa.hpp"

namespace thresher {

struct PairedRange {
  double rows;  // sum of weights
  double sum_x;
  double sum_y;
  double low_x;
  double high_x;
  double low_y;
  double high_y;
};

struct PairedSums {
  DoubleDouble n, x, y, xx, yy, xy;
};

struct ClassSum {
  DoubleDouble n, x, xx;
};

// Missing values are NaN; `weight` may be null. Differences from the centres must be exact.
template <class X, class Y>
struct TypedPairKernels {
  // Over the rows where both values are present. Without any the lows are inf and the highs -inf.
  PairedRange (*range)(const X* x, const Y* y, const double* weight, std::size_t n);
  PairedSums (*sums)(const X* x, const Y* y, const double* weight, std::size_t n, double centre_x, double centre_y);
  // The sum of products alone, of values none of which is missing.
  DoubleDouble (*products)(const X* x, const Y* y, const double* weight, std::size_t n, double centre_x,
                           double centre_y);
};

// Of one column without missing values: sum of weights, sum and sum of squares about the centre.
template <class T>
using ColumnKernel = ClassSum (*)(const T* x, const double* weight, std::size_t n, double centre);

struct ExactKernels {
  TypedPairKernels<float, float> float32;
  TypedPairKernels<float, double> mixed;
  TypedPairKernels<double, double> float64;
  ColumnKernel<float> float32_column;
  ColumnKernel<double> float64_column;
  // Adds every value present to the sums of its class.
  void (*float32_classes)(const float* x, const std::int32_t* classes, const double* weight, std::size_t n,
                          double centre, ClassSum* sums);
  void (*float64_classes)(const double* x, const std::int32_t* classes, const double* weight, std::size_t n,
                          double centre, ClassSum* sums);
};

THRESHER_DECLARE_KERNELS(ExactKernels, exact_kernels)

inline const auto& typed(const ExactKernels& kernels, const float*, const float*) { return kernels.float32; }
inline const auto& typed(const ExactKernels& kernels, const float*, const double*) { return kernels.mixed; }
inline const auto& typed(const ExactKernels& kernels, const double*, const double*) { return kernels.float64; }
inline auto column_kernel(const ExactKernels& kernels, const float*) { return kernels.float32_column; }
inline auto column_kernel(const ExactKernels& kernels, const double*) { return kernels.float64_column; }
inline auto class_kernel(const ExactKernels& kernels, const float*) { return kernels.float32_classes; }
inline auto class_kernel(const ExactKernels& kernels, const double*) { return kernels.float64_classes; }

}  // namespace thresher
