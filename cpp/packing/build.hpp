// Ways to make a CodedTable.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/array_view.hpp"
#include "core/interrupt.hpp"
#include "packing/coded_table.hpp"

namespace thresher {

inline constexpr std::size_t kDenseBytes = std::size_t{1} << 25;

struct BuildOptions {
  std::span<const std::int32_t> parts;  // empty: no parts
  PartSets sets;                        // of the parts
  Weights weights;
  Missing missing = Missing::error;
  std::size_t n_threads = 1;
  // Sparse columns that would take more than this as planes are kept as lists where these are short.
  std::size_t dense_bytes = kDenseBytes;
};

// Codes are ranks among the column's sorted distinct values; NaN is a separate level (the last), no level, or an error.
CodedTable build_from_dense(const ArrayView& array, BuildOptions options, Interrupt& interrupt);

// Codes given feature by feature, 0..levels-1; `missing_code` (-1: none) marks rows without a level.
CodedTable build_from_codes(const std::uint8_t* codes, std::span<const std::int32_t> levels, std::size_t n_rows,
                            int missing_code, BuildOptions options, Interrupt& interrupt);

// The same of features first, first + 1, ... of a table that is being built; their data may go to another arena.
void pack_codes(CodedTable& table, std::size_t first, const std::uint8_t* codes, std::span<const std::int32_t> levels,
                int missing_code, std::size_t n_threads, Interrupt& interrupt, Arena* data_arena = nullptr);

// Compressed columns, or compressed rows. Entries that are not stored are zeros, equal to stored ones.
struct SparseView {
  const void* indptr = nullptr;
  const void* indices = nullptr;
  bool wide_indptr = false;  // 64-bit
  bool wide_indices = false;
  const void* values = nullptr;
  DType dtype = DType::f64;
  std::size_t n_stored = 0;
  std::size_t n_rows = 0;
  std::size_t n_columns = 0;
  bool by_columns = true;
};
inline std::size_t sparse_index(const void* data, bool wide, std::size_t i) {
  return wide ? static_cast<std::size_t>(static_cast<const std::int64_t*>(data)[i])
              : static_cast<std::size_t>(static_cast<const std::int32_t*>(data)[i]);
}
// Throws if the pointers are not increasing or an index is out of range. Returns whether the indices of every line
// rise.
bool check_indices(const SparseView& array);
// Throws, too, if a position is named twice.
void check_sparse(const SparseView& array);
CodedTable build_from_sparse(const SparseView& array, BuildOptions options, Interrupt& interrupt);

// The same of features first, first + 1, ... of a table that is being built; their data may go to another arena.
void pack_sparse(CodedTable& table, std::size_t first, const SparseView& array, Missing missing,
                 std::size_t dense_bytes, std::size_t n_threads, Interrupt& interrupt, Arena* data_arena = nullptr);

// Some rows of a table, in the order given and as often as they are named; without parts. Levels and their codes stay,
// and so does the table of c log2 c, so that counts of a subset give the values they would have as a replicate.
CodedTable take_rows(const CodedTable& source, std::span<const std::int64_t> rows, std::size_t n_threads,
                     Interrupt& interrupt);

// Shared by the builders.
RowLayout make_layout(std::size_t n_rows, const BuildOptions& options);

}  // namespace thresher
