#include "packing/build_dense.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "packing/build.hpp"

namespace thresher {

RowLayout make_layout(std::size_t n_rows, const BuildOptions& options) {
  // A block without rows may have parts all the same.
  if (options.parts.empty() && (n_rows > 0 || options.sets.n_parts() == 1)) return RowLayout(n_rows);
  if (options.parts.size() != n_rows) throw std::invalid_argument("parts: one number per row is needed");
  return RowLayout(options.parts, options.sets);
}

ByteKind byte_kind(DType dtype) {
  if (dtype == DType::u8) return ByteKind::natural;
  return dtype == DType::i8 ? ByteKind::signed_ : ByteKind::converted;
}

ChunkLevels::ChunkLevels(std::vector<ByteLevels> levels, const ArrayView& array, std::size_t first, Missing missing)
    : bytes_(std::move(levels)) {
  typed_.resize(bytes_.size());
  for (std::size_t j = 0; j < bytes_.size(); ++j) {
    if (bytes_[j].has_other()) {
      typed_[j] = find_typed_levels(array, first + j, missing);
      shapes_.push_back(typed_[j]->shape());
      continue;
    }
    if (bytes_[j].has_nan() && missing == Missing::error) throw ColumnError(first + j, "has missing values");
    shapes_.push_back(bytes_[j].shape(missing));
  }
}

void ChunkLevels::look_up(std::size_t j, std::uint8_t* code_of) const {
  // A byte that was not there when levels were found, because another thread writes into the array, is given the first.
  std::fill_n(code_of, 256, shapes_[j].missing ? CodedTable::kNoCode : std::uint8_t{0});
  const std::size_t n_levels = shapes_[j].levels;
  bytes_[j].each([&](std::size_t level, std::uint8_t byte, double) {
    if (level < n_levels) code_of[byte] = static_cast<std::uint8_t>(level);
  });
}

void ChunkLevels::write_values(CodedTable& table, std::size_t first) const {
  for (std::size_t j = 0; j < bytes_.size(); ++j) {
    double* values = table.writable_values(first + j);
    const std::size_t n_levels = shapes_[j].levels;
    if (typed_[j]) {
      typed_[j]->write_values(values);
    } else {
      bytes_[j].each([&](std::size_t level, std::uint8_t, double number) {
        if (level < n_levels) values[level] = number;
      });
    }
  }
}

void ChunkLevels::store_typed(CodedTable& table, const ArrayView& array, std::size_t first) const {
  std::vector<std::uint8_t> codes;
  for (std::size_t j = 0; j < typed_.size(); ++j) {
    if (!typed_[j]) continue;
    codes.resize(array.n_rows);
    typed_[j]->code(array, first + j, table.layout(), codes.data());
    table.store_codes(first + j, codes.data());
  }
}

CodedTable build_from_dense(const ArrayView& array, BuildOptions options, Interrupt& interrupt) {
  CodedTable table(make_layout(array.n_rows, options), array.n_columns, std::move(options.weights));
  const DensePlan plan{array, options.missing, options.n_threads};
  const bool side_by_side = array.column_stride == static_cast<std::ptrdiff_t>(size_of(array.dtype));
  if (side_by_side && array.n_columns > 1) {
    pack_by_rows(table, plan, interrupt);
  } else {
    pack_by_columns(table, plan, interrupt);
  }
  table.finish();
  return table;
}

}  // namespace thresher
