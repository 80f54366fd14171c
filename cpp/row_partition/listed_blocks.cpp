#include "row_partition/listed_blocks.hpp"

#include <algorithm>
#include <tuple>

namespace thresher {

bool OpenListedBlocks::Entry::operator<(const Entry& other) const {
  return std::tie(block, code, label) < std::tie(other.block, other.code, other.label);
}

OpenListedBlocks::OpenListedBlocks(std::span<const std::int32_t> classes, std::size_t n_classes,
                                   std::span<const std::int64_t> weights, const XLogX& xlogx)
    : xlogx_(xlogx),
      classes_(classes),
      weights_(weights),
      n_classes_(n_classes),
      block_of_(classes.size(), kSettled),
      taken_(n_classes) {
  for (std::uint32_t row = 0; row < classes.size(); ++row) {
    const std::uint64_t weight = weights.empty() ? 1 : static_cast<std::uint64_t>(weights[row]);
    if (weight == 0) continue;
    entries_.push_back({0, 0, static_cast<std::uint32_t>(classes[row]), row, weight});
  }
  std::ranges::sort(entries_, {}, &Entry::label);
  put_apart(0, entries_.size());
}

void OpenListedBlocks::sort_entries(const ListedRows& column) {
  entries_.clear();
  for (const auto& [row, code] : column.rows()) {
    const std::uint32_t block = block_of_[row];
    if (block == kSettled || blocks_[block].n_present < 2) continue;
    const std::uint64_t weight = weights_.empty() ? 1 : static_cast<std::uint64_t>(weights_[row]);
    entries_.push_back({block, code, static_cast<std::uint32_t>(classes_[row]), row, weight});
  }
  std::sort(entries_.begin(), entries_.end());
}

std::size_t OpenListedBlocks::block_end(std::size_t begin) const {
  std::size_t end = begin + 1;
  while (end < entries_.size() && entries_[end].block == entries_[begin].block) ++end;
  return end;
}

std::size_t OpenListedBlocks::code_end(std::size_t begin) const {
  std::size_t end = begin + 1;
  while (end < entries_.size() && entries_[end].block == entries_[begin].block &&
         entries_[end].code == entries_[begin].code)
    ++end;
  return end;
}

std::int64_t OpenListedBlocks::unknown_of(std::size_t begin, std::size_t end) const {
  std::uint64_t total = 0, of_class = 0;
  std::int64_t sum = 0;
  for (std::size_t i = begin; i < end; ++i) {
    total += entries_[i].weight;
    of_class += entries_[i].weight;
    if (i + 1 < end && entries_[i + 1].label == entries_[i].label) continue;
    sum -= xlogx_(of_class);
    of_class = 0;
  }
  return sum + xlogx_(total);
}

// What a block loses: classes that lose nothing cost nothing.
std::int64_t OpenListedBlocks::information(const ListedRows& column) {
  sort_entries(column);
  std::int64_t information = 0;
  for (std::size_t begin = 0; begin < entries_.size();) {
    const std::size_t end = block_end(begin);
    const Block& block = blocks_[entries_[begin].block];
    const std::uint64_t* of_class = class_weights(entries_[begin].block);
    std::uint64_t left = block.weight;
    for (std::size_t i = begin; i < end; ++i) {
      taken_[entries_[i].label] += entries_[i].weight;
      left -= entries_[i].weight;
    }
    std::int64_t rest = block.unknown - xlogx_(block.weight) + xlogx_(left);
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t label = entries_[i].label;
      if (taken_[label] == 0) continue;
      rest += xlogx_(of_class[label]) - xlogx_(of_class[label] - taken_[label]);
      taken_[label] = 0;
    }
    information += block.unknown - rest;
    for (std::size_t i = begin; i < end;) {
      const std::size_t next = code_end(i);
      information -= unknown_of(i, next);
      i = next;
    }
    begin = end;
  }
  return information;
}

void OpenListedBlocks::take_out(std::size_t begin, std::size_t end) {
  Block& block = blocks_[entries_[begin].block];
  std::uint64_t* of_class = class_weights(entries_[begin].block);
  unknown_ -= block.unknown;
  n_open_ -= block.weight;
  block.unknown -= xlogx_(block.weight);
  for (std::size_t i = begin; i < end; ++i) {
    std::uint64_t& weight = of_class[entries_[i].label];
    block.unknown += xlogx_(weight);
    weight -= entries_[i].weight;
    block.weight -= entries_[i].weight;
    block.unknown -= xlogx_(weight);
    block.n_present -= weight == 0;
  }
  block.unknown += xlogx_(block.weight);
  if (block.n_present < 2) return;
  unknown_ += block.unknown;
  n_open_ += block.weight;
}

// Makes a block of rows of one block and code. One of a single class is settled.
void OpenListedBlocks::put_apart(std::size_t begin, std::size_t end) {
  if (begin == end) return;
  const bool is_open = entries_[begin].label != entries_[end - 1].label;
  const auto number = is_open ? static_cast<std::uint32_t>(blocks_.size()) : kSettled;
  for (std::size_t i = begin; i < end; ++i) block_of_[entries_[i].row] = number;
  if (!is_open) return;
  Block block = {0, 0, unknown_of(begin, end)};
  class_weights_.resize(class_weights_.size() + n_classes_);
  for (std::size_t i = begin; i < end; ++i) {
    block.weight += entries_[i].weight;
    std::uint64_t& weight = class_weights(number)[entries_[i].label];
    block.n_present += weight == 0;
    weight += entries_[i].weight;
  }
  blocks_.push_back(block);
  unknown_ += block.unknown;
  n_open_ += block.weight;
}

void OpenListedBlocks::refine(const ListedRows& column) {
  sort_entries(column);
  for (std::size_t begin = 0; begin < entries_.size();) {
    const std::size_t end = block_end(begin);
    take_out(begin, end);
    for (std::size_t i = begin; i < end;) {
      const std::size_t next = code_end(i);
      put_apart(i, next);
      i = next;
    }
    begin = end;
  }
}

ListedBlockNumbers::ListedBlockNumbers(const std::vector<std::uint8_t>& absent) : number_(absent.size()), size_(1) {
  for (std::size_t row = 0; row < absent.size(); ++row) {
    number_[row] = absent[row] ? kAbsent : 0;
    size_[0] += !absent[row];
  }
}

void ListedBlockNumbers::refine(const ListedRows& column) {
  std::vector<std::tuple<std::uint32_t, std::uint8_t, std::uint32_t>> rows;  // number, code, row
  for (const auto& [row, code] : column.rows()) {
    if (number_[row] != kAbsent) rows.emplace_back(number_[row], code, row);
  }
  std::ranges::sort(rows);
  for (std::size_t begin = 0; begin < rows.size();) {
    const auto [number, code, first] = rows[begin];
    std::size_t end = begin + 1;
    while (end < rows.size() && std::get<0>(rows[end]) == number && std::get<1>(rows[end]) == code) ++end;
    const auto n = static_cast<std::uint32_t>(end - begin);
    if (n < size_[number]) {
      size_[number] -= n;
      for (std::size_t i = begin; i < end; ++i)
        number_[std::get<2>(rows[i])] = static_cast<std::uint32_t>(size_.size());
      size_.push_back(n);
      ++n_blocks_;
    }
    begin = end;
  }
}

}  // namespace thresher
