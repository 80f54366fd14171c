#include "moments/feature_major.hpp"

#include <algorithm>
#include <bit>
#include <type_traits>

#include "moments/feature_loop.hpp"

namespace thresher {
namespace {

// A tile is read by rows and written by columns; both sides stay in the first-level cache.
constexpr std::size_t kTileRows = 64;
constexpr std::size_t kTileColumns = 16;

template <class Out, class In>
Out convert(In value) {
  if constexpr (std::is_same_v<In, Half>) {
    return static_cast<Out>(half_to_float(value));
  } else {
    return static_cast<Out>(value);
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
  const std::size_t n_tiles = (matrix.n_columns + kTileColumns - 1) / kTileColumns;
  for_features(n_tiles, n_rows * kTileColumns, n_threads, interrupt, [&](std::size_t first, std::size_t last) {
    for (std::size_t tile = first; tile < last; ++tile) {
      const std::size_t begin = tile * kTileColumns;
      const std::size_t end = std::min(begin + kTileColumns, matrix.n_columns);
      for (std::size_t row = 0; row < n_rows; row += kTileRows) {
        const std::size_t stop = std::min(row + kTileRows, n_rows);
        for (std::size_t c = begin; c < end; ++c) {
          Out* to = out + c * n_rows;
          const In* from = matrix.data + static_cast<std::ptrdiff_t>(c) * matrix.column_stride;
          for (std::size_t i = row; i < stop; ++i) {
            const std::size_t source = order.empty() ? i : order[i];
            to[i] = convert<Out>(from[static_cast<std::ptrdiff_t>(source) * matrix.row_stride]);
          }
        }
      }
    }
  });
}

#define THRESHER_FEATURE_MAJOR(In, Out)                                                                             \
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
