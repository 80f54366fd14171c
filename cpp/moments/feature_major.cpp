#include "moments/feature_major.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>
#include <vector>

#include "core/feature_loop.hpp"
#include "core/prefetch.hpp"
#include "moments/transpose_kernels.hpp"

namespace thresher {
namespace {

// A tile is read by rows and written by columns. It has this many bytes, which stay in the second-level cache, and at
// most as many rows that the lines read for neighbouring columns stay in the first level.
constexpr std::size_t kTileBytes = std::size_t{1} << 17;
constexpr std::size_t kTileRows = 256;

struct Tiling {
  std::size_t rows;
  std::size_t columns;
  std::size_t n_row_tiles;
  std::size_t n_column_tiles;

  Tiling(std::size_t n_rows, std::size_t n_columns, std::size_t item) {
    rows = std::clamp<std::size_t>(n_rows, 1, kTileRows);
    columns = std::clamp<std::size_t>(kTileBytes / (rows * item) / 16 * 16, 16, std::max<std::size_t>(n_columns, 16));
    n_row_tiles = (n_rows + rows - 1) / rows;
    n_column_tiles = (n_columns + columns - 1) / columns;
  }
};

template <class Out, class In>
Out convert(In value) {
  if constexpr (std::is_same_v<In, Half>) {
    return static_cast<Out>(half_to_float(value));
  } else {
    return static_cast<Out>(value);
  }
}

// Any type and stride; column by column.
template <class In, class Out>
void copy_tile(const In* from, const StridedMatrix<In>& matrix, std::span<const std::uint32_t> order, std::size_t row,
               std::size_t rows, std::size_t columns, std::size_t to_stride, Out* to) {
  for (std::size_t c = 0; c < columns; ++c) {
    const In* source = from + static_cast<std::ptrdiff_t>(c) * matrix.column_stride;
    Out* target = to + c * to_stride;
    if (order.empty()) {
      source += static_cast<std::ptrdiff_t>(row) * matrix.row_stride;
      for (std::size_t i = 0; i < rows; ++i)
        target[i] = convert<Out>(source[static_cast<std::ptrdiff_t>(i) * matrix.row_stride]);
    } else {
      for (std::size_t i = 0; i < rows; ++i) {
        target[i] = convert<Out>(source[static_cast<std::ptrdiff_t>(order[row + i]) * matrix.row_stride]);
      }
    }
  }
}

// Rows in any order, one after the other. The next ones are prefetched.
template <class T>
void gather_rows(const T* from, std::size_t stride, std::span<const std::uint32_t> order, std::size_t columns, T* to) {
  constexpr std::size_t kAhead = 16;
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (i + kAhead < order.size()) {
      const T* soon = from + order[i + kAhead] * stride;
      for (std::size_t c = 0; c < columns; c += 64 / sizeof(T)) prefetch(soon + c);
    }
    std::copy_n(from + order[i] * stride, columns, to + i * columns);
  }
}

}  // namespace

float half_to_float(Half value) {
  const std::uint32_t sign = static_cast<std::uint32_t>(value.bits & 0x8000u) << 16;
  const std::uint32_t exponent = (value.bits >> 10) & 31u;
  const std::uint32_t fraction = value.bits & 0x3ffu;
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | (fraction << 13));
  if (exponent != 0) return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (fraction << 13));
  const float small = static_cast<float>(fraction) * 0x1p-24f;
  return sign != 0 ? -small : small;
}

template <class In, class Out>
void feature_major(const StridedMatrix<In>& matrix, std::span<const std::uint32_t> order, Out* out,
                   std::size_t n_threads, Interrupt& interrupt) {
  const std::size_t n_rows = order.empty() ? matrix.n_rows : order.size();
  const Tiling tiling(n_rows, matrix.n_columns, sizeof(In));
  const TransposeKernels& kernels = THRESHER_DISPATCH(transpose_kernels);
  // Column tiles of one row tile follow each other: they share the lines at their borders.
  for_features(tiling.n_row_tiles * tiling.n_column_tiles, tiling.rows * tiling.columns, n_threads, interrupt,
               [&](std::size_t first, std::size_t last) {
                 std::vector<In> gathered;
                 for (std::size_t tile = first; tile < last; ++tile) {
                   const std::size_t row = tile / tiling.n_column_tiles * tiling.rows;
                   const std::size_t rows = std::min(tiling.rows, n_rows - row);
                   const std::size_t column = tile % tiling.n_column_tiles * tiling.columns;
                   const std::size_t columns = std::min(tiling.columns, matrix.n_columns - column);
                   const In* from = matrix.data + static_cast<std::ptrdiff_t>(column) * matrix.column_stride;
                   Out* to = out + column * n_rows + row;
                   if constexpr (std::is_same_v<In, Out>) {
                     if (matrix.column_stride == 1 && matrix.row_stride > 0) {
                       auto stride = static_cast<std::size_t>(matrix.row_stride);
                       const In* block = from + row * stride;
                       if (!order.empty()) {
                         gathered.resize(rows * columns);
                         gather_rows(from, stride, order.subspan(row, rows), columns, gathered.data());
                         stride = columns;
                         block = gathered.data();
                       }
                       if constexpr (std::is_same_v<In, float>) {
                         kernels.float32(block, stride, to, n_rows, rows, columns);
                       } else {
                         kernels.float64(block, stride, to, n_rows, rows, columns);
                       }
                       continue;
                     }
                   }
                   copy_tile(from, matrix, order, row, rows, columns, n_rows, to);
                 }
               });
}

#define THRESHER_FEATURE_MAJOR(In, Out) \
  template void feature_major(const StridedMatrix<In>&, std::span<const std::uint32_t>, Out*, std::size_t, Interrupt&);
THRESHER_FEATURE_MAJOR(float, float)
THRESHER_FEATURE_MAJOR(Half, float)
THRESHER_FEATURE_MAJOR(std::int8_t, float)
THRESHER_FEATURE_MAJOR(std::uint8_t, float)
THRESHER_FEATURE_MAJOR(std::int16_t, float)
THRESHER_FEATURE_MAJOR(std::uint16_t, float)
THRESHER_FEATURE_MAJOR(double, double)
THRESHER_FEATURE_MAJOR(std::int32_t, double)
THRESHER_FEATURE_MAJOR(std::uint32_t, double)
THRESHER_FEATURE_MAJOR(std::int64_t, double)
THRESHER_FEATURE_MAJOR(std::uint64_t, double)
#undef THRESHER_FEATURE_MAJOR

}  // namespace thresher
