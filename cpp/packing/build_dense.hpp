// The pieces of build_from_dense.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/array_view.hpp"
#include "core/interrupt.hpp"
#include "packing/byte_levels.hpp"
#include "packing/coded_table.hpp"

namespace thresher {

struct DensePlan {
  const ArrayView& array;
  Missing missing;
  std::size_t n_threads;
};

// Columns side by side in memory (C order): tiles of 64 rows and 64 columns.
void pack_by_rows(CodedTable& table, const DensePlan& plan, Interrupt& interrupt);
// Any other order: one column at a time.
void pack_by_columns(CodedTable& table, const DensePlan& plan, Interrupt& interrupt);

ByteKind byte_kind(DType dtype);

// Levels of a column whose numbers are not bytes, in the column's type.
class TypedLevels {
 public:
  virtual ~TypedLevels() = default;
  virtual CodedTable::Shape shape() const = 0;
  virtual void write_values(double* out) const = 0;
  // Codes by position.
  virtual void code(const ArrayView& array, std::size_t column, const RowLayout& layout, std::uint8_t* codes) const = 0;
};
std::unique_ptr<TypedLevels> find_typed_levels(const ArrayView& array, std::size_t column, Missing missing);

// Levels of the columns first, first+1, ...
class ChunkLevels {
 public:
  ChunkLevels(std::vector<ByteLevels> levels, const ArrayView& array, std::size_t first, Missing missing);

  const std::vector<CodedTable::Shape>& shapes() const { return shapes_; }
  bool is_typed(std::size_t j) const { return typed_[j] != nullptr; }
  const ByteLevels& bytes(std::size_t j) const { return bytes_[j]; }
  // The code of every byte in column j; kNoCode for those left out.
  void look_up(std::size_t j, std::uint8_t* code_of) const;

  void write_values(CodedTable& table, std::size_t first) const;
  void store_typed(CodedTable& table, const ArrayView& array, std::size_t first) const;

 private:
  std::vector<ByteLevels> bytes_;
  std::vector<std::unique_ptr<TypedLevels>> typed_;
  std::vector<CodedTable::Shape> shapes_;
};

}  // namespace thresher
