// The blocks of coded_blocks.hpp for columns that are lists of rows: a column costs what it lists, not all rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/xlogx.hpp"
#include "packing/listed_rows.hpp"

namespace thresher {

// As OpenBlocks. Every row knows its block, and open blocks know their weights per class.
class OpenListedBlocks {
 public:
  OpenListedBlocks(std::span<const std::int32_t> classes, std::size_t n_classes, std::span<const std::int64_t> weights,
                   const XLogX& xlogx);

  std::int64_t information(const ListedRows& column);
  std::int64_t unknown() const { return unknown_; }
  void refine(const ListedRows& column);
  bool settled() const { return n_open_ == 0; }

 private:
  static constexpr std::uint32_t kSettled = static_cast<std::uint32_t>(-1);

  struct Entry {
    std::uint32_t block;
    std::uint8_t code;
    std::uint32_t label;
    std::uint32_t row;
    std::uint64_t weight;
  };
  struct Block {
    std::uint64_t weight;
    std::size_t n_present;  // classes
    std::int64_t unknown;   // L(weight) less the sum of L over its classes
  };
  using Entries = std::span<const Entry>;

  std::uint64_t* class_weights(std::uint32_t block) { return class_weights_.data() + block * n_classes_; }
  // The rows of the column that are in open blocks, block by block and code by code.
  void sort_entries(const ListedRows& column);
  // n 2^shift H(class | these rows) of entries of one code.
  std::int64_t unknown_of(Entries group) const;
  void take_out(Entries of_block);
  void put_apart(Entries group);

  const XLogX& xlogx_;
  std::span<const std::int32_t> classes_;
  std::span<const std::int64_t> weights_;
  std::size_t n_classes_;
  std::vector<std::uint32_t> block_of_;  // by row
  std::vector<Block> blocks_;
  std::vector<std::uint64_t> class_weights_;  // block x class
  std::vector<Entry> entries_;
  std::vector<std::uint64_t> taken_;  // per class, zero between calls
  std::uint64_t n_open_ = 0;          // weight of rows in open blocks
  std::int64_t unknown_ = 0;
};

// As BlockNumbers, without the numbers.
class ListedBlockNumbers {
 public:
  explicit ListedBlockNumbers(const std::vector<std::uint8_t>& absent);

  void refine(const ListedRows& column);
  std::uint32_t n_blocks() const { return n_blocks_; }

 private:
  static constexpr std::uint32_t kAbsent = static_cast<std::uint32_t>(-1);

  std::vector<std::uint32_t> number_;
  std::vector<std::uint32_t> size_;
  std::uint32_t n_blocks_ = 1;
};

}  // namespace thresher
