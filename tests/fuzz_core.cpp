// libFuzzer: whatever bytes come in as arrays, the packers give a table or throw; dense and sparse give the same one.
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <numeric>
#include <optional>
#include <vector>

#include "core/array_view.hpp"
#include "core/interrupt.hpp"
#include "counting/pair_counter.hpp"
#include "packing/build.hpp"

namespace {

using namespace thresher;

// The input, taken apart from the front; zeros where it has ended.
class Bytes {
 public:
  Bytes(const std::uint8_t* data, std::size_t size) : data_(data), size_(size) {}
  std::size_t below(std::size_t n) { return byte() % std::max<std::size_t>(n, 1); }
  std::uint8_t byte() { return next_ < size_ ? data_[next_++] : std::uint8_t{0}; }
  template <class T>
  std::vector<T> values(std::size_t n) {
    std::vector<T> out(n, T{0});
    const std::size_t there = std::min(n * sizeof(T), size_ - next_);
    if (there > 0) std::memcpy(out.data(), data_ + next_, there);
    next_ += there;
    return out;
  }

 private:
  const std::uint8_t* data_;
  std::size_t size_;
  std::size_t next_ = 0;
};

void require(bool is_true) {
  if (!is_true) std::abort();
}

BuildOptions options_from(Bytes& bytes, std::size_t n_rows, std::vector<std::int32_t>& parts) {
  BuildOptions options;
  options.missing = std::array{Missing::error, Missing::category, Missing::pairwise}[bytes.below(3)];
  options.dense_bytes = bytes.below(2) == 0 ? 0 : kDenseBytes;
  const std::size_t kind = bytes.below(4);
  if (kind == 1) {
    for (std::size_t row = 0; row < n_rows; ++row) options.weights.whole.push_back(bytes.byte() - 3);
  } else if (kind == 2) {
    for (std::size_t row = 0; row < n_rows; ++row) options.weights.real.push_back(bytes.byte() / 7.0);
  }
  if (bytes.below(2) == 1) {
    const std::size_t n_parts = 1 + bytes.below(5);
    for (std::size_t row = 0; row < n_rows; ++row) parts.push_back(static_cast<std::int32_t>(bytes.below(n_parts)));
    options.parts = parts;
    options.sets = PartSets::all_but_one(n_parts);
  }
  return options;
}

// Every column is read and counted against the first; the counts must add up.
void use(const CodedTable& table) {
  std::vector<std::uint8_t> codes(table.n_rows());
  for (std::size_t f = 0; f < table.n_features(); ++f) {
    table.codes_of(f, codes.data());
    for (const std::uint8_t code : codes) {
      require(code < table.feature(f).levels || (table.feature(f).missing && code == CodedTable::kNoCode));
    }
    (void)table.is_constant(f);
  }
  if (table.n_features() == 0 || table.is_weighted()) return;
  const ReferenceColumn first(table, 0);
  CountScratch scratch;
  for (std::size_t f = 0; f < table.n_features(); ++f) {
    std::vector<std::uint32_t> cells(table.feature(f).levels * first.n_levels() * table.n_parts() + 1, 0);
    count_cells(table, first, f, scratch, cells.data());
    const std::size_t n = std::accumulate(cells.begin(), cells.end(), std::size_t{0});
    require(n <= table.n_rows() && (table.has_missing() || n == table.n_rows()));
  }
}

bool same(const CodedTable& a, const CodedTable& b) {
  std::vector<std::uint8_t> left(a.n_rows()), right(b.n_rows());
  for (std::size_t f = 0; f < a.n_features(); ++f) {
    a.codes_of(f, left.data());
    b.codes_of(f, right.data());
    if (a.feature(f).levels != b.feature(f).levels || left != right) return false;
  }
  return true;
}

template <class Build>
std::optional<CodedTable> attempt(Build build) {
  try {
    return build();
  } catch (const std::exception&) {
    return std::nullopt;
  }
}

// Pointers, indices and values chosen at random: most are rejected.
void pack_hostile(Bytes& bytes, std::size_t n_rows, std::size_t n_columns, const BuildOptions& options) {
  SparseView view;
  view.by_columns = bytes.below(2) == 0;
  const std::size_t n_lines = view.by_columns ? n_columns : n_rows;
  const std::size_t n_stored = bytes.below(64);
  const auto small = [&](std::size_t n, std::size_t most) {
    std::vector<std::int32_t> out(n);
    for (std::int32_t& value : out) value = static_cast<std::int32_t>(bytes.below(most + 2)) - 1;
    return out;
  };
  std::vector<std::int32_t> indptr = small(n_lines + 1, n_stored);
  if (bytes.below(2) == 0) std::ranges::sort(indptr);
  const std::vector<std::int32_t> indices = small(n_stored, std::max(n_rows, n_columns));
  const std::vector<float> values = bytes.values<float>(n_stored);
  view.indptr = indptr.data();
  view.indices = indices.data();
  view.values = values.data();
  view.dtype = DType::f32;
  view.n_stored = n_stored;
  view.n_rows = n_rows;
  view.n_columns = n_columns;
  NeverInterrupt never;
  const auto table = attempt([&] {
    check_sparse(view);
    return build_from_sparse(view, options, never);
  });
  if (table) use(*table);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(data, size);
  const std::size_t n_rows = bytes.below(256), n_columns = bytes.below(12);
  std::vector<std::int32_t> parts;
  const BuildOptions options = options_from(bytes, n_rows, parts);
  if (bytes.below(4) == 0) {
    pack_hostile(bytes, n_rows, n_columns, options);
    return 0;
  }
  // A dense array of few values, or of any; and the same array as compressed columns.
  std::vector<double> cells;
  if (bytes.below(2) == 0) {
    cells = bytes.values<double>(n_rows * n_columns);
  } else {
    for (std::size_t i = 0; i < n_rows * n_columns; ++i) cells.push_back(bytes.byte() % 5);
  }
  ArrayView dense;
  dense.data = cells.data();
  dense.dtype = DType::f64;
  dense.n_rows = n_rows;
  dense.n_columns = n_columns;
  dense.row_stride = static_cast<std::ptrdiff_t>(n_columns * sizeof(double));
  dense.column_stride = sizeof(double);
  std::vector<std::int64_t> indptr = {0};
  std::vector<std::int64_t> indices;
  std::vector<double> values;
  for (std::size_t f = 0; f < n_columns; ++f) {
    for (std::size_t row = 0; row < n_rows; ++row) {
      const double value = cells[row * n_columns + f];
      if (value == 0.0) continue;
      indices.push_back(static_cast<std::int64_t>(row));
      values.push_back(value);
    }
    indptr.push_back(static_cast<std::int64_t>(values.size()));
  }
  const SparseView thin = {indptr.data(), indices.data(), true,   true,      values.data(),
                           DType::f64,    values.size(),  n_rows, n_columns, true};
  NeverInterrupt never;
  const auto a = attempt([&] { return build_from_dense(dense, options, never); });
  const auto b = attempt([&] { return build_from_sparse(thin, options, never); });
  require(a.has_value() == b.has_value());
  if (!a) return 0;
  use(*a);
  use(*b);
  require(same(*a, *b));
  std::vector<std::int64_t> rows(bytes.below(64));
  for (std::int64_t& row : rows) row = static_cast<std::int64_t>(bytes.byte()) - 2;
  const auto some = attempt([&] { return take_rows(*a, rows, 1, never); });
  const auto others = attempt([&] { return take_rows(*b, rows, 1, never); });
  require(some.has_value() == others.has_value());
  if (some) require(same(*some, *others));
  return 0;
}
