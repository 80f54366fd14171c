// The partition of blocks.hpp by codes of all rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "consistency/risk.hpp"

namespace thresher::consistency {

class CodedBlocks {
 public:
  CodedBlocks(const CodedRows& rows, const GroupCost& cost);

  bool split(std::size_t feature, std::int32_t label);
  double cost_after(std::size_t feature);

  double cost() const { return cost_sum_; }
  bool all_pure() const { return impure_.empty(); }

  std::span<const std::uint32_t> rows() const { return rows_; }
  std::span<const std::int32_t> separation() const { return separation_; }

 private:
  struct Block {
    std::uint32_t begin;
    std::uint32_t end;
    double cost;
  };

  double cost_of(std::size_t begin, std::size_t end);

  const CodedRows& data_;
  const GroupCost& group_cost_;
  std::vector<std::uint32_t> rows_;
  std::vector<std::int32_t> separation_;
  std::vector<Block> impure_;
  std::vector<Block> next_;
  std::vector<std::uint32_t> buffer_;
  std::vector<double> class_weights_;
  std::vector<double> table_;  // value x class
  double cost_sum_ = 0.0;
};

}  // namespace thresher::consistency
