#include "counting/scan_kernels.hpp"

namespace thresher {
namespace THRESHER_LEVEL {
namespace {

template <class T>
struct Rounding;
template <>
struct Rounding<float> {
  static constexpr float kShift = 12582912.0F;    // 1.5 2^23: adding it rounds to a whole number
  static constexpr float kAllWhole = 4194304.0F;  // 2^22
};
template <>
struct Rounding<double> {
  static constexpr double kShift = 6755399441055744.0;
  static constexpr double kAllWhole = 2251799813685248.0;
};

template <class T>
constexpr bool is_floating = static_cast<T>(0.5) != static_cast<T>(0);

template <class T>
inline void update(T value, T& minimum, T& maximum, T& missing, T& fractional) {
  minimum = value < minimum ? value : minimum;
  maximum = value > maximum ? value : maximum;
  if constexpr (is_floating<T>) {
    missing += value != value ? T(1) : T(0);
    const T whole = (value + Rounding<T>::kShift) - Rounding<T>::kShift;
    const T size = value < 0 ? -value : value;
    const T fraction = (size < Rounding<T>::kAllWhole) & (whole != value) ? T(1) : T(0);
    fractional = fraction > fractional ? fraction : fractional;
  }
}

// All rows of a strip of columns, whose state stays in registers.
template <class T, std::size_t columns>
void scan_strip(const char* row, std::ptrdiff_t stride, std::size_t n_rows, std::size_t first, ValueScan<T>* scan) {
  T minimum[columns], maximum[columns], missing[columns], fractional[columns];
  for (std::size_t j = 0; j < columns; ++j) {
    minimum[j] = scan->minimum[first + j];
    maximum[j] = scan->maximum[first + j];
    missing[j] = scan->missing[first + j];
    fractional[j] = scan->fractional[first + j];
  }
  row += first * sizeof(T);
  for (std::size_t i = 0; i < n_rows; ++i, row += stride) {
    const T* values = reinterpret_cast<const T*>(row);
    for (std::size_t j = 0; j < columns; ++j) {
      update(values[j], minimum[j], maximum[j], missing[j], fractional[j]);
    }
  }
  for (std::size_t j = 0; j < columns; ++j) {
    scan->minimum[first + j] = minimum[j];
    scan->maximum[first + j] = maximum[j];
    scan->missing[first + j] = missing[j];
    scan->fractional[first + j] = fractional[j];
  }
}

template <class T>
inline void add_row(const T* __restrict row, std::size_t n_columns, ValueScan<T>* __restrict scan) {
  for (std::size_t j = 0; j < n_columns; ++j) {
    update(row[j], scan->minimum[j], scan->maximum[j], scan->missing[j], scan->fractional[j]);
  }
}

template <class T>
void scan_rows(const void* first, std::ptrdiff_t stride, std::size_t n_rows, std::size_t n_columns, void* state,
               std::size_t scan_stride) {
  const char* row = static_cast<const char*>(first);
  for (std::size_t i = 0; i < n_rows; ++i, row += stride) {
    const T* values = reinterpret_cast<const T*>(row);
    char* scan = static_cast<char*>(state);
    std::size_t j = 0;
    for (; j + kScanColumns <= n_columns; j += kScanColumns, scan += scan_stride) {
      add_row(values + j, kScanColumns, reinterpret_cast<ValueScan<T>*>(scan));
    }
    if (j < n_columns) add_row(values + j, n_columns - j, reinterpret_cast<ValueScan<T>*>(scan));
  }
}

// Asks for rows that will be wanted soon.
inline void prefetch_rows(const char* row, std::ptrdiff_t stride, std::size_t n_rows, std::size_t bytes) {
#if defined(__GNUC__)
  for (std::size_t i = 0; i < n_rows; ++i, row += stride) {
    for (std::size_t byte = 0; byte < bytes; byte += 64) __builtin_prefetch(row + byte);
  }
#else
  (void)row, (void)stride, (void)n_rows, (void)bytes;
#endif
}

template <class T>
void scan_values(const void* first, std::ptrdiff_t stride, std::size_t n_rows, std::size_t n_columns, void* state) {
  auto* scan = static_cast<ValueScan<T>*>(state);
  const char* row = static_cast<const char*>(first);
  constexpr std::size_t kLine = 64 / sizeof(T);
  // Few enough rows at a time that all strips find them in the first-level cache.
  constexpr std::size_t kRows = 32;
  for (std::size_t done = 0; done < n_rows; done += kRows, row += static_cast<std::ptrdiff_t>(kRows) * stride) {
    const std::size_t rows = n_rows - done < kRows ? n_rows - done : kRows;
    const std::size_t after = n_rows - done - rows < kRows ? n_rows - done - rows : kRows;
    prefetch_rows(row + static_cast<std::ptrdiff_t>(rows) * stride, stride, after, n_columns * sizeof(T));
    std::size_t j = 0;
    for (; j + kLine <= n_columns; j += kLine) scan_strip<T, kLine>(row, stride, rows, j, scan);
    for (; j + kLine / 4 <= n_columns; j += kLine / 4) scan_strip<T, kLine / 4>(row, stride, rows, j, scan);
    for (; j < n_columns; ++j) scan_strip<T, 1>(row, stride, rows, j, scan);
  }
}

}  // namespace

extern const ScanKernels scan_kernels;
const ScanKernels scan_kernels = {
    {scan_values<std::int8_t>, scan_values<std::int16_t>, scan_values<std::int32_t>, scan_values<std::int64_t>,
     scan_values<std::uint8_t>, scan_values<std::uint16_t>, scan_values<std::uint32_t>, scan_values<std::uint64_t>,
     scan_values<float>, scan_values<double>},
    {scan_rows<std::int8_t>, scan_rows<std::int16_t>, scan_rows<std::int32_t>, scan_rows<std::int64_t>,
     scan_rows<std::uint8_t>, scan_rows<std::uint16_t>, scan_rows<std::uint32_t>, scan_rows<std::uint64_t>,
     scan_rows<float>, scan_rows<double>}};

}  // namespace THRESHER_LEVEL
}  // namespace thresher
