#include "counting/scan.hpp"

#include <cmath>
#include <limits>
#include <type_traits>

#include "core/parallel.hpp"

namespace thresher {
namespace {

constexpr std::size_t kTile = 64;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <class T>
bool is_whole(T value) {
  if constexpr (std::is_floating_point_v<T>) {
    return std::nearbyint(value) == value;
  } else {
    return true;
  }
}

// Everything known so far of one column.
template <class T>
struct ColumnState {
  double minimum = kInfinity;
  double maximum = -kInfinity;
  std::int64_t n_missing = 0;
  std::int64_t n_infinite = 0;
  bool whole = true;
  std::int32_t n_distinct = 0;
  T last{};
  T seen[10];

  void add(T value) {
    if (n_distinct > 0 && value == last && n_distinct < ColumnScan::kManyDistinct) return;
    if constexpr (std::is_floating_point_v<T>) {
      if (value != value) {
        ++n_missing;
        return;
      }
      if (std::isinf(value)) {
        ++n_infinite;
        whole = false;
      }
    }
    const auto number = static_cast<double>(value);
    minimum = number < minimum ? number : minimum;
    maximum = number > maximum ? number : maximum;
    if (n_distinct >= ColumnScan::kManyDistinct || !whole) {
      whole = whole && is_whole(value);
      return;
    }
    if (!is_whole(value)) {
      whole = false;
      return;
    }
    last = value;
    for (std::int32_t i = 0; i < n_distinct; ++i) {
      if (seen[i] == value) return;
    }
    if (n_distinct < 10) seen[n_distinct] = value;
    ++n_distinct;
  }
};

template <class T>
void store_state(const ColumnState<T>& state, std::size_t f, ColumnScan& scan) {
  const bool empty = state.minimum > state.maximum;
  scan.minimum[f] = empty ? std::numeric_limits<double>::quiet_NaN() : state.minimum;
  scan.maximum[f] = empty ? std::numeric_limits<double>::quiet_NaN() : state.maximum;
  scan.n_missing[f] = state.n_missing;
  scan.n_infinite[f] = state.n_infinite;
  scan.whole[f] = state.whole;
  scan.n_distinct[f] = state.whole ? state.n_distinct : ColumnScan::kManyDistinct;
}

template <class T>
void scan_tile(const ArrayView& array, std::size_t first, std::size_t last, ColumnScan& scan) {
  ColumnState<T> states[kTile];
  for (std::size_t row = 0; row < array.n_rows; ++row) {
    for (std::size_t f = first; f < last; ++f) states[f - first].add(*array.at<T>(row, f));
  }
  for (std::size_t f = first; f < last; ++f) store_state(states[f - first], f, scan);
}

}  // namespace

ColumnScan::ColumnScan(std::size_t n_columns)
    : minimum(n_columns), maximum(n_columns), n_missing(n_columns), n_infinite(n_columns), whole(n_columns), n_distinct(n_columns) {}

ColumnScan scan_dense(const ArrayView& array, std::size_t n_threads, Interrupt& interrupt) {
  ColumnScan scan(array.n_columns);
  interrupt.check();
  visit_dtype(array.dtype, [&](auto element) {
    using T = decltype(element);
    parallel_for(array.n_columns, kTile, n_threads,
                 [&](std::size_t first, std::size_t last) { scan_tile<T>(array, first, last, scan); });
  });
  return scan;
}

ColumnScan scan_sparse(const SparseView& array, std::size_t n_threads, Interrupt& interrupt) {
  ColumnScan scan(array.n_columns);
  interrupt.check();
  const std::size_t n_lines = array.by_columns ? array.n_columns : array.n_rows;
  visit_dtype(array.dtype, [&](auto element) {
    using T = decltype(element);
    const auto* values = static_cast<const T*>(array.values);
    const auto begin = [&](std::size_t line) { return sparse_index(array.indptr, array.wide_indptr, line); };
    if (array.by_columns) {
      parallel_for(array.n_columns, kTile, n_threads, [&](std::size_t first, std::size_t last) {
        for (std::size_t f = first; f < last; ++f) {
          ColumnState<T> state;
          if (begin(f + 1) - begin(f) < array.n_rows) state.add(T{0});
          for (std::size_t i = begin(f); i < begin(f + 1); ++i) state.add(values[i]);
          store_state(state, f, scan);
        }
      });
      return;
    }
    // By rows the entries of a column are scattered: one pass with the state of every column.
    std::vector<ColumnState<T>> states(array.n_columns);
    std::vector<std::size_t> n_stored(array.n_columns);
    for (std::size_t i = 0; i < begin(n_lines); ++i) {
      const std::size_t f = sparse_index(array.indices, array.wide_indices, i);
      states[f].add(values[i]);
      ++n_stored[f];
    }
    for (std::size_t f = 0; f < array.n_columns; ++f) {
      if (n_stored[f] < array.n_rows) states[f].add(T{0});
      store_state(states[f], f, scan);
    }
  });
  return scan;
}

}  // namespace thresher
