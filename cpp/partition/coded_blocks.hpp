// The rows grouped into blocks that agree on the selected features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/xlogx.hpp"

namespace thresher {

// Only rows whose block still contains several classes are kept ("open" rows): a block of one class, and every part of
// it, adds nothing to any conditional information with the class.
class OpenBlocks {
 public:
  // `weights`: how often each row counts, not at all if 0; empty: once.
  OpenBlocks(std::span<const std::int32_t> classes, std::size_t n_classes, std::span<const std::int64_t> weights,
             const XLogX& xlogx);

  // n 2^shift times I(feature; class | blocks), in the fixed point of the table.
  std::int64_t information(const std::uint8_t* codes);

  // n 2^shift times H(class | blocks).
  std::int64_t unknown() const { return block_sum_ - block_class_sum_; }

  // Splits every block by the feature's codes and drops what is settled.
  void refine(const std::uint8_t* codes);

  bool settled() const { return rows_.empty(); }

 private:
  std::uint64_t weight(std::uint32_t row) const {
    return weights_.empty() ? 1 : static_cast<std::uint64_t>(weights_[row]);
  }
  std::int64_t sum_block(std::size_t begin, std::size_t end, const std::uint8_t* codes);
  void drop_settled();

  const XLogX& xlogx_;
  std::span<const std::int64_t> weights_;
  std::size_t n_classes_;
  std::vector<std::uint32_t> rows_;   // open rows, block by block
  std::vector<std::int32_t> class_;   // their classes
  std::vector<std::size_t> start_;    // first row of each block, and one past the last
  std::vector<std::uint64_t> cells_;  // counts of (code, class), zero between calls
  std::vector<std::uint64_t> codes_;  // counts of codes, zero between calls
  std::int64_t block_sum_ = 0;        // sum of L(rows of a block)
  std::int64_t block_class_sum_ = 0;  // sum of L(rows of a block and class)
};

// Numbers the blocks of all rows in order of first appearance.
class BlockNumbers {
 public:
  // Rows that are marked as absent have no block. `absent`: one mark per row.
  explicit BlockNumbers(std::vector<std::uint8_t> absent) : absent_(std::move(absent)), number_(absent_.size()) {}

  void refine(const std::uint8_t* codes);
  std::uint32_t n_blocks() const { return n_blocks_; }

 private:
  std::vector<std::uint8_t> absent_;
  std::vector<std::uint32_t> number_;
  std::unordered_map<std::uint64_t, std::uint32_t> seen_;
  std::uint32_t n_blocks_ = 1;
};

}  // namespace thresher
