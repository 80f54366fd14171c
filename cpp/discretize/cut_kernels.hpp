// The loops over rows behind cuts and codes.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.hpp"

namespace thresher {

template <class T>
struct TypedCutKernels {
  // out[i] = number of cuts below x[i]; 255 for NaN. The cuts are of the values' type: for a float x and any
  // double c, x > c just if x is above the largest float that is not above c.
  void (*apply)(const T* x, std::size_t n, const T* cuts, std::size_t n_cuts, std::uint8_t* out);
  // out[i] = (x[i] - low) scale without its fraction, within 0 .. n_buckets - 1; n_buckets for NaN. Never falls as x
  // rises.
  void (*buckets)(const T* x, std::size_t n, T low, T scale, std::size_t n_buckets, std::uint16_t* out);
  // The largest value not above the threshold and the smallest above it; -inf and inf if there is none.
  void (*neighbours)(const T* x, std::size_t n, double threshold, double* below, double* above);
};

struct CutKernels {
  TypedCutKernels<float> float32;
  TypedCutKernels<double> float64;
};

THRESHER_DECLARE_KERNELS(CutKernels, cut_kernels)

inline const TypedCutKernels<float>& typed(const CutKernels& kernels, const float*) { return kernels.float32; }
inline const TypedCutKernels<double>& typed(const CutKernels& kernels, const double*) { return kernels.float64; }

}  // namespace thresher
