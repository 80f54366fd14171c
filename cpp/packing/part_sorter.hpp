// Sorting columns of bytes by part.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "packing/row_layout.hpp"

namespace thresher {

// Columns are sorted eight at a time, as words, in blocks of rows that stay near.
class PartSorter {
 public:
  static constexpr std::size_t kColumns = 8;

  // The layout must outlive the order.
  explicit PartSorter(const RowLayout& layout);

  // to[k][position] = from[k][the row at the position].
  void sort(const std::uint8_t* const* from, std::uint8_t* const* to) const;

 private:
  // Consecutive positions whose rows are in one block.
  struct Run {
    std::uint32_t block;
    std::uint32_t begin;
    std::uint32_t end;
  };

  const RowLayout& layout_;
  std::vector<Run> runs_;  // by block
};

}  // namespace thresher
