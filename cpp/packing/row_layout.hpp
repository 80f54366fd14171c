// The position of each row in packed columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/part_sets.hpp"
#include "packing/coded_feature.hpp"

namespace thresher {

// Rows ordered by part. In bit-planes each part begins a new 64-bit word, so that counts per part are counts over whole
// words; long parts begin a cache line, and the content of the words in between is not defined. In byte columns rows
// follow each other without gaps.
class RowLayout {
 public:
  // All rows in one part.
  explicit RowLayout(std::size_t n_rows);
  // parts[i] is the part of row i, below sets.n_parts(); a part may be empty.
  RowLayout(std::span<const std::int32_t> parts, PartSets sets);

  std::size_t n_rows() const { return n_rows_; }
  // Without parts all rows are one block, and nothing is ever left out.
  bool has_parts() const { return has_parts_; }
  std::size_t n_parts() const { return row_begin_.size() - 1; }
  // Returns the replicates of the data; one, of all rows, without parts.
  const PartSets& sets() const { return sets_; }
  std::size_t n_replicates() const { return sets_.n_replicates(); }
  // Rows of each replicate.
  std::span<const std::uint32_t> kept_rows() const { return kept_rows_; }

  // Words of one plane up to the last row, and the distance between planes (whole cache lines once planes are long).
  std::size_t n_words() const { return part_words_.back().end; }
  std::size_t plane_stride() const { return plane_stride_; }

  // Positions of a part's rows, and of its words.
  std::size_t row_begin(std::size_t part) const { return row_begin_[part]; }
  std::size_t row_end(std::size_t part) const { return row_begin_[part + 1]; }
  std::size_t rows_in(std::size_t part) const { return row_end(part) - row_begin(part); }
  std::size_t word_begin(std::size_t part) const { return part_words_[part].begin; }
  std::size_t word_end(std::size_t part) const { return part_words_[part].end; }

  // Returns the words of all parts as kernels take them, and whether every part is one word.
  const WordRange* part_words() const { return part_words_.data(); }
  bool one_word_parts() const { return one_word_parts_; }

  // Returns the row at a position; rows keep their order inside a part.
  std::size_t row_at(std::size_t position) const { return order_.empty() ? position : order_[position]; }
  bool in_order() const { return order_.empty(); }
  const std::uint32_t* order() const { return order_.data(); }

  // Returns the first position of a word and how many rows it has: none between parts.
  std::size_t word_position(std::size_t word) const {
    return word_position_.empty() ? word * 64 : word_position_[word];
  }
  std::size_t word_rows(std::size_t word) const;

  // Returns the bit index (64 word + bit) of each row.
  std::vector<std::uint32_t> bit_of_row() const;

 private:
  void lay_out_words();
  void count_kept_rows();

  std::size_t n_rows_;
  bool has_parts_ = false;
  PartSets sets_;
  std::vector<std::uint32_t> kept_rows_;
  std::vector<std::size_t> row_begin_;
  std::size_t plane_stride_ = 0;
  std::vector<WordRange> part_words_;
  bool one_word_parts_ = true;
  std::vector<std::uint32_t> order_;
  std::vector<std::size_t> word_position_;  // of each word, and the number of rows
};

}  // namespace thresher
