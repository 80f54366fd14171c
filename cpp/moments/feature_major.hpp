// From rows of samples to one row per feature.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/interrupt.hpp"

namespace thresher {

// Strides in elements, of any sign.
template <class T>
struct StridedMatrix {
  const T* data;
  std::size_t n_rows;
  std::size_t n_columns;
  std::ptrdiff_t row_stride;
  std::ptrdiff_t column_stride;
};

// out[column * rows + i] = matrix[order[i], column]; an empty order means all rows as they are.
template <class In, class Out>
void feature_major(const StridedMatrix<In>& matrix, std::span<const std::uint32_t> order, Out* out,
                   std::size_t n_threads, Interrupt& interrupt);

// IEEE half precision in memory.
struct Half {
  std::uint16_t bits;
};

float half_to_float(Half value);

}  // namespace thresher
