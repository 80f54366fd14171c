#include "partition/coded_blocks.hpp"

#include <algorithm>

namespace thresher {
namespace { constexpr std::size_t kCodes = 256; }  // namespace

OpenBlocks::OpenBlocks(std::span<const std::int32_t> classes, std::size_t n_classes,
                       std::span<const std::int64_t> weights, const XLogX& xlogx)
    : xlogx_(xlogx), weights_(weights), n_classes_(n_classes), cells_(kCodes * n_classes), codes_(kCodes) {
  for (std::uint32_t row = 0; row < classes.size(); ++row) {
    if (weight(row) == 0) continue;
    rows_.push_back(row);
    class_.push_back(classes[row]);
  }
  start_ = {0, rows_.size()};
  drop_settled();
}

// Returns the sum of L over the cells of one block, less that over its codes. Cells are cleared as they are read, so
// that a block costs its rows and not the size of the table.
std::int64_t OpenBlocks::sum_block(std::size_t begin, std::size_t end, const std::uint8_t* codes) {
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint8_t code = codes[rows_[i]];
    cells_[code * n_classes_ + static_cast<std::size_t>(class_[i])] += weight(rows_[i]);
    codes_[code] += weight(rows_[i]);
  }
  std::int64_t sum = 0;
  for (std::size_t i = begin; i < end; ++i) {
    const std::uint8_t code = codes[rows_[i]];
    std::uint64_t& cell = cells_[code * n_classes_ + static_cast<std::size_t>(class_[i])];
    if (cell > 1) sum += xlogx_(cell);
    cell = 0;
    if (codes_[code] > 1) sum -= xlogx_(codes_[code]);
    codes_[code] = 0;
  }
  return sum;
}

std::int64_t OpenBlocks::information(const std::uint8_t* codes) {
  std::int64_t total = unknown();
  for (std::size_t block = 0; block + 1 < start_.size(); ++block) {
    total += sum_block(start_[block], start_[block + 1], codes);
  }
  return total;
}

void OpenBlocks::refine(const std::uint8_t* codes) {
  std::vector<std::uint32_t> rows(rows_.size());
  std::vector<std::int32_t> classes(rows_.size());
  std::vector<std::size_t> start;
  for (std::size_t block = 0; block + 1 < start_.size(); ++block) {
    const std::size_t begin = start_[block];
    const std::size_t end = start_[block + 1];
    for (std::size_t i = begin; i < end; ++i) ++codes_[codes[rows_[i]]];
    std::size_t next = begin;
    std::size_t position[kCodes];
    for (std::size_t code = 0; code < kCodes; ++code) {
      if (codes_[code] == 0) continue;
      start.push_back(next);
      position[code] = next;
      next += codes_[code];
      codes_[code] = 0;
    }
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t to = position[codes[rows_[i]]]++;
      rows[to] = rows_[i];
      classes[to] = class_[i];
    }
  }
  start.push_back(rows.size());
  rows_ = std::move(rows);
  class_ = std::move(classes);
  start_ = std::move(start);
  drop_settled();
}

void OpenBlocks::drop_settled() {
  block_sum_ = block_class_sum_ = 0;
  std::vector<std::size_t> start{0};
  std::size_t kept = 0;
  for (std::size_t block = 0; block + 1 < start_.size(); ++block) {
    const std::size_t begin = start_[block];
    const std::size_t end = start_[block + 1];
    const bool mixed = std::any_of(class_.begin() + static_cast<std::ptrdiff_t>(begin),
                                   class_.begin() + static_cast<std::ptrdiff_t>(end),
                                   [&](std::int32_t c) { return c != class_[begin]; });
    if (!mixed) continue;
    std::uint64_t total = 0;
    for (std::size_t i = begin; i < end; ++i) {
      cells_[static_cast<std::size_t>(class_[i])] += weight(rows_[i]);
      total += weight(rows_[i]);
    }
    for (std::size_t i = begin; i < end; ++i) {
      std::uint64_t& cell = cells_[static_cast<std::size_t>(class_[i])];
      if (cell > 1) block_class_sum_ += xlogx_(cell);
      cell = 0;
    }
    block_sum_ += xlogx_(total);
    for (std::size_t i = begin; i < end; ++i, ++kept) {
      rows_[kept] = rows_[i];
      class_[kept] = class_[i];
    }
    start.push_back(kept);
  }
  rows_.resize(kept);
  class_.resize(kept);
  start_ = std::move(start);
}

void BlockNumbers::refine(const std::uint8_t* codes) {
  seen_.clear();
  for (std::size_t row = 0; row < number_.size(); ++row) {
    if (absent_[row]) continue;
    const std::uint64_t key = std::uint64_t{number_[row]} * kCodes + codes[row];
    number_[row] = seen_.try_emplace(key, static_cast<std::uint32_t>(seen_.size())).first->second;
  }
  n_blocks_ = static_cast<std::uint32_t>(seen_.size());
}

}  // namespace thresher
