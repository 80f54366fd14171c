#include <algorithm>
#include <optional>

#include "core/parallel.hpp"
#include "packing/build_dense.hpp"
#include "packing/part_sorter.hpp"

namespace thresher {
namespace {

// Bytes of one column by row: the array's own memory where it already is that, else a copy in `buffer`.
const std::uint8_t* bytes_by_row(const ArrayView& array, std::size_t column, ByteKind kind, std::uint8_t* buffer) {
  if (array.row_stride == static_cast<std::ptrdiff_t>(size_of(array.dtype))) {
    const auto* first = array.at<std::uint8_t>(0, column);
    if (kind != ByteKind::converted) return first;
    THRESHER_DISPATCH(pack_kernels).to_bytes[static_cast<std::size_t>(array.dtype)](first, array.n_rows, buffer);
    return buffer;
  }
  visit_dtype(array.dtype, [&](auto element) {
    using T = decltype(element);
    for (std::size_t row = 0; row < array.n_rows; ++row) {
      const T value = *array.at<T>(row, column);
      buffer[row] = sizeof(T) == 1 ? static_cast<std::uint8_t>(value) : to_byte(value);
    }
  });
  return buffer;
}

// Bytes of some columns by position.
class ColumnBytes {
 public:
  // `order` is needed where rows have another order than positions.
  ColumnBytes(const ArrayView& array, const std::optional<PartSorter>& order, std::size_t first, std::size_t last)
      : bytes_(last - first), buffer_((last - first) * array.n_rows) {
    const ByteKind kind = byte_kind(array.dtype);
    for (std::size_t f = first; f < last; ++f) {
      bytes_[f - first] = bytes_by_row(array, f, kind, buffer_.data() + (f - first) * array.n_rows);
    }
    if (!order) return;
    sorted_ = AlignedArray<std::uint8_t>(bytes_.size() * array.n_rows);
    for (std::size_t j = 0; j < bytes_.size(); j += PartSorter::kColumns) {
      const std::uint8_t* from[PartSorter::kColumns];
      std::uint8_t* to[PartSorter::kColumns];
      for (std::size_t k = 0; k < PartSorter::kColumns; ++k) {
        const std::size_t column = j + k < bytes_.size() ? j + k : j;  // the first replaces missing ones
        from[k] = bytes_[column];
        to[k] = sorted_.data() + column * array.n_rows;
      }
      order->sort(from, to);
    }
    for (std::size_t j = 0; j < bytes_.size(); ++j) bytes_[j] = sorted_.data() + j * array.n_rows;
  }

  const std::uint8_t* operator[](std::size_t j) const { return bytes_[j]; }

 private:
  std::vector<const std::uint8_t*> bytes_;
  AlignedArray<std::uint8_t> buffer_;
  AlignedArray<std::uint8_t> sorted_;
};

ByteLevels scan_levels(const std::uint8_t* bytes, std::size_t n_rows, ByteKind kind) {
  std::uint8_t found[4];
  THRESHER_DISPATCH(pack_kernels).scan_column(bytes, n_rows, flip_of(kind), found);
  ByteLevels levels(kind, found[0], found[1], found[2] | static_cast<unsigned>(found[3]) << 8);
  if (!levels.is_exact()) {
    bool seen[256] = {};
    for (std::size_t i = 0; i < n_rows; ++i) seen[bytes[i]] = true;
    for (unsigned byte = 0; byte < 256; ++byte) {
      if (seen[byte]) levels.add(static_cast<std::uint8_t>(byte));
    }
    levels.finish();
  }
  return levels;
}

void store_column(CodedTable& table, std::size_t f, const std::uint8_t* bytes, const ChunkLevels& levels,
                  std::size_t j) {
  const RowLayout& layout = table.layout();
  const CodedFeature& feature = table.feature(f);
  if (feature.packed) {
    std::uint8_t values[CodedTable::kMaxPackedLevels + 1];
    levels.bytes(j).each([&](std::size_t level, std::uint8_t byte, double) { values[level] = byte; });
    for (std::size_t part = 0; part < layout.n_parts(); ++part) {
      THRESHER_DISPATCH(pack_kernels)
          .pack_column(bytes + layout.row_begin(part), layout.rows_in(part), values, feature.n_planes(),
                       layout.plane_stride(), table.writable_data(f) + layout.word_begin(part));
    }
  } else {
    std::uint8_t code_of[256];
    levels.look_up(j, code_of);
    auto* out = reinterpret_cast<std::uint8_t*>(table.writable_data(f));
    for (std::size_t position = 0; position < layout.n_rows(); ++position) out[position] = code_of[bytes[position]];
  }
  table.count_levels(f);
}

}  // namespace

void pack_by_columns(CodedTable& table, const DensePlan& plan, Interrupt& interrupt) {
  const ArrayView& array = plan.array;
  const ByteKind kind = byte_kind(array.dtype);
  std::optional<PartSorter> order;
  if (!table.layout().in_order()) order.emplace(table.layout());
  // Columns that are worked on together: their bytes stay near.
  const std::size_t fewest = order ? PartSorter::kColumns : 1;
  const std::size_t width = std::clamp<std::size_t>((std::size_t{1} << 19) / (array.n_rows + 1), fewest, 64);
  interrupt.check();
  parallel_for(array.n_columns, width, plan.n_threads, [&](std::size_t first, std::size_t last) {
    const ColumnBytes bytes(array, order, first, last);
    std::vector<ByteLevels> found;
    for (std::size_t f = first; f < last; ++f) found.push_back(scan_levels(bytes[f - first], array.n_rows, kind));
    const ChunkLevels levels(std::move(found), array, first, plan.missing);
    table.allocate(first, levels.shapes());
    levels.write_values(table, first);
    for (std::size_t f = first; f < last; ++f) {
      if (!levels.is_typed(f - first)) store_column(table, f, bytes[f - first], levels, f - first);
    }
    levels.store_typed(table, array, first);
  });
}

}  // namespace thresher
