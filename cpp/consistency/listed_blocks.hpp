// The partition of blocks.hpp where columns are lists of rows: a split costs what is listed, not all rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "consistency/risk.hpp"

namespace thresher::consistency {

// Every row knows its block, and impure blocks know their weights per class. Rows that are listed move to the end of
// their block.
class ListedBlocks {
 public:
  ListedBlocks(const CodedRows& rows, const GroupCost& cost);

  bool split(std::size_t feature, std::int32_t label);
  double cost_after(std::size_t feature);

  double cost() const { return cost_sum_; }
  bool all_pure() const { return n_impure_ == 0; }
  std::span<const std::uint32_t> rows() const { return rows_; }
  std::span<const std::int32_t> separation() const { return separation_; }

 private:
  static constexpr std::uint32_t kPure = static_cast<std::uint32_t>(-1);

  struct Block {
    std::uint32_t begin;
    std::uint32_t end;
    double cost;  // 0 once it is pure
  };
  struct Entry {
    std::uint32_t block;
    std::uint8_t code;
    std::uint32_t row;
    auto operator<=>(const Entry&) const = default;
  };
  using Entries = std::span<const Entry>;

  double* class_weights(std::uint32_t block) { return class_weights_.data() + block * data_.n_classes; }
  // Collects the rows listed that are in impure blocks, block by block and code by code.
  void sort_entries(std::size_t feature);
  // Calls visit(entries of one block) for each block that the entries part.
  template <class Visit>
  void visit_parted(Visit visit);
  // Adds the weights of the entries to these, or takes them away.
  void add_weights(Entries entries, double sign, double* weights) const;
  void move_to(std::uint32_t row, std::uint32_t position);
  void part(Entries of_block, std::int32_t label);

  const CodedRows& data_;
  const GroupCost& group_cost_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::int32_t> separation_;
  std::vector<std::uint32_t> position_of_;  // by row
  std::vector<std::uint32_t> block_of_;     // by row
  std::vector<Block> blocks_;
  std::vector<double> class_weights_;  // block x class
  std::vector<Entry> entries_;
  std::vector<double> group_, rest_;  // weights per class
  std::size_t n_impure_ = 0;
  double cost_sum_ = 0.0;
};

}  // namespace thresher::consistency
