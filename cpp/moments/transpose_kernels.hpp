// Transposition of small tiles.
#pragma once

#include <cstddef>

#include "core/isa.hpp"

namespace thresher {

struct TransposeKernels {
  // to[c * to_stride + r] = from[r * from_stride + c] for rows x columns.
  void (*float32)(const float* from, std::size_t from_stride, float* to, std::size_t to_stride, std::size_t rows,
                  std::size_t columns);
  void (*float64)(const double* from, std::size_t from_stride, double* to, std::size_t to_stride, std::size_t rows,
                  std::size_t columns);
};

THRESHER_DECLARE_KERNELS(TransposeKernels, transpose_kernels)

}  // namespace thresher
