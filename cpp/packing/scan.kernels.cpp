#include "packing/scan_kernels.hpp"

namespace thresher {
namespace THRESHER_LEVEL {
namespace {

// From kAllWhole on all numbers are integers; added to a smaller one, it rounds that to an integer.
template <class T>
struct Rounding;
template <>
struct Rounding<float> {
  static constexpr float kAllWhole = 0x1p23F;
};
template <>
struct Rounding<double> {
  static constexpr double kAllWhole = 0x1p52;
};

template <class T>
constexpr bool is_floating = static_cast<T>(0.5) != static_cast<T>(0);

template <class T, bool looks_for_fractions>
inline void update(T value, T& minimum, T& maximum, T& missing, T& fractional) {
  minimum = value < minimum ? value : minimum;
  maximum = value > maximum ? value : maximum;
  if constexpr (is_floating<T>) missing += value != value ? T(1) : T(0);
  if constexpr (is_floating<T> && looks_for_fractions) {
    const T size = value < 0 ? -value : value;
    const T whole = (size + Rounding<T>::kAllWhole) - Rounding<T>::kAllWhole;
    const T fraction = ((size < Rounding<T>::kAllWhole) & (whole != size)) ? T(1) : T(0);
    fractional = fraction > fractional ? fraction : fractional;
  }
}

// Some rows of some columns, both known to the compiler: the state of a column is loaded and stored once for all rows.
template <class T, std::size_t rows, std::size_t columns, bool looks_for_fractions>
inline void scan_block(const char* first_row, std::ptrdiff_t stride, std::size_t first, ValueScan<T>* __restrict scan) {
  const T* row[rows];
  for (std::size_t i = 0; i < rows; ++i) {
    row[i] = reinterpret_cast<const T*>(first_row + static_cast<std::ptrdiff_t>(i) * stride);
  }
  for (std::size_t j = first; j < first + columns; ++j) {
    T minimum = scan->minimum[j], maximum = scan->maximum[j];
    T missing = scan->missing[j], fractional = scan->fractional[j];
    for (std::size_t i = 0; i < rows; ++i) {
      update<T, looks_for_fractions>(row[i][j], minimum, maximum, missing, fractional);
    }
    scan->minimum[j] = minimum;
    scan->maximum[j] = maximum;
    scan->missing[j] = missing;
    scan->fractional[j] = fractional;
  }
}

template <class T, std::size_t rows, bool looks_for_fractions>
inline void scan_columns(const char* row, std::ptrdiff_t stride, std::size_t n_columns, ValueScan<T>* scan) {
  if (n_columns == kScanColumns) return scan_block<T, rows, kScanColumns, looks_for_fractions>(row, stride, 0, scan);
  constexpr std::size_t kFew = 8;
  std::size_t j = 0;
  for (; j + kFew <= n_columns; j += kFew) scan_block<T, rows, kFew, looks_for_fractions>(row, stride, j, scan);
  for (; j < n_columns; ++j) scan_block<T, rows, 1, looks_for_fractions>(row, stride, j, scan);
}

constexpr std::size_t kTogether = 8;

// At most kTogether rows.
template <class T>
inline void scan_few_rows(const char* row, std::ptrdiff_t stride, std::size_t n_rows, std::size_t n_columns,
                          ValueScan<T>* scan) {
  // One fraction in each column is enough: the search stops there.
  T found = T(n_rows == kTogether ? 1 : 0);
  if (is_floating<T> && n_rows == kTogether) {
    for (std::size_t j = 0; j < n_columns; ++j) found = scan->fractional[j] < found ? scan->fractional[j] : found;
  }
  if (found != T(0)) return scan_columns<T, kTogether, false>(row, stride, n_columns, scan);
  for (std::size_t i = 0; i < n_rows; ++i, row += stride) scan_columns<T, 1, true>(row, stride, n_columns, scan);
}

template <class T>
void scan_rows(const void* first, std::ptrdiff_t stride, std::size_t n_rows, std::size_t n_columns, void* state,
               std::size_t scan_stride) {
  // Short rows are read one after the other, as memory delivers them; a few that touch are one long row.
  constexpr std::size_t kShortRow = 4096;
  const std::size_t width = n_columns * sizeof(T);
  const bool touch = n_columns == kScanColumns && stride == static_cast<std::ptrdiff_t>(width);
  const std::size_t together = width <= kShortRow && !touch ? 1 : kTogether;
  const char* row = static_cast<const char*>(first);
  for (std::size_t done = 0; done < n_rows; done += together, row += static_cast<std::ptrdiff_t>(together) * stride) {
    const std::size_t rows = n_rows - done < together ? n_rows - done : together;
    char* scan = static_cast<char*>(state);
    for (std::size_t j = 0; j < n_columns; j += kScanColumns, scan += scan_stride) {
      const std::size_t columns = n_columns - j < kScanColumns ? n_columns - j : kScanColumns;
      scan_few_rows<T>(row + j * sizeof(T), stride, rows, columns, reinterpret_cast<ValueScan<T>*>(scan));
    }
  }
}

}  // namespace

extern const ScanKernels scan_kernels;
const ScanKernels scan_kernels = {{scan_rows<std::int8_t>, scan_rows<std::int16_t>, scan_rows<std::int32_t>,
                                   scan_rows<std::int64_t>, scan_rows<std::uint8_t>, scan_rows<std::uint16_t>,
                                   scan_rows<std::uint32_t>, scan_rows<std::uint64_t>, scan_rows<float>,
                                   scan_rows<double>}};

}  // namespace THRESHER_LEVEL
}  // namespace thresher
