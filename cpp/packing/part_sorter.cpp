#include "packing/part_sorter.hpp"

#include <algorithm>

#include "packing/pack_kernels.hpp"

namespace thresher {

namespace { constexpr std::size_t kBlockRows = 4096; }  // namespace

PartSorter::PartSorter(const RowLayout& layout) : layout_(layout) {
  for (std::size_t part = 0; part < layout.n_parts(); ++part) {
    for (std::size_t position = layout.row_begin(part); position < layout.row_end(part); ++position) {
      const auto block = static_cast<std::uint32_t>(layout.row_at(position) / kBlockRows);
      const auto here = static_cast<std::uint32_t>(position);
      if (position == layout.row_begin(part) || runs_.back().block != block) runs_.push_back({block, here, here});
      runs_.back().end = here + 1;
    }
  }
  std::stable_sort(runs_.begin(), runs_.end(), [](const Run& a, const Run& b) { return a.block < b.block; });
}

void PartSorter::sort(const std::uint8_t* const* from, std::uint8_t* const* to) const {
  const PackKernels& kernels = THRESHER_DISPATCH(pack_kernels);
  std::uint64_t words[kBlockRows];
  std::size_t first_row = layout_.n_rows();  // of the block in `words`
  for (const Run& run : runs_) {
    if (first_row != run.block * kBlockRows) {
      first_row = run.block * kBlockRows;
      const std::uint8_t* columns[kColumns];
      for (std::size_t k = 0; k < kColumns; ++k) columns[k] = from[k] + first_row;
      kernels.join_columns(columns, std::min(kBlockRows, layout_.n_rows() - first_row), words);
    }
    std::uint8_t* columns[kColumns];
    for (std::size_t k = 0; k < kColumns; ++k) columns[k] = to[k] + run.begin;
    kernels.part_columns(words, layout_.order() + run.begin, static_cast<std::uint32_t>(first_row), run.end - run.begin,
                         columns);
  }
}

}  // namespace thresher
