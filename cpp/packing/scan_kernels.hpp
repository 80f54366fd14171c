// The inner loop that looks over raw columns, one build per instruction set.
#pragma once

#include <cstddef>

#include "core/isa.hpp"

namespace thresher {

inline constexpr std::size_t kScanColumns = 64;

// Facts of up to 64 columns. Only members of the type T itself, so that a row is one run of vector operations.
template <class T>
struct alignas(64) ValueScan {
  T minimum[kScanColumns];  // NaN is passed over
  T maximum[kScanColumns];
  T missing[kScanColumns];     // how many NaN; integers are exact up to kScanRows
  T fractional[kScanColumns];  // 1 if some number is not whole
};

// Rows per call, so that counts stay exact in a float.
inline constexpr std::size_t kScanRows = std::size_t{1} << 20;

struct ScanKernels {
  // Adds rows of any number of columns: columns 64 t .. 64 t + 63 go to the ValueScan<T> that lies t * scan_stride
  // bytes after `scan`. One function per element type, in the order of DType. Strides are in bytes.
  void (*scan_rows[10])(const void* first, std::ptrdiff_t stride, std::size_t n_rows, std::size_t n_columns, void* scan,
                        std::size_t scan_stride);
};

THRESHER_DECLARE_KERNELS(ScanKernels, scan_kernels)

}  // namespace thresher
