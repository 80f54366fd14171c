#include <algorithm>
#include <cstdint>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "core/parallel.hpp"
#include "packing/build.hpp"
#include "packing/compressed_columns.hpp"
#include "packing/levels.hpp"

namespace thresher {
namespace {

constexpr std::size_t kChunk = 64;

// Where rows go, as bits of planes and as bytes, and the words of a plane with every row set.
struct RowPositions {
  explicit RowPositions(const RowLayout& layout)
      : bit_of_row(layout.bit_of_row()), position_of_row(layout.n_rows()), all_rows(layout.n_words()) {
    for (std::size_t position = 0; position < layout.n_rows(); ++position) {
      position_of_row[layout.row_at(position)] = static_cast<std::uint32_t>(position);
    }
    for (std::size_t word = 0; word < layout.n_words(); ++word) {
      const std::size_t rows = layout.word_rows(word);
      all_rows[word] = rows == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rows) - 1;
    }
  }
  std::vector<std::uint32_t> bit_of_row;
  std::vector<std::uint32_t> position_of_row;
  std::vector<std::uint64_t> all_rows;
};

// Codes of the stored values of a column, of which most are what the one before was.
template <class T>
class StoredCodes {
 public:
  explicit StoredCodes(const Levels<T>& levels) : levels_(levels), zero_(levels.code(T{0})), code_(zero_) {}

  std::uint8_t zero() const { return zero_; }
  std::uint8_t operator()(T value) {
    if (value != value_) {  // NaN always is
      value_ = value;
      code_ = levels_.code(value);
    }
    return code_;
  }

 private:
  const Levels<T>& levels_;
  T value_{0};
  std::uint8_t zero_, code_;
};

// Sets the bits of one feature, which is a column of the array. Rows that are not stored have the level of zero.
template <class T>
void scatter_bits(CodedTable& table, std::size_t f, std::size_t column, const CompressedColumns<T>& columns,
                  const Levels<T>& levels, const RowPositions& positions) {
  const RowLayout& layout = table.layout();
  const std::size_t stride = layout.plane_stride();
  const std::size_t n_planes = table.feature(f).n_planes();
  std::uint64_t* data = table.writable_data(f);
  StoredCodes<T> code_of(levels);
  const std::size_t zero = code_of.zero();
  if (zero < n_planes && columns.size(column) < layout.n_rows()) {
    std::copy(positions.all_rows.begin(), positions.all_rows.end(), data + zero * stride);
  }
  for (std::size_t i = columns.begin(column); i < columns.end(column); ++i) {
    const std::uint32_t bit = positions.bit_of_row[columns.row(i)];
    const std::uint64_t mask = std::uint64_t{1} << (bit & 63);
    const std::size_t code = code_of(columns.value(i));
    if (zero < n_planes) data[zero * stride + (bit >> 6)] &= ~mask;
    if (code < n_planes) data[code * stride + (bit >> 6)] |= mask;
  }
}

template <class T>
void scatter_bytes(CodedTable& table, std::size_t f, std::size_t column, const CompressedColumns<T>& columns,
                   const Levels<T>& levels, const RowPositions& positions) {
  auto* bytes = reinterpret_cast<std::uint8_t*>(table.writable_data(f));
  StoredCodes<T> code_of(levels);
  std::fill_n(bytes, table.n_rows(), code_of.zero());
  for (std::size_t i = columns.begin(column); i < columns.end(column); ++i) {
    bytes[positions.position_of_row[columns.row(i)]] = code_of(columns.value(i));
  }
}

// The rows of a column that are off the level of zero, by position. If another thread writes to it, a column may name a
// row twice or one that is not there.
template <class T>
void list_rows(std::size_t column, const CompressedColumns<T>& columns, const Levels<T>& levels,
               const RowPositions& positions, std::vector<CodedTable::Listed>& rows) {
  rows.clear();
  StoredCodes<T> code_of(levels);
  for (std::size_t i = columns.begin(column); i < columns.end(column); ++i) {
    const std::uint8_t code = code_of(columns.value(i));
    const std::size_t row = columns.row(i);
    if (code != code_of.zero() && row < positions.position_of_row.size())
      rows.push_back({positions.position_of_row[row], code});
  }
  std::ranges::sort(rows, {}, &CodedTable::Listed::position);
  const auto same_position = [](const auto& a, const auto& b) { return a.position == b.position; };
  rows.erase(std::unique(rows.begin(), rows.end(), same_position), rows.end());
}

[[noreturn]] void throw_outside() {
  throw std::invalid_argument("X is not a valid sparse matrix: its indices must be inside its shape");
}

// How often an index is not above the one before it; throws if one is out of range.
template <class Index>
std::size_t count_falls(const Index* indices, std::size_t n, std::size_t n_across) {
  constexpr std::size_t kStretch = 4096;  // counted in the type of the indices, which takes the fewest instructions
  using Unsigned = std::make_unsigned_t<Index>;
  constexpr Unsigned kMost = std::numeric_limits<Index>::max();
  if (n > 0 && n_across == 0) throw_outside();
  const auto last_across = static_cast<Unsigned>(std::min<std::size_t>(n_across - 1, kMost));
  std::size_t falls = 0;
  for (std::size_t begin = 0; begin < n; begin += kStretch) {
    const std::size_t end = std::min(begin + kStretch, n);
    Unsigned outside = 0, fall = 0;  // above kMost: an index is negative, or larger than the last
    for (std::size_t i = begin; i < end; ++i) {
      const auto index = static_cast<Unsigned>(indices[i]);
      outside |= index | (last_across - index);
    }
    for (std::size_t i = std::max<std::size_t>(begin, 1); i < end; ++i) fall += indices[i] <= indices[i - 1] ? 1 : 0;
    if (outside > kMost) throw_outside();
    falls += fall;
  }
  return falls;
}

template <class Index>
bool has_twins(std::size_t begin, std::size_t end, Index index) {
  std::vector<std::size_t> all;
  for (std::size_t i = begin; i < end; ++i) all.push_back(index(i));
  std::ranges::sort(all);
  return std::ranges::adjacent_find(all) != all.end();
}

}  // namespace

bool check_indices(const SparseView& array) {
  const std::size_t n_lines = array.by_columns ? array.n_columns : array.n_rows;
  const std::size_t n_across = array.by_columns ? array.n_rows : array.n_columns;
  const auto start = [&](std::size_t line) { return sparse_index(array.indptr, array.wide_indptr, line); };
  std::size_t last = 0;
  for (std::size_t i = 0; i <= n_lines; ++i) {
    if (start(i) < last || start(i) > array.n_stored || (i == 0 && start(i) != 0)) {
      throw std::invalid_argument("X is not a valid sparse matrix: indptr must rise from 0 to the number of entries");
    }
    last = start(i);
  }
  std::size_t falls = array.wide_indices ? count_falls(static_cast<const std::int64_t*>(array.indices), last, n_across)
                                         : count_falls(static_cast<const std::int32_t*>(array.indices), last, n_across);
  // From one line to the next they may fall.
  const auto index = [&](std::size_t i) { return sparse_index(array.indices, array.wide_indices, i); };
  for (std::size_t line = 1; line < n_lines && falls > 0; ++line) {
    const std::size_t begin = start(line);
    if (begin > 0 && begin < start(line + 1) && index(begin) <= index(begin - 1)) --falls;
  }
  return falls == 0;
}

void check_sparse(const SparseView& array) {
  if (check_indices(array)) return;
  const std::size_t n_lines = array.by_columns ? array.n_columns : array.n_rows;
  for (std::size_t line = 0; line < n_lines; ++line) {
    const std::size_t begin = sparse_index(array.indptr, array.wide_indptr, line);
    const std::size_t end = sparse_index(array.indptr, array.wide_indptr, line + 1);
    // Those that do not rise may still be distinct.
    if (has_twins(begin, end, [&](std::size_t i) { return sparse_index(array.indices, array.wide_indices, i); })) {
      throw std::invalid_argument("sparse array: it has duplicate entries");
    }
  }
}

void pack_sparse(CodedTable& table, std::size_t first, const SparseView& array, Missing missing,
                 std::size_t dense_bytes, std::size_t n_threads, Interrupt& interrupt, Arena* data_arena) {
  const RowPositions positions(table.layout());
  const std::size_t column_bytes = table.is_weighted() ? array.n_rows : 8 * table.layout().plane_stride();
  const bool may_list = checked_product(table.n_features(), column_bytes) > dense_bytes;
  interrupt.check();
  visit_dtype(array.dtype, [&](auto element) {
    using T = decltype(element);
    const CompressedColumns<T> columns(array);
    parallel_for(array.n_columns, kChunk, n_threads, [&](std::size_t begin, std::size_t end) {
      std::vector<Levels<T>> levels;
      std::vector<CodedTable::Shape> shapes;
      std::vector<std::vector<CodedTable::Listed>> lists(may_list ? end - begin : 0);
      for (std::size_t column = begin; column < end; ++column) {
        levels.emplace_back(first + column, missing);
        const std::size_t n_stored = columns.size(column);
        if (n_stored > array.n_rows) throw std::invalid_argument("sparse array: it has duplicate entries");
        if (n_stored < array.n_rows) levels.back().add(T{0});
        for (std::size_t i = columns.begin(column); i < columns.end(column); ++i) {
          const T value = columns.value(i);
          if (i == columns.begin(column) || value != columns.value(i - 1)) levels.back().add(value);
        }
        shapes.push_back(levels.back().shape());
        if (!may_list || n_stored == array.n_rows) continue;
        list_rows(column, columns, levels.back(), positions, lists[column - begin]);
        shapes.back().n_listed = static_cast<std::uint32_t>(lists[column - begin].size());
        shapes.back().rest = levels.back().code(T{0});
      }
      table.allocate(first + begin, shapes, true, data_arena);
      for (std::size_t column = begin; column < end; ++column) {
        const std::size_t f = first + column;
        const Levels<T>& own = levels[column - begin];
        if (table.feature(f).listed) {
          table.store_list(f, lists[column - begin]);
        } else if (table.feature(f).packed) {
          scatter_bits(table, f, column, columns, own, positions);
          table.count_levels(f);
        } else {
          scatter_bytes(table, f, column, columns, own, positions);
          table.count_levels(f);
        }
        own.write_values(table.writable_values(f));
      }
    });
  });
}

CodedTable build_from_sparse(const SparseView& array, BuildOptions options, Interrupt& interrupt) {
  CodedTable table(make_layout(array.n_rows, options), array.n_columns, std::move(options.weights));
  pack_sparse(table, 0, array, options.missing, options.dense_bytes, options.n_threads, interrupt);
  table.finish();
  return table;
}

}  // namespace thresher
