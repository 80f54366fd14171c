#include "packing/scan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <type_traits>

#include "core/parallel.hpp"
#include "packing/build_dense.hpp"
#include "packing/byte_source.hpp"
#include "packing/compressed_columns.hpp"
#include "packing/scan_kernels.hpp"

namespace thresher {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Up to eleven distinct values.
template <class T>
class DistinctCounter {
 public:
  bool is_full() const { return n_ >= ColumnScan::kManyDistinct; }
  void add(T value) {
    if (is_full() || value != value || (n_ > 0 && value == seen_[last_])) return;
    for (std::int32_t i = 0; i < n_; ++i) {
      if (seen_[i] == value) {
        last_ = i;
        return;
      }
    }
    last_ = n_;
    seen_[n_++] = value;
  }
  std::int32_t count() const { return n_; }

 private:
  std::int32_t n_ = 0;
  std::int32_t last_ = 0;
  T seen_[ColumnScan::kManyDistinct];
};

template <class T>
T lowest_start() {
  return std::is_floating_point_v<T> ? std::numeric_limits<T>::infinity() : std::numeric_limits<T>::max();
}
template <class T>
T highest_start() {
  return std::is_floating_point_v<T> ? -std::numeric_limits<T>::infinity() : std::numeric_limits<T>::lowest();
}

// Running totals of up to 64 columns, over any number of kernel calls.
template <class T>
class TileScan {
 public:
  TileScan() {
    std::fill_n(scan_.minimum, kScanColumns, lowest_start<T>());
    std::fill_n(scan_.maximum, kScanColumns, highest_start<T>());
    std::fill_n(scan_.missing, kScanColumns, T{0});
    std::fill_n(scan_.fractional, kScanColumns, T{0});
  }

  // Rows that go through tiles side by side.
  static void add_rows(std::span<TileScan> tiles, const void* first, std::ptrdiff_t stride, std::size_t n_rows,
                       std::size_t n_columns, DType dtype) {
    const ScanKernels& kernels = THRESHER_DISPATCH(scan_kernels);
    for (std::size_t row = 0; row < n_rows; row += kScanRows) {
      const std::size_t n = std::min(kScanRows, n_rows - row);
      const char* from = static_cast<const char*>(first) + static_cast<std::ptrdiff_t>(row) * stride;
      kernels.scan_rows[static_cast<std::size_t>(dtype)](from, stride, n, n_columns, &tiles[0].scan_, sizeof(TileScan));
      for (TileScan& tile : tiles) tile.take_missing();
    }
  }

  // Adds the totals of other rows.
  void add(const TileScan& other) {
    for (std::size_t j = 0; j < kScanColumns; ++j) {
      scan_.minimum[j] = std::min(scan_.minimum[j], other.scan_.minimum[j]);
      scan_.maximum[j] = std::max(scan_.maximum[j], other.scan_.maximum[j]);
      scan_.fractional[j] = std::max(scan_.fractional[j], other.scan_.fractional[j]);
      n_missing_[j] += other.n_missing_[j];
    }
  }

  // All lanes as one column.
  void join() {
    for (std::size_t j = 1; j < kScanColumns; ++j) {
      scan_.minimum[0] = std::min(scan_.minimum[0], scan_.minimum[j]);
      scan_.maximum[0] = std::max(scan_.maximum[0], scan_.maximum[j]);
      scan_.fractional[0] = std::max(scan_.fractional[0], scan_.fractional[j]);
      n_missing_[0] += n_missing_[j];
    }
  }

  // n_distinct is left at "many" for columns that are not whole and at 0 for the others.
  void store(std::size_t j, std::size_t f, const ArrayView& array, ColumnScan& out) const {
    const bool empty = n_missing_[j] == static_cast<std::int64_t>(array.n_rows);
    out.minimum[f] = empty ? kNaN : static_cast<double>(scan_.minimum[j]);
    out.maximum[f] = empty ? kNaN : static_cast<double>(scan_.maximum[j]);
    out.n_missing[f] = n_missing_[j];
    out.n_infinite[f] = 0;
    if (std::isinf(out.minimum[f]) || std::isinf(out.maximum[f])) {
      for (std::size_t row = 0; row < array.n_rows; ++row) {
        out.n_infinite[f] += std::isinf(static_cast<double>(*array.at<T>(row, f)));
      }
    }
    out.whole[f] = scan_.fractional[j] == T{0} && out.n_infinite[f] == 0;
    out.n_distinct[f] = out.whole[f] != 0 ? 0 : ColumnScan::kManyDistinct;
  }

 private:
  void take_missing() {
    for (std::size_t j = 0; j < kScanColumns; ++j) {
      n_missing_[j] += static_cast<std::int64_t>(scan_.missing[j]);
      scan_.missing[j] = T{0};
    }
  }

  ValueScan<T> scan_;
  std::int64_t n_missing_[kScanColumns] = {};
};

template <class T>
std::int32_t count_distinct(const ArrayView& array, std::size_t f) {
  DistinctCounter<T> distinct;
  for (std::size_t row = 0; row < array.n_rows && !distinct.is_full(); ++row) distinct.add(*array.at<T>(row, f));
  return distinct.count();
}

std::int32_t distinct_bytes(const ByteLevels& levels) {
  const std::size_t n = levels.count() - (levels.has_nan() ? 1 : 0);
  return static_cast<std::int32_t>(std::min<std::size_t>(n, ColumnScan::kManyDistinct));
}

// Distinct values of whole columns: from their bytes where these suffice, else one by one.
template <class T>
void count_distinct_by_rows(const ArrayView& array, std::size_t first, std::size_t last,
                            const std::vector<ByteScan>& scans, ByteKind kind, ColumnScan& out) {
  for (std::size_t f = first; f < last; ++f) {
    if (out.whole[f] == 0) continue;
    const std::size_t j = (f - first) % kTileColumns;
    const ByteScan& scan = scans[(f - first) / kTileColumns];
    const ByteLevels levels(kind, scan.minimum[j], scan.maximum[j],
                            scan.low[j] | static_cast<unsigned>(scan.high[j]) << 8);
    const bool is_known = levels.is_exact() && !levels.has_other();
    out.n_distinct[f] = is_known ? distinct_bytes(levels) : count_distinct<T>(array, f);
  }
}

// Columns first .. last-1 in tiles, read row by row in memory order. Threads take ranges of rows.
template <class T>
std::vector<TileScan<T>> scan_tiles(const ArrayView& array, std::size_t first, std::size_t last,
                                    std::size_t n_threads) {
  constexpr std::size_t kLeastRows = 4096;
  const std::size_t n_tiles = (last - first + kScanColumns - 1) / kScanColumns;
  const std::size_t n_ranges =
      std::clamp<std::size_t>(array.n_rows / kLeastRows, 1, std::max<std::size_t>(n_threads, 1));
  std::vector<TileScan<T>> tiles(n_ranges * n_tiles);
  parallel_for(n_ranges, 1, n_threads, [&](std::size_t range, std::size_t) {
    const std::size_t row = array.n_rows * range / n_ranges;
    const std::size_t stop = array.n_rows * (range + 1) / n_ranges;
    const std::span<TileScan<T>> own = std::span(tiles).subspan(range * n_tiles, n_tiles);
    TileScan<T>::add_rows(own, array.at<T>(row, first), array.row_stride, stop - row, last - first, array.dtype);
  });
  for (std::size_t i = n_tiles; i < tiles.size(); ++i) tiles[i % n_tiles].add(tiles[i]);
  tiles.resize(n_tiles);
  return tiles;
}

template <class T>
void scan_by_rows(const ArrayView& array, std::size_t first, std::size_t last, std::size_t n_threads, ColumnScan& out) {
  const ByteKind kind = byte_kind(array.dtype);
  if (kind != ByteKind::converted) {
    const std::vector<ByteScan> scans = ByteSource(array, kind, first, last - first).scan(n_threads);
    const int flip = flip_of(kind);
    for (std::size_t f = first; f < last; ++f) {
      const std::size_t j = (f - first) % kTileColumns;
      const ByteScan& scan = scans[(f - first) / kTileColumns];
      out.minimum[f] = array.n_rows == 0 ? kNaN : scan.minimum[j] - flip;
      out.maximum[f] = array.n_rows == 0 ? kNaN : scan.maximum[j] - flip;
      out.whole[f] = 1;
    }
    count_distinct_by_rows<T>(array, first, last, scans, kind, out);
    return;
  }
  bool any_whole = false;
  const std::vector<TileScan<T>> tiles = scan_tiles<T>(array, first, last, n_threads);
  for (std::size_t f = first; f < last; ++f) {
    tiles[(f - first) / kScanColumns].store((f - first) % kScanColumns, f, array, out);
    any_whole = any_whole || out.whole[f] != 0;
  }
  if (!any_whole) return;
  const std::vector<ByteScan> scans = ByteSource(array, kind, first, last - first).scan(n_threads);
  count_distinct_by_rows<T>(array, first, last, scans, kind, out);
}

// Distinct values of one whole column, from its bytes where these suffice.
template <class T>
std::int32_t count_distinct_in_column(const ArrayView& array, std::size_t f, std::vector<std::uint8_t>& bytes) {
  if (array.row_stride != static_cast<std::ptrdiff_t>(sizeof(T))) return count_distinct<T>(array, f);
  const PackKernels& kernels = THRESHER_DISPATCH(pack_kernels);
  const ByteKind kind = byte_kind(array.dtype);
  const auto* from = array.at<std::uint8_t>(0, f);
  if (kind == ByteKind::converted) {
    bytes.resize(array.n_rows);
    kernels.to_bytes[static_cast<std::size_t>(array.dtype)](from, array.n_rows, bytes.data());
    from = bytes.data();
  }
  std::uint8_t found[4];
  kernels.scan_column(from, array.n_rows, flip_of(kind), found);
  const ByteLevels levels(kind, found[0], found[1], found[2] | static_cast<unsigned>(found[3]) << 8);
  return levels.is_exact() && !levels.has_other() ? distinct_bytes(levels) : count_distinct<T>(array, f);
}

// Working memory of one thread.
template <class T>
struct ColumnBuffers {
  std::vector<T> values;
  std::vector<std::uint8_t> bytes;
};

// One column of any stride: 64 consecutive values are treated as 64 columns.
template <class T>
void scan_one_column(const ArrayView& array, std::size_t f, ColumnBuffers<T>& buffers, ColumnScan& out) {
  constexpr std::size_t kBuffer = 4096;
  TileScan<T> tile;
  const auto add_run = [&](const T* run, std::size_t n) {
    const std::size_t whole = n / kScanColumns;
    TileScan<T>::add_rows({&tile, 1}, run, kScanColumns * sizeof(T), whole, kScanColumns, array.dtype);
    TileScan<T>::add_rows({&tile, 1}, run + whole * kScanColumns, 0, 1, n % kScanColumns, array.dtype);
  };
  if (array.row_stride == static_cast<std::ptrdiff_t>(sizeof(T))) {
    add_run(array.at<T>(0, f), array.n_rows);
  } else {
    std::vector<T>& buffer = buffers.values;
    buffer.resize(kBuffer);
    for (std::size_t row = 0; row < array.n_rows; row += kBuffer) {
      const std::size_t n = std::min(kBuffer, array.n_rows - row);
      for (std::size_t i = 0; i < n; ++i) buffer[i] = *array.at<T>(row + i, f);
      add_run(buffer.data(), n);
    }
  }
  tile.join();
  tile.store(0, f, array, out);
  if (out.whole[f] != 0) out.n_distinct[f] = count_distinct_in_column<T>(array, f, buffers.bytes);
}

// A sparse column as its stored values and one zero for all the others.
template <class T>
void scan_sparse_column(const CompressedColumns<T>& columns, std::size_t f, std::size_t n_rows, ColumnScan& out) {
  T lowest = lowest_start<T>();
  T highest = highest_start<T>();
  bool whole = true;
  DistinctCounter<T> distinct;
  const auto add = [&](T value) {
    if (value != value) {
      ++out.n_missing[f];
      return;
    }
    lowest = value < lowest ? value : lowest;
    highest = value > highest ? value : highest;
    if constexpr (std::is_floating_point_v<T>) {
      out.n_infinite[f] += std::isinf(value);
      whole = whole && std::nearbyint(value) == value;
    }
    if (whole) distinct.add(value);
  };
  if (columns.size(f) < n_rows) add(T{0});
  for (std::size_t i = columns.begin(f); i < columns.end(f); ++i) add(columns.value(i));
  const bool empty = out.n_missing[f] == static_cast<std::int64_t>(n_rows);
  out.minimum[f] = empty ? kNaN : static_cast<double>(lowest);
  out.maximum[f] = empty ? kNaN : static_cast<double>(highest);
  out.whole[f] = whole && out.n_infinite[f] == 0;
  out.n_distinct[f] = out.whole[f] != 0 ? distinct.count() : ColumnScan::kManyDistinct;
}

}  // namespace

ColumnScan::ColumnScan(std::size_t n_columns)
    : minimum(n_columns),
      maximum(n_columns),
      n_missing(n_columns),
      n_infinite(n_columns),
      whole(n_columns),
      n_distinct(n_columns) {}

ColumnScan scan_dense(const ArrayView& array, std::size_t n_threads, Interrupt& interrupt) {
  ColumnScan scan(array.n_columns);
  interrupt.check();
  const bool side_by_side = array.column_stride == static_cast<std::ptrdiff_t>(size_of(array.dtype));
  visit_dtype(array.dtype, [&](auto element) {
    using T = decltype(element);
    if (side_by_side && array.n_columns > 1) {
      constexpr std::size_t kChunk = 4096;
      const bool wide = array.n_columns >= kChunk * n_threads;
      parallel_for(array.n_columns, kChunk, wide ? n_threads : 1, [&](std::size_t first, std::size_t last) {
        scan_by_rows<T>(array, first, last, wide ? 1 : n_threads, scan);
      });
    } else {
      parallel_for(array.n_columns, 16, n_threads, [&](std::size_t first, std::size_t last) {
        ColumnBuffers<T> buffers;
        for (std::size_t f = first; f < last; ++f) scan_one_column<T>(array, f, buffers, scan);
      });
    }
  });
  return scan;
}

ColumnScan scan_sparse(const SparseView& array, std::size_t n_threads, Interrupt& interrupt) {
  ColumnScan scan(array.n_columns);
  interrupt.check();
  visit_dtype(array.dtype, [&](auto element) {
    using T = decltype(element);
    const CompressedColumns<T> columns(array);
    parallel_for(array.n_columns, 64, n_threads, [&](std::size_t first, std::size_t last) {
      for (std::size_t f = first; f < last; ++f) scan_sparse_column(columns, f, array.n_rows, scan);
    });
  });
  return scan;
}

}  // namespace thresher
