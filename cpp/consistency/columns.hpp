// Where columns of codes come from. Few are ever needed: the most relevant ones.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "packing/coded_table.hpp"

namespace thresher::consistency {

class ColumnSource {
 public:
  virtual ~ColumnSource() = default;
  // One code per row; valid until the next call.
  virtual const std::uint8_t* column(std::size_t feature) = 0;
};

// A matrix of codes in memory, one row per feature.
class MatrixColumns final : public ColumnSource {
 public:
  MatrixColumns(const std::uint8_t* codes, std::size_t n_rows) : codes_(codes), n_rows_(n_rows) {}
  const std::uint8_t* column(std::size_t feature) override { return codes_ + feature * n_rows_; }

 private:
  const std::uint8_t* codes_;
  std::size_t n_rows_;
};

// Columns of a packed table, unpacked when they are asked for. The first ones are kept, since searches come back to
// them; the others, and lists, pass through one buffer.
class TableColumns final : public ColumnSource {
 public:
  explicit TableColumns(std::shared_ptr<const CodedTable> table)
      : table_(std::move(table)),
        unpacked_(table_->n_features()),
        room_(kKeptBytes / (table_->n_rows() + 1)),
        buffer_(table_->n_rows()) {}

  const std::uint8_t* column(std::size_t feature) override {
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
