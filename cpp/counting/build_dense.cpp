#include <vector>

#include "core/parallel.hpp"
#include "counting/build.hpp"
#include "counting/levels.hpp"

namespace thresher {
namespace {

// Features per piece of work and per allocation.
constexpr std::size_t kChunk = 64;

template <class T>
void code_column(CodedTable& table, const ArrayView& array, std::size_t f, const Levels<T>& levels,
                 std::vector<std::uint8_t>& codes) {
  const RowLayout& layout = table.layout();
  for (std::size_t place = 0; place < codes.size(); ++place) codes[place] = levels.code(*array.at<T>(layout.row_at(place), f));
  table.store_codes(f, codes.data());
  levels.write_values(table.writable_values(f));
}

template <class T>
void code_chunk(CodedTable& table, const ArrayView& array, std::size_t first, std::size_t last, Missing missing) {
  std::vector<Levels<T>> levels;
  std::vector<CodedTable::Shape> shapes;
  for (std::size_t f = first; f < last; ++f) {
    levels.emplace_back(f, missing);
    for (std::size_t row = 0; row < array.n_rows; ++row) levels.back().add(*array.at<T>(row, f));
    shapes.push_back(levels.back().shape());
  }
  table.allocate(first, shapes, first / kChunk);
  std::vector<std::uint8_t> codes(array.n_rows);
  for (std::size_t f = first; f < last; ++f) code_column(table, array, f, levels[f - first], codes);
}

}  // namespace

RowLayout make_layout(std::size_t n_rows, const BuildOptions& options) {
  if (options.parts.empty()) return RowLayout(n_rows);
  if (options.parts.size() != n_rows) throw std::invalid_argument("parts: one number per row is needed");
  return RowLayout(options.parts, options.n_parts);
}

CodedTable build_from_dense(const ArrayView& array, BuildOptions options, Interrupt& interrupt) {
  CodedTable table(make_layout(array.n_rows, options), array.n_columns, std::move(options.weights));
  table.reserve_chunks((array.n_columns + kChunk - 1) / kChunk);
  interrupt.check();
  visit_dtype(array.dtype, [&](auto element) {
    using T = decltype(element);
    parallel_for(array.n_columns, kChunk, options.n_threads, [&](std::size_t first, std::size_t last) {
      code_chunk<T>(table, array, first, last, options.missing);
    });
  });
  table.finish();
  return table;
}

CodedTable build_from_codes(const std::uint8_t* codes, std::span<const std::int32_t> levels, std::size_t n_rows,
                            int missing_code, BuildOptions options, Interrupt& interrupt) {
  CodedTable table(make_layout(n_rows, options), levels.size(), std::move(options.weights));
  table.reserve_chunks((levels.size() + kChunk - 1) / kChunk);
  interrupt.check();
  parallel_for(levels.size(), kChunk, options.n_threads, [&](std::size_t first, std::size_t last) {
    std::vector<CodedTable::Shape> shapes;
    for (std::size_t f = first; f < last; ++f) {
      if (levels[f] < 0 || levels[f] > 256) throw ColumnError(f, "has more than 256 levels");
      const std::uint8_t* column = codes + f * n_rows;
      bool missing = false;
      int largest = -1;
      for (std::size_t row = 0; row < n_rows; ++row) {
        missing = missing || column[row] == missing_code;
        largest = column[row] != missing_code && column[row] > largest ? column[row] : largest;
      }
      if (largest >= levels[f]) throw ColumnError(f, "has a code that is not below its number of levels");
      if (missing && levels[f] > 255) throw ColumnError(f, "has more than 256 levels, missing values included");
      shapes.push_back({static_cast<std::uint16_t>(levels[f]), missing});
    }
    table.allocate(first, shapes, first / kChunk);
    std::vector<std::uint8_t> placed(n_rows);
    for (std::size_t f = first; f < last; ++f) {
      const std::uint8_t* column = codes + f * n_rows;
      const bool as_given = table.layout().in_order() && (missing_code < 0 || missing_code == CodedTable::kNoCode);
      if (!as_given) {
        for (std::size_t place = 0; place < n_rows; ++place) {
          const std::uint8_t code = column[table.layout().row_at(place)];
          placed[place] = code == missing_code ? CodedTable::kNoCode : code;
        }
      }
      table.store_codes(f, as_given ? column : placed.data());
      for (std::int32_t level = 0; level < levels[f]; ++level) table.writable_values(f)[level] = level;
    }
  });
  table.finish();
  return table;
}

}  // namespace thresher
