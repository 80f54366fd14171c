// Where columns of codes come from. Few are ever needed: the most relevant ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "packing/coded_table.hpp"

namespace thresher::consistency {

// Columns of a packed table, unpacked on first use. The first ones are kept, since searches come back to them; the
// others, and lists, pass through one buffer.
class TableColumns {
 public:
  explicit TableColumns(std::shared_ptr<const CodedTable> table)
      : table_(std::move(table)),
        unpacked_(table_->n_features()),
        room_(kKeptBytes / (table_->n_rows() + 1)),
        buffer_(table_->n_rows()) {}

  // One code per row; valid until the next call.
  const std::uint8_t* column(std::size_t feature) {
    std::vector<std::uint8_t>& kept = unpacked_[feature];
    if (!kept.empty()) return kept.data();
    if (room_ == 0 || table_->feature(feature).listed) {
      table_->codes_of(feature, buffer_.data());
      return buffer_.data();
    }
    --room_;
    kept.resize(table_->n_rows());
    table_->codes_of(feature, kept.data());
    return kept.data();
  }

 private:
  static constexpr std::size_t kKeptBytes = std::size_t{1} << 26;

  std::shared_ptr<const CodedTable> table_;
  std::vector<std::vector<std::uint8_t>> unpacked_;
  std::size_t room_;
  std::vector<std::uint8_t> buffer_;
};

}  // namespace thresher::consistency
