#include "packing/row_layout.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace thresher {
namespace {

constexpr std::size_t kLineWords = 8;

// Words per part, on average, from which the gaps before whole cache lines are small compared with the parts.
constexpr std::size_t kLongPart = 64;

std::size_t whole_lines(std::size_t n_words) { return (n_words + kLineWords - 1) / kLineWords * kLineWords; }

void check_rows(std::size_t n_rows) {
  if (n_rows > std::numeric_limits<std::uint32_t>::max() / 2) throw std::length_error("more than 2,147,483,647 rows");
}

}  // namespace

RowLayout::RowLayout(std::size_t n_rows) : n_rows_(n_rows), row_begin_{0, n_rows} {
  check_rows(n_rows);
  lay_out_words();
  count_kept_rows();
}

RowLayout::RowLayout(std::span<const std::int32_t> parts, PartSets sets)
    : n_rows_(parts.size()), has_parts_(true), sets_(std::move(sets)) {
  check_rows(n_rows_);
  const std::size_t n_parts = sets_.n_parts();
  row_begin_.assign(n_parts + 1, 0);
  for (const std::int32_t part : parts) {
    if (part < 0 || static_cast<std::size_t>(part) >= n_parts)
      throw std::invalid_argument("parts: number out of range");
    ++row_begin_[static_cast<std::size_t>(part) + 1];
  }
  for (std::size_t part = 0; part < n_parts; ++part) row_begin_[part + 1] += row_begin_[part];
  lay_out_words();
  count_kept_rows();
  order_.resize(n_rows_);
  std::vector<std::size_t> next(row_begin_.begin(), row_begin_.end() - 1);
  for (std::size_t row = 0; row < n_rows_; ++row) {
    order_[next[static_cast<std::size_t>(parts[row])]++] = static_cast<std::uint32_t>(row);
  }
  word_position_.resize(n_words() + 1, n_rows_);
  std::size_t word = 0;
  for (std::size_t part = 0; part < n_parts; ++part) {
    for (; word < word_begin(part); ++word) word_position_[word] = row_begin(part);
    for (; word < word_end(part); ++word) word_position_[word] = row_begin(part) + 64 * (word - word_begin(part));
  }
}

void RowLayout::lay_out_words() {
  const bool long_parts = (n_rows_ + 63) / 64 >= kLongPart * n_parts();
  std::size_t begin = 0;
  for (std::size_t part = 0; part < n_parts(); ++part) {
    const std::size_t n_part_words = (rows_in(part) + 63) / 64;
    part_words_.push_back({static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(begin + n_part_words)});
    begin += long_parts ? whole_lines(n_part_words) : n_part_words;
    one_word_parts_ = one_word_parts_ && n_part_words == 1;
  }
  plane_stride_ = n_words() < kLineWords ? n_words() : whole_lines(n_words());
}

void RowLayout::count_kept_rows() {
  std::vector<std::uint32_t> rows(n_parts());
  for (std::size_t part = 0; part < n_parts(); ++part) rows[part] = static_cast<std::uint32_t>(rows_in(part));
  kept_rows_.resize(n_replicates());
  sets_.count(rows.data(), kept_rows_.data());
}

std::size_t RowLayout::word_rows(std::size_t word) const {
  if (word_position_.empty()) return std::min<std::size_t>(64, n_rows_ - 64 * word);
  return word_position_[word + 1] - word_position_[word];
}

std::vector<std::uint32_t> RowLayout::bit_of_row() const {
  std::vector<std::uint32_t> bits(n_rows_);
  for (std::size_t part = 0; part < n_parts(); ++part) {
    const std::size_t first_bit = 64 * word_begin(part);
    for (std::size_t position = row_begin(part); position < row_end(part); ++position) {
      bits[row_at(position)] = static_cast<std::uint32_t>(first_bit + position - row_begin(part));
    }
  }
  return bits;
}

}  // namespace thresher
