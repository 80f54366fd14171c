// Codes of columns row by row, whatever they are kept as, and the plain sums over all rows.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "counting/pair_counter.hpp"

namespace thresher {

// Codes of one column at ascending positions. What is no level is a number beyond the last one.
template <class Code>
class PlainCodes {
 public:
  explicit PlainCodes(const Code* codes) : codes_(codes) {}
  // A missing wide code is negative and becomes very large.
  std::size_t at(std::size_t position, std::size_t) const { return static_cast<std::size_t>(codes_[position]); }

 private:
  const Code* codes_;
};

class ListedCodes {
 public:
  explicit ListedCodes(const CodedFeature& feature) : feature_(feature) {}
  std::size_t at(std::size_t position, std::size_t) {
    const std::uint32_t* positions = feature_.listed_positions();
    const std::size_t n = feature_.n_listed;
    if (next_ < n && positions[next_] < position) {
      // In doubling steps: the positions requested may be few compared with those listed.
      std::size_t step = 1;
      for (; next_ + step < n && positions[next_ + step] < position; step *= 2) next_ += step;
      next_ = static_cast<std::size_t>(
          std::lower_bound(positions + next_ + 1, positions + std::min(next_ + step, n), position) - positions);
    }
    return next_ < n && positions[next_] == position ? feature_.listed_codes()[next_] : feature_.rest;
  }

 private:
  const CodedFeature& feature_;
  std::size_t next_ = 0;
};

// Calls `use` with the codes of a reference that has no planes, or bytes next to them. Those of no rows are null.
template <class Use>
void with_codes(const ReferenceColumn& reference, Use use) {
  if (reference.wide() != nullptr) return use(PlainCodes(reference.wide()));
  if (reference.bytes() == nullptr && reference.listed() != nullptr) return use(ListedCodes(*reference.listed()));
  use(PlainCodes(reference.bytes()));
}

// The table of two columns over all rows, part after part; see count_cells.
template <class A, class B, class Count, class WeightAt>
void count_rows(const RowLayout& layout, A a, std::size_t a_levels, B b, std::size_t b_levels, Count* cells,
                WeightAt weight_at) {
  for (std::size_t part = 0; part < layout.n_parts(); ++part, cells += a_levels * b_levels) {
    std::fill_n(cells, a_levels * b_levels, Count{0});
    for (std::size_t position = layout.row_begin(part); position < layout.row_end(part); ++position) {
      const std::size_t i = a.at(position, part);
      const std::size_t j = b.at(position, part);
      if (i < a_levels && j < b_levels) cells[i * b_levels + j] += weight_at(position);
    }
  }
}

}  // namespace thresher
