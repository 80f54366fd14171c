// A partition of the rows into blocks that only gets finer.
//
// Blocks of one class cost nothing however they are split, so they are left alone for good.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>

#include "consistency/coded_blocks.hpp"
#include "consistency/listed_blocks.hpp"
#include "consistency/risk.hpp"

namespace thresher::consistency {

class Blocks {
 public:
  static constexpr std::int32_t kTogether = kTogetherInBlock;

  Blocks(const CodedRows& rows, const GroupCost& cost)
      : kind_(suit_lists(rows) ? Kind(std::in_place_type<ListedBlocks>, rows, cost)
                               : Kind(std::in_place_type<CodedBlocks>, rows, cost)) {}

  // Splits every impure block by a feature's values, and writes `label` at the new boundaries.
  // Returns whether any block was split.
  bool split(std::size_t feature, std::int32_t label) {
    return std::visit([&](auto& blocks) { return blocks.split(feature, label); }, kind_);
  }

  // Returns the cost after splitting by a feature; nothing changes.
  double cost_after(std::size_t feature) {
    return std::visit([&](auto& blocks) { return blocks.cost_after(feature); }, kind_);
  }

  double cost() const {
    return std::visit([](const auto& blocks) { return blocks.cost(); }, kind_);
  }
  bool all_pure() const {
    return std::visit([](const auto& blocks) { return blocks.all_pure(); }, kind_);
  }

  // Rows, block after block; separation()[i] is the label of the boundary between rows()[i] and rows()[i + 1],
  // kTogether inside a block.
  std::span<const std::uint32_t> rows() const {
    return std::visit([](const auto& blocks) { return blocks.rows(); }, kind_);
  }
  std::span<const std::int32_t> separation() const {
    return std::visit([](const auto& blocks) { return blocks.separation(); }, kind_);
  }

 private:
  using Kind = std::variant<CodedBlocks, ListedBlocks>;
  // Subtracting the rows of a list from fractional weights might leave a trace of a class that is not there.
  static bool suit_lists(const CodedRows& rows) { return rows.lists != nullptr && rows.has_whole_weights(); }
  Kind kind_;
};

}  // namespace thresher::consistency
