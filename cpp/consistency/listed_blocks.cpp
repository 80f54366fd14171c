#include "consistency/listed_blocks.hpp"

#include <algorithm>

#include "core/runs.hpp"

namespace thresher::consistency {
namespace { constexpr auto code_of = [](const auto& entry) { return entry.code; }; }  // namespace

ListedBlocks::ListedBlocks(const CodedRows& rows, const GroupCost& cost)
    : data_(rows),
      group_cost_(cost),
      rows_(rows.used()),
      position_of_(rows.n_rows),
      block_of_(rows.n_rows, kPure),
      class_weights_(rows.n_classes),
      group_(rows.n_classes),
      rest_(rows.n_classes) {
  separation_.assign(rows_.empty() ? 0 : rows_.size() - 1, kTogetherInBlock);
  for (std::uint32_t position = 0; position < rows_.size(); ++position) {
    position_of_[rows_[position]] = position;
    block_of_[rows_[position]] = 0;
    class_weights_[static_cast<std::size_t>(data_.classes[rows_[position]])] += data_.weight(rows_[position]);
  }
  cost_sum_ = cost(class_weights_.data());
  n_impure_ = cost_sum_ > 0.0;
  blocks_.push_back({0, static_cast<std::uint32_t>(rows_.size()), cost_sum_});
}

void ListedBlocks::sort_entries(std::size_t feature) {
  entries_.clear();
  for (const auto& [row, code] : data_.listed(feature)) {
    const std::uint32_t block = block_of_[row];
    if (block != kPure && blocks_[block].cost > 0.0) entries_.push_back({block, code, row});
  }
  std::ranges::sort(entries_);
}

template <class Visit>
void ListedBlocks::visit_parted(Visit visit) {
  const auto block_of = [](const Entry& entry) { return entry.block; };
  visit_runs(Entries(entries_), block_of, [&](Entries of_block) {
    const Block& block = blocks_[of_block.front().block];
    const bool is_whole = of_block.size() == block.end - block.begin && of_block.front().code == of_block.back().code;
    if (!is_whole) visit(of_block);
  });
}

void ListedBlocks::add_weights(Entries entries, double sign, double* weights) const {
  for (const Entry& entry : entries) {
    weights[static_cast<std::size_t>(data_.classes[entry.row])] += sign * data_.weight(entry.row);
  }
}

void ListedBlocks::move_to(std::uint32_t row, std::uint32_t position) {
  const std::uint32_t other = rows_[position];
  std::swap(rows_[position_of_[row]], rows_[position]);
  std::swap(position_of_[row], position_of_[other]);
}

void ListedBlocks::part(Entries of_block, std::int32_t label) {
  const std::uint32_t old = of_block.front().block;
  Block whole = blocks_[old];
  cost_sum_ -= whole.cost;
  --n_impure_;
  visit_runs(of_block, code_of, [&](Entries group) {
    const std::uint32_t end = whole.end;
    for (const Entry& entry : group) move_to(entry.row, --whole.end);
    if (whole.end > whole.begin) separation_[whole.end - 1] = label;
    std::ranges::fill(group_, 0.0);
    add_weights(group, 1.0, group_.data());
    const double cost = group_cost_(group_.data());
    const auto number = cost > 0.0 ? static_cast<std::uint32_t>(blocks_.size()) : kPure;
    for (const Entry& entry : group) block_of_[entry.row] = number;
    if (number == kPure) return;
    blocks_.push_back({whole.end, end, cost});
    class_weights_.insert(class_weights_.end(), group_.begin(), group_.end());
    cost_sum_ += cost;
    ++n_impure_;
  });
  add_weights(of_block, -1.0, class_weights(old));
  whole.cost = whole.begin < whole.end ? group_cost_(class_weights(old)) : 0.0;
  blocks_[old] = whole;
  cost_sum_ += whole.cost;
  n_impure_ += whole.cost > 0.0;
}

bool ListedBlocks::split(std::size_t feature, std::int32_t label) {
  sort_entries(feature);
  bool any = false;
  visit_parted([&](Entries of_block) {
    part(of_block, label);
    any = true;
  });
  return any;
}

double ListedBlocks::cost_after(std::size_t feature) {
  sort_entries(feature);
  double sum = cost_sum_;
  visit_parted([&](Entries of_block) {
    const std::uint32_t old = of_block.front().block;
    std::copy_n(class_weights(old), data_.n_classes, rest_.begin());
    sum -= blocks_[old].cost;
    visit_runs(of_block, code_of, [&](Entries group) {
      std::ranges::fill(group_, 0.0);
      add_weights(group, 1.0, group_.data());
      sum += group_cost_(group_.data());
      add_weights(group, -1.0, rest_.data());
    });
    sum += group_cost_(rest_.data());
  });
  return sum;
}

}  // namespace thresher::consistency
