#include <algorithm>
#include <vector>

#include "core/parallel.hpp"
#include "packing/build.hpp"

namespace thresher {
namespace {

constexpr std::size_t kChunk = 64;

CodedTable::Shape check_codes(const std::uint8_t* codes, std::size_t n_rows, std::size_t f, std::int32_t levels,
                              int missing_code) {
  if (levels < 0 || levels > static_cast<std::int32_t>(CodedTable::kMaxLevels)) {
    throw TooManyLevels(f);
  }
  bool missing = false;
  int largest = -1;
  if (missing_code >= 0) {
    const auto mark = static_cast<std::uint8_t>(missing_code);
    for (std::size_t row = 0; row < n_rows; ++row) {
      const int code = codes[row] == mark ? -1 : codes[row];
      missing |= codes[row] == mark;
      largest = code > largest ? code : largest;
    }
  } else {
    std::uint8_t top = 0;
    for (std::size_t row = 0; row < n_rows; ++row) top = std::max(top, codes[row]);
    largest = n_rows > 0 ? top : -1;
  }
  if (largest >= levels) throw ColumnError(f, "has a code that is not below its number of levels");
  if (missing && levels > 255) throw TooManyLevels(f);
  return {static_cast<std::uint16_t>(levels), missing};
}

}  // namespace

void pack_codes(CodedTable& table, std::size_t first, const std::uint8_t* codes, std::span<const std::int32_t> levels,
                int missing_code, std::size_t n_threads, Interrupt& interrupt, Arena* data_arena) {
  const RowLayout& layout = table.layout();
  const std::size_t n_rows = table.n_rows();
  interrupt.check();
  parallel_for(levels.size(), kChunk, n_threads, [&](std::size_t begin, std::size_t end) {
    std::vector<CodedTable::Shape> shapes;
    for (std::size_t i = begin; i < end; ++i) {
      shapes.push_back(check_codes(codes + i * n_rows, n_rows, first + i, levels[i], missing_code));
    }
    table.allocate(first + begin, shapes, false, data_arena);
    const bool as_given = layout.in_order() && (missing_code < 0 || missing_code == CodedTable::kNoCode);
    std::vector<std::uint8_t> arranged(as_given ? 0 : n_rows);
    for (std::size_t i = begin; i < end; ++i) {
      const std::uint8_t* column = codes + i * n_rows;
      for (std::size_t position = 0; position < arranged.size(); ++position) {
        const std::uint8_t code = column[layout.row_at(position)];
        arranged[position] = code == missing_code ? CodedTable::kNoCode : code;
      }
      table.store_codes(first + i, as_given ? column : arranged.data());
      for (std::int32_t level = 0; level < levels[i]; ++level) table.writable_values(first + i)[level] = level;
    }
  });
}

CodedTable build_from_codes(const std::uint8_t* codes, std::span<const std::int32_t> levels, std::size_t n_rows,
                            int missing_code, BuildOptions options, Interrupt& interrupt) {
  CodedTable table(make_layout(n_rows, options), levels.size(), std::move(options.weights));
  pack_codes(table, 0, codes, levels, missing_code, options.n_threads, interrupt);
  table.finish();
  return table;
}

}  // namespace thresher
