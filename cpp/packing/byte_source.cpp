#include "packing/byte_source.hpp"

#include <cstdint>
#include <cstring>
#include <mutex>

#include "core/parallel.hpp"
#include "core/prefetch.hpp"

namespace thresher {

ByteSource::ByteSource(const ArrayView& array, ByteKind kind, std::size_t first_column, std::size_t n_columns)
    : array_(array),
      kind_(kind),
      first_(first_column),
      n_columns_(n_columns),
      width_((n_columns + kTileColumns - 1) / kTileColumns * kTileColumns) {
  if (kind != ByteKind::converted && array.row_stride != 0) {
    base_ = array.at<std::uint8_t>(0, first_column);
    stride_ = array.row_stride;
  } else if (array.n_rows * width_ <= kLargestCopy) {
    copy_.resize(array.n_rows * width_);
    for (std::size_t row = 0; row < array.n_rows; ++row) convert(row, copy_.data() + row * width_);
    base_ = copy_.data();
    stride_ = static_cast<std::ptrdiff_t>(width_);
  }
}

void ByteSource::convert(std::size_t row, std::uint8_t* out) const {
  const auto* from = array_.at<std::uint8_t>(row, first_);
  if (kind_ != ByteKind::converted) {
    std::memcpy(out, from, n_columns_);
    return;
  }
  THRESHER_DISPATCH(pack_kernels).to_bytes[static_cast<std::size_t>(array_.dtype)](from, n_columns_, out);
}

std::vector<ByteScan> ByteSource::scan(std::size_t n_threads) const {
  const std::size_t n_tiles = (n_columns_ + kTileColumns - 1) / kTileColumns;
  const auto empty = [&] {
    std::vector<ByteScan> scans(n_tiles);
    for (ByteScan& scan : scans) {
      std::memset(&scan, 0, sizeof scan);
      std::memset(scan.minimum, 255, sizeof scan.minimum);
    }
    return scans;
  };
  std::vector<ByteScan> scans = empty();
  std::mutex mutex;
  const PackKernels& kernels = THRESHER_DISPATCH(pack_kernels);
  constexpr std::size_t kPieceRows = 65536;
  parallel_for(n_rows(), kPieceRows, n_threads, [&](std::size_t begin, std::size_t end) {
    std::vector<ByteScan> found = empty();
    each_block(begin, end, [&](const std::uint8_t* block, std::ptrdiff_t stride, std::size_t n) {
      for (std::size_t t = 0; t < n_tiles; ++t) {
        const std::size_t columns = std::min(kTileColumns, n_columns_ - t * kTileColumns);
        // The same tile of the rows that come next: rows are too distant for the processor's prefetcher.
        const std::uintptr_t next = reinterpret_cast<std::uintptr_t>(block + t * kTileColumns);
        for (std::size_t i = n; i < 2 * n; ++i) prefetch(next + i * static_cast<std::uintptr_t>(stride));
        kernels.scan_rows({block + t * kTileColumns, stride, n, columns}, flip_of(kind_), &found[t]);
      }
    });
    // Extremes and sets join in any order.
    const std::lock_guard lock(mutex);
    for (std::size_t t = 0; t < n_tiles; ++t) {
      for (std::size_t j = 0; j < kTileColumns; ++j) {
        scans[t].minimum[j] = std::min(scans[t].minimum[j], found[t].minimum[j]);
        scans[t].maximum[j] = std::max(scans[t].maximum[j], found[t].maximum[j]);
        scans[t].low[j] |= found[t].low[j];
        scans[t].high[j] |= found[t].high[j];
      }
    }
  });
  return scans;
}

void ByteSource::rows_of_word(const RowLayout& layout, std::size_t position, std::size_t n, std::uint8_t* buffer,
                              const std::uint8_t** rows) const {
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t row = layout.row_at(position + i);
    if (direct()) {
      rows[i] = row_pointer(row);
    } else {
      convert(row, buffer + i * width_);
      rows[i] = buffer + i * width_;
    }
  }
}

}  // namespace thresher
