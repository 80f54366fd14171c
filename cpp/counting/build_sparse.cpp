#include <algorithm>
#include <vector>

#include "core/parallel.hpp"
#include "counting/build.hpp"
#include "counting/levels.hpp"

namespace thresher {
namespace {

constexpr std::size_t kChunk = 64;

// Compressed columns: the input itself, or compressed rows turned.
template <class T>
struct Columns {
  std::vector<std::size_t> begin;
  std::vector<std::uint32_t> own_rows;
  std::vector<T> own_values;
  const SparseView* view = nullptr;  // set when the input is by columns

  std::size_t row(std::size_t i) const {
    return view != nullptr ? sparse_index(view->indices, view->wide_indices, i) : own_rows[i];
  }
  T value(std::size_t i) const { return view != nullptr ? static_cast<const T*>(view->values)[i] : own_values[i]; }
};

template <class T>
Columns<T> by_columns(const SparseView& array) {
  Columns<T> columns;
  const std::size_t n_lines = array.by_columns ? array.n_columns : array.n_rows;
  if (array.by_columns) {
    columns.view = &array;
    columns.begin.resize(n_lines + 1);
    for (std::size_t i = 0; i <= n_lines; ++i) columns.begin[i] = sparse_index(array.indptr, array.wide_indptr, i);
    return columns;
  }
  const std::size_t n_stored = sparse_index(array.indptr, array.wide_indptr, n_lines);
  columns.begin.assign(array.n_columns + 1, 0);
  for (std::size_t i = 0; i < n_stored; ++i) ++columns.begin[sparse_index(array.indices, array.wide_indices, i) + 1];
  for (std::size_t f = 0; f < array.n_columns; ++f) columns.begin[f + 1] += columns.begin[f];
  columns.own_rows.resize(n_stored);
  columns.own_values.resize(n_stored);
  std::vector<std::size_t> next(columns.begin.begin(), columns.begin.end() - 1);
  for (std::size_t row = 0; row < array.n_rows; ++row) {
    const std::size_t end = sparse_index(array.indptr, array.wide_indptr, row + 1);
    for (std::size_t i = sparse_index(array.indptr, array.wide_indptr, row); i < end; ++i) {
      const std::size_t place = next[sparse_index(array.indices, array.wide_indices, i)]++;
      columns.own_rows[place] = static_cast<std::uint32_t>(row);
      columns.own_values[place] = static_cast<const T*>(array.values)[i];
    }
  }
  return columns;
}

// Sets the bits of one feature. Rows that are not stored have the level of zero.
template <class T>
void scatter_bits(CodedTable& table, std::size_t f, const Columns<T>& columns, const Levels<T>& levels,
                  const std::vector<std::uint32_t>& bit_of_row) {
  const RowLayout& layout = table.layout();
  const std::size_t stride = layout.plane_stride();
  const std::size_t n_planes = table.feature(f).n_planes();
  std::uint64_t* data = table.writable_data(f);
  const std::size_t zero = levels.code(T{0});
  if (zero < n_planes && columns.begin[f + 1] - columns.begin[f] < layout.n_rows()) {
    std::uint64_t* plane = data + zero * stride;
    for (std::size_t word = 0; word < layout.n_words(); ++word) {
      const std::size_t rows = layout.word_rows(word);
      plane[word] = rows == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << rows) - 1;
    }
  }
  for (std::size_t i = columns.begin[f]; i < columns.begin[f + 1]; ++i) {
    const std::uint32_t bit = bit_of_row[columns.row(i)];
    const std::uint64_t mask = std::uint64_t{1} << (bit & 63);
    const std::size_t code = levels.code(columns.value(i));
    if (zero < n_planes) data[zero * stride + (bit >> 6)] &= ~mask;
    if (code < n_planes) data[code * stride + (bit >> 6)] |= mask;
  }
}

template <class T>
void scatter_bytes(CodedTable& table, std::size_t f, const Columns<T>& columns, const Levels<T>& levels,
                   const std::vector<std::uint32_t>& place_of_row) {
  auto* bytes = reinterpret_cast<std::uint8_t*>(table.writable_data(f));
  std::fill_n(bytes, table.n_rows(), levels.code(T{0}));
  for (std::size_t i = columns.begin[f]; i < columns.begin[f + 1]; ++i) {
    bytes[place_of_row[columns.row(i)]] = levels.code(columns.value(i));
  }
}

}  // namespace

std::size_t sparse_index(const void* data, bool wide, std::size_t i) {
  return wide ? static_cast<std::size_t>(static_cast<const std::int64_t*>(data)[i])
              : static_cast<std::size_t>(static_cast<const std::int32_t*>(data)[i]);
}

void check_sparse(const SparseView& array) {
  const std::size_t n_lines = array.by_columns ? array.n_columns : array.n_rows;
  const std::size_t n_across = array.by_columns ? array.n_rows : array.n_columns;
  std::size_t last = 0;
  for (std::size_t i = 0; i <= n_lines; ++i) {
    const std::size_t next = sparse_index(array.indptr, array.wide_indptr, i);
    if (next < last || next > array.n_stored) throw std::invalid_argument("sparse array: indptr must rise from 0 to the number of entries");
    last = next;
  }
  for (std::size_t i = 0; i < last; ++i) {
    if (sparse_index(array.indices, array.wide_indices, i) >= n_across) throw std::invalid_argument("sparse array: index out of range");
  }
}

CodedTable build_from_sparse(const SparseView& array, BuildOptions options, Interrupt& interrupt) {
  CodedTable table(make_layout(array.n_rows, options), array.n_columns, std::move(options.weights));
  table.reserve_chunks((array.n_columns + kChunk - 1) / kChunk);
  const RowLayout& layout = table.layout();
  const std::vector<std::uint32_t> bit_of_row = layout.bit_of_row();
  std::vector<std::uint32_t> place_of_row(array.n_rows);
  for (std::size_t place = 0; place < array.n_rows; ++place) {
    place_of_row[layout.row_at(place)] = static_cast<std::uint32_t>(place);
  }
  interrupt.check();
  visit_dtype(array.dtype, [&](auto element) {
    using T = decltype(element);
    const Columns<T> columns = by_columns<T>(array);
    parallel_for(array.n_columns, kChunk, options.n_threads, [&](std::size_t first, std::size_t last) {
      std::vector<Levels<T>> levels;
      std::vector<CodedTable::Shape> shapes;
      for (std::size_t f = first; f < last; ++f) {
        levels.emplace_back(f, options.missing);
        const std::size_t begin = columns.begin[f];
        const std::size_t end = columns.begin[f + 1];
        if (end - begin > array.n_rows) throw std::invalid_argument("sparse array: it has duplicate entries");
        if (end - begin < array.n_rows) levels.back().add(T{0});
        for (std::size_t i = begin; i < end; ++i) levels.back().add(columns.value(i));
        shapes.push_back(levels.back().shape());
      }
      table.allocate(first, shapes, first / kChunk);
      for (std::size_t f = first; f < last; ++f) {
        if (table.feature(f).packed) {
          scatter_bits(table, f, columns, levels[f - first], bit_of_row);
        } else {
          scatter_bytes(table, f, columns, levels[f - first], place_of_row);
        }
        table.count_levels(f);
        levels[f - first].write_values(table.writable_values(f));
      }
    });
  });
  table.finish();
  return table;
}

}  // namespace thresher
