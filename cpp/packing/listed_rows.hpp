// A column as the rows off its commonest level: what sparse columns are, and any column can be.
#pragma once

#include <cstdint>
#include <vector>

#include "packing/coded_table.hpp"

namespace thresher {

class ListedRows {
 public:
  explicit ListedRows(const CodedTable& table) : table_(table) {}

  // Reads a feature: O(its rows) if it is a list, else O(n).
  void read(std::uint32_t feature);

  // Rows and their codes, in any order.
  const std::vector<CodedTable::Listed>& rows() const { return rows_; }

 private:
  const CodedTable& table_;
  std::vector<CodedTable::Listed> rows_;  // positions are rows
  std::vector<std::uint8_t> codes_;
};

}  // namespace thresher
