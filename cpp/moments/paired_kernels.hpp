// Sums over the rows where two columns are both present.
#pragma once

#include <cstddef>

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
  double x;
  double y;
  double xx;
  double yy;
  double xy;
};

// Missing values are NaN; `weight` may be null.
template <class X, class Y>
struct TypedPairedKernels {
  // Without a common row the lows are inf and the highs -inf.
  PairedRange (*range)(const X* x, const Y* y, const double* weight, std::size_t n);
  // About the given centres.
  PairedSums (*sums)(const X* x, const Y* y, const double* weight, std::size_t n, double centre_x, double centre_y);
};

struct PairedKernels {
  TypedPairedKernels<float, float> float32;
  TypedPairedKernels<float, double> mixed;
  TypedPairedKernels<double, double> float64;
};

THRESHER_DECLARE_KERNELS(PairedKernels, paired_kernels)

inline const auto& typed(const PairedKernels& kernels, const float*, const float*) { return kernels.float32; }
inline const auto& typed(const PairedKernels& kernels, const float*, const double*) { return kernels.mixed; }
inline const auto& typed(const PairedKernels& kernels, const double*, const double*) { return kernels.float64; }

}  // namespace thresher
