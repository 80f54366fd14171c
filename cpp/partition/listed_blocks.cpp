#include "partition/listed_blocks.hpp"

#include <algorithm>
#include <compare>
#include <tuple>
#include <utility>

#include "core/runs.hpp"

namespace thresher {
namespace {

constexpr auto block_of = [](const auto& entry) { return entry.block; };
constexpr auto code_of = [](const auto& entry) { return entry.code; };
constexpr auto label_of = [](const auto& entry) { return entry.label; };

}  // namespace

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
  put_apart(entries_);
}

void OpenListedBlocks::sort_entries(const ListedRows& column) {
  entries_.clear();
  for (const auto& [row, code] : column.rows()) {
    const std::uint32_t block = block_of_[row];
    if (block == kSettled || blocks_[block].n_present < 2) continue;
    const std::uint64_t weight = weights_.empty() ? 1 : static_cast<std::uint64_t>(weights_[row]);
    entries_.push_back({block, code, static_cast<std::uint32_t>(classes_[row]), row, weight});
  }
  std::ranges::sort(entries_, {}, [](const Entry& entry) { return std::tie(entry.block, entry.code, entry.label); });
}

std::int64_t OpenListedBlocks::unknown_of(Entries group) const {
  std::uint64_t total = 0;
  std::int64_t sum = 0;
  visit_runs(group, label_of, [&](Entries of_class) {
    std::uint64_t weight = 0;
    for (const Entry& entry : of_class) weight += entry.weight;
    sum -= xlogx_(weight);
    total += weight;
  });
  return sum + xlogx_(total);
}

// From the rows that leave a block: classes without such rows cost nothing.
std::int64_t OpenListedBlocks::information(const ListedRows& column) {
  sort_entries(column);
  std::int64_t information = 0;
  visit_runs(Entries(entries_), block_of, [&](Entries of_block) {
    const Block& block = blocks_[of_block.front().block];
    const std::uint64_t* of_class = class_weights(of_block.front().block);
    std::uint64_t left = block.weight;
    for (const Entry& entry : of_block) {
      taken_[entry.label] += entry.weight;
      left -= entry.weight;
    }
    std::int64_t rest = block.unknown - xlogx_(block.weight) + xlogx_(left);
    for (const Entry& entry : of_block) {
      const std::size_t label = entry.label;
      if (taken_[label] == 0) continue;
      rest += xlogx_(of_class[label]) - xlogx_(of_class[label] - taken_[label]);
      taken_[label] = 0;
    }
    information += block.unknown - rest;
    visit_runs(of_block, code_of, [&](Entries group) { information -= unknown_of(group); });
  });
  return information;
}

void OpenListedBlocks::take_out(Entries of_block) {
  Block& block = blocks_[of_block.front().block];
  std::uint64_t* of_class = class_weights(of_block.front().block);
  unknown_ -= block.unknown;
  n_open_ -= block.weight;
  block.unknown -= xlogx_(block.weight);
  for (const Entry& entry : of_block) {
    std::uint64_t& weight = of_class[entry.label];
    block.unknown += xlogx_(weight);
    weight -= entry.weight;
    block.weight -= entry.weight;
    block.unknown -= xlogx_(weight);
    block.n_present -= weight == 0;
  }
  block.unknown += xlogx_(block.weight);
  if (block.n_present < 2) return;
  unknown_ += block.unknown;
  n_open_ += block.weight;
}

// Makes a block of rows of one block and code. One of a single class is settled.
void OpenListedBlocks::put_apart(Entries group) {
  if (group.empty()) return;
  const bool is_open = group.front().label != group.back().label;
  const auto number = is_open ? static_cast<std::uint32_t>(blocks_.size()) : kSettled;
  for (const Entry& entry : group) block_of_[entry.row] = number;
  if (!is_open) return;
  Block block = {0, 0, unknown_of(group)};
  class_weights_.resize(class_weights_.size() + n_classes_);
  for (const Entry& entry : group) {
    block.weight += entry.weight;
    std::uint64_t& weight = class_weights(number)[entry.label];
    block.n_present += weight == 0;
    weight += entry.weight;
  }
  blocks_.push_back(block);
  unknown_ += block.unknown;
  n_open_ += block.weight;
}

void OpenListedBlocks::refine(const ListedRows& column) {
  sort_entries(column);
  visit_runs(Entries(entries_), block_of, [&](Entries of_block) {
    take_out(of_block);
    visit_runs(of_block, code_of, [&](Entries group) { put_apart(group); });
  });
}

ListedBlockNumbers::ListedBlockNumbers(const std::vector<std::uint8_t>& absent) : number_(absent.size()), size_(1) {
  for (std::size_t row = 0; row < absent.size(); ++row) {
    number_[row] = absent[row] ? kAbsent : 0;
    size_[0] += !absent[row];
  }
}

void ListedBlockNumbers::refine(const ListedRows& column) {
  struct Entry {
    std::uint32_t number;
    std::uint8_t code;
    std::uint32_t row;
    auto operator<=>(const Entry&) const = default;
  };
  std::vector<Entry> entries;
  for (const auto& [row, code] : column.rows()) {
    if (number_[row] != kAbsent) entries.push_back({number_[row], code, row});
  }
  std::ranges::sort(entries);
  const auto group_of = [](const Entry& entry) { return std::pair(entry.number, entry.code); };
  visit_runs(std::span<const Entry>(entries), group_of, [&](std::span<const Entry> group) {
    const std::uint32_t number = group.front().number;
    const auto n = static_cast<std::uint32_t>(group.size());
    if (n == size_[number]) return;
    size_[number] -= n;
    for (const Entry& entry : group) number_[entry.row] = static_cast<std::uint32_t>(size_.size());
    size_.push_back(n);
    ++n_blocks_;
  });
}

}  // namespace thresher
