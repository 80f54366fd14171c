// Rows of a C-ordered array as rows of bytes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/array_view.hpp"
#include "packing/byte_levels.hpp"
#include "packing/pack_kernels.hpp"
#include "packing/row_layout.hpp"

namespace thresher {

// A run of adjacent columns. Arrays of bytes are read where they are; other numbers are converted block by block, all
// at once where that stays in cache.
class ByteSource {
 public:
  ByteSource(const ArrayView& array, ByteKind kind, std::size_t first_column, std::size_t n_columns);

  ByteKind kind() const { return kind_; }
  std::size_t n_rows() const { return array_.n_rows; }
  std::size_t n_columns() const { return n_columns_; }

  // Calls body(block, stride, n) over consecutive blocks of the rows begin..end-1.
  template <class Body>
  void each_block(std::size_t begin, std::size_t end, Body&& body) const {
    std::vector<std::uint8_t> buffer(direct() ? 0 : kBlockRows * width_);
    for (std::size_t row = begin; row < end; row += kBlockRows) {
      const std::size_t n = std::min(kBlockRows, end - row);
      if (direct()) {
        body(row_pointer(row), stride_, n);
      } else {
        for (std::size_t i = 0; i < n; ++i) convert(row + i, buffer.data() + i * width_);
        body(static_cast<const std::uint8_t*>(buffer.data()), static_cast<std::ptrdiff_t>(width_), n);
      }
    }
  }

  // One scan per tile of 64 columns.
  std::vector<ByteScan> scan(std::size_t n_threads) const;

  // Pointers to the bytes of n rows that share a word; `buffer` contains converted ones.
  std::size_t block_buffer_size() const { return direct() ? 0 : 64 * width_; }
  void rows_of_word(const RowLayout& layout, std::size_t position, std::size_t n, std::uint8_t* buffer,
                    const std::uint8_t** rows) const;

 private:
  // Few enough for the processor to follow every row of a block as a stream.
  static constexpr std::size_t kBlockRows = 16;
  static constexpr std::size_t kLargestCopy = std::size_t{1} << 20;

  bool direct() const { return stride_ != 0; }
  const std::uint8_t* row_pointer(std::size_t row) const { return base_ + static_cast<std::ptrdiff_t>(row) * stride_; }
  void convert(std::size_t row, std::uint8_t* out) const;

  const ArrayView& array_;
  ByteKind kind_;
  std::size_t first_;
  std::size_t n_columns_;
  std::size_t width_;
  const std::uint8_t* base_ = nullptr;  // direct rows: the array itself, or the copy
  std::ptrdiff_t stride_ = 0;
  std::vector<std::uint8_t> copy_;
};

}  // namespace thresher
