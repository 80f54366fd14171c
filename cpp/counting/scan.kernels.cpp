#include "counting/scan_kernels.hpp"

namespace thresher {
namespace THRESHER_LEVEL {
namespace {

template <class T>
struct Rounding;
template <>
struct Rounding<float> {
  static constexpr float kShift = 12582912.0F;   // 1.5 2^23: adding it rounds to a whole number
  static constexpr float kAllWhole = 4194304.0F;  // 2^22
};
template <>
struct Rounding<double> {
  static constexpr double kShift = 6755399441055744.0;
  static constexpr double kAllWhole = 2251799813685248.0;
};

template <class T>
constexpr bool is_floating = static_cast<T>(0.5) != static_cast<T>(0);

// One row; N columns known when the tile is full.
template <class T>
inline void add_row(const T* row, std::size_t n_columns, ValueScan<T>* scan) {
  for (std::size_t j = 0; j < n_columns; ++j) {
    const T value = row[j];
    scan->minimum[j] = value < scan->minimum[j] ? value : scan->minimum[j];
    scan->maximum[j] = value > scan->maximum[j] ? value : scan->maximum[j];
    if constexpr (is_floating<T>) {
      scan->missing[j] += value != value ? T(1) : T(0);
      const T whole = (value + Rounding<T>::kShift) - Rounding<T>::kShift;
      const T size = value < 0 ? -value : value;
      const T fraction = size < Rounding<T>::kAllWhole && whole != value ? T(1) : T(0);
      scan->fractional[j] = fraction > scan->fractional[j] ? fraction : scan->fractional[j];
    }
  }
}

template <class T>
void scan_values(const void* first, std::ptrdiff_t stride, std::size_t n_rows, std::size_t n_columns, void* state) {
  auto* scan = static_cast<ValueScan<T>*>(state);
  const char* row = static_cast<const char*>(first);
  if (n_columns == kScanColumns) {
    for (std::size_t i = 0; i < n_rows; ++i, row += stride) {
      add_row(reinterpret_cast<const T*>(row), kScanColumns, scan);
    }
  } else {
    for (std::size_t i = 0; i < n_rows; ++i, row += stride) {
      add_row(reinterpret_cast<const T*>(row), n_columns, scan);
    }
  }
}

}  // namespace

extern const ScanKernels scan_kernels;
const ScanKernels scan_kernels = {
    {scan_values<std::int8_t>, scan_values<std::int16_t>, scan_values<std::int32_t>, scan_values<std::int64_t>,
     scan_values<std::uint8_t>, scan_values<std::uint16_t>, scan_values<std::uint32_t>, scan_values<std::uint64_t>,
     scan_values<float>, scan_values<double>}};

}  // namespace THRESHER_LEVEL
}  // namespace thresher
