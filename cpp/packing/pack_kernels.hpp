// The inner loops that turn rows of bytes into bit-planes, 64 columns at a time.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.hpp"

namespace thresher {

inline constexpr std::size_t kTileColumns = 64;

// Facts of 64 columns of bytes. Bytes are taken as unsigned after `flip` (0x80 makes signed bytes keep their order).
struct alignas(64) ByteScan {
  std::uint8_t minimum[kTileColumns];
  std::uint8_t maximum[kTileColumns];
  // Bit b of low (high): some byte is b (8 + b) modulo 16.
  std::uint8_t low[kTileColumns];
  std::uint8_t high[kTileColumns];
};

// Rows of bytes in memory; columns are adjacent.
struct ByteRows {
  const std::uint8_t* first;
  std::ptrdiff_t stride;
  std::size_t n_rows;
  std::size_t n_columns;  // at most 64
};

// Numbers as signed bytes: integers from -127 to 126 as they are, NaN as 127, all others as -128.
inline constexpr std::int8_t kByteNaN = 127;
inline constexpr std::int8_t kByteOther = -128;

namespace {  // one copy per file: kernels are built with different flags

template <class T>
inline std::uint8_t to_byte(T value) {
  const bool inside = value >= static_cast<T>(T(-1) < T(0) ? -127 : 0) && value <= static_cast<T>(126);
  const int whole = static_cast<int>(inside ? value : T(0));
  const bool same = static_cast<T>(whole) == value;
  const int other = value != value ? kByteNaN : kByteOther;
  return static_cast<std::uint8_t>(same ? whole : other);
}

}  // namespace

struct PackKernels {
  // out[i] = to_byte(values[i]); one function per element type, in the order of DType.
  void (*to_bytes[10])(const void* values, std::size_t n, std::uint8_t* out);
  // Adds rows to a scan, which starts with minimum 255 and zeros elsewhere.
  void (*scan_rows)(ByteRows rows, std::uint8_t flip, ByteScan* scan);
  // words[(l * 64 + j) * word_stride]: bit i = (rows[i][j] == values[l * 64 + j]), for up to 64 rows;
  // counts[l * 64 + j] grows by the bits set.
  void (*pack_rows)(const std::uint8_t* const* rows, std::size_t n_rows, std::size_t n_columns,
                    const std::uint8_t* values, std::size_t n_planes, std::size_t word_stride, std::uint64_t* words,
                    std::uint32_t* counts);
  // The same for one column of consecutive bytes: bit i of plane l = (bytes[i] == values[l]).
  void (*pack_column)(const std::uint8_t* bytes, std::size_t n_rows, const std::uint8_t* values, std::size_t n_planes,
                      std::size_t stride, std::uint64_t* planes);
  // Minimum, maximum and presence of one column of consecutive bytes, as in ByteScan.
  void (*scan_column)(const std::uint8_t* bytes, std::size_t n_rows, std::uint8_t flip, std::uint8_t* result);
  // Byte k of words[i] = columns[k][i] for eight columns.
  void (*join_columns)(const std::uint8_t* const* columns, std::size_t n_rows, std::uint64_t* words);
  // columns[k][i] = byte k of words[at[i] - first].
  void (*part_columns)(const std::uint64_t* words, const std::uint32_t* at, std::uint32_t first, std::size_t n_rows,
                       std::uint8_t* const* columns);
};

THRESHER_DECLARE_KERNELS(PackKernels, pack_kernels)

}  // namespace thresher
