// Numeric tables as the rankings read them: one feature after the other, dense or compressed by columns.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace thresher {

// Feature f is data[f * n_rows .. (f + 1) * n_rows).
template <class T>
struct DenseColumns {
  const T* data = nullptr;
  std::size_t n_features = 0;
  std::size_t n_rows = 0;

  std::span<const T> column(std::size_t feature) const { return {data + feature * n_rows, n_rows}; }
};

// Compressed sparse columns. Stored zeros are allowed and count as zeros; a row occurs at most once per column.
template <class T>
struct SparseColumns {
  const T* values = nullptr;
  const std::int32_t* rows = nullptr;
  const std::int64_t* starts = nullptr;  // n_features + 1 entries
  std::size_t n_features = 0;
  std::size_t n_rows = 0;

  std::size_t begin(std::size_t feature) const { return static_cast<std::size_t>(starts[feature]); }
  std::size_t size(std::size_t feature) const {
    return static_cast<std::size_t>(starts[feature + 1] - starts[feature]);
  }
  std::span<const T> values_of(std::size_t feature) const { return {values + begin(feature), size(feature)}; }
  std::span<const std::int32_t> rows_of(std::size_t feature) const { return {rows + begin(feature), size(feature)}; }
};

}  // namespace thresher
