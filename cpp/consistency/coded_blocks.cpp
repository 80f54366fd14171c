#include "consistency/coded_blocks.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace thresher::consistency {

namespace { constexpr std::size_t kMaxLevels = 256; }  // namespace

CodedBlocks::CodedBlocks(const CodedRows& rows, const GroupCost& cost)
    : data_(rows), group_cost_(cost), rows_(rows.used()), buffer_(rows_.size()), class_weights_(rows.n_classes) {
  separation_.assign(rows_.empty() ? 0 : rows_.size() - 1, kTogetherInBlock);
  cost_sum_ = cost_of(0, rows_.size());
  if (cost_sum_ > 0.0) impure_.push_back({0, static_cast<std::uint32_t>(rows_.size()), cost_sum_});
}

double CodedBlocks::cost_of(std::size_t begin, std::size_t end) {
  std::fill(class_weights_.begin(), class_weights_.end(), 0.0);
  for (std::size_t i = begin; i < end; ++i) {
    class_weights_[static_cast<std::size_t>(data_.classes[rows_[i]])] += data_.weight(rows_[i]);
  }
  return group_cost_(class_weights_.data());
}

bool CodedBlocks::split(std::size_t feature, std::int32_t label) {
  const std::uint8_t* column = data_.column(feature);
  bool any = false;
  next_.clear();
  std::array<std::uint32_t, kMaxLevels> end_of{};
  for (const Block& block : impure_) {
    const std::uint8_t first = column[rows_[block.begin]];
    std::uint32_t same = block.begin + 1;
    while (same < block.end && column[rows_[same]] == first) ++same;
    if (same == block.end) {
      next_.push_back(block);
      continue;
    }
    any = true;
    cost_sum_ -= block.cost;
    std::uint8_t highest = 0;
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      ++end_of[column[rows_[i]]];
      highest = std::max(highest, column[rows_[i]]);
    }
    std::uint32_t position = block.begin;
    for (std::size_t value = 0; value <= highest; ++value) {
      const std::uint32_t begin = position;
      position += end_of[value];
      end_of[value] = begin;
    }
    for (std::uint32_t i = block.begin; i < block.end; ++i) buffer_[end_of[column[rows_[i]]]++] = rows_[i];
    std::copy(buffer_.begin() + block.begin, buffer_.begin() + block.end, rows_.begin() + block.begin);
    std::uint32_t begin = block.begin;
    for (std::size_t value = 0; value <= highest; ++value) {
      const std::uint32_t end = std::exchange(end_of[value], 0U);
      // Values that do not occur end where the one before them ended.
      if (end <= begin) continue;
      const double cost = cost_of(begin, end);
      if (cost > 0.0) {
        next_.push_back({begin, end, cost});
        cost_sum_ += cost;
      }
      if (end < block.end) separation_[end - 1] = label;
      begin = end;
    }
  }
  impure_.swap(next_);
  return any;
}

double CodedBlocks::cost_after(std::size_t feature) {
  const std::uint8_t* column = data_.column(feature);
  const std::size_t n_classes = data_.n_classes;
  table_.assign(kMaxLevels * n_classes, 0.0);
  double sum = 0.0;
  for (const Block& block : impure_) {
    std::uint8_t highest = 0;
    for (std::uint32_t i = block.begin; i < block.end; ++i) {
      const std::size_t row = rows_[i];
      highest = std::max(highest, column[row]);
      table_[column[row] * n_classes + static_cast<std::size_t>(data_.classes[row])] += data_.weight(row);
    }
    for (std::size_t value = 0; value <= highest; ++value) sum += group_cost_(table_.data() + value * n_classes);
    std::fill_n(table_.begin(), (highest + std::size_t{1}) * n_classes, 0.0);
  }
  return sum;
}

}  // namespace thresher::consistency
