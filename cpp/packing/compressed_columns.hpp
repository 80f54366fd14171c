// Compressed columns of a sparse array: the input itself, or compressed rows turned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/memory.hpp"
#include "packing/build.hpp"

namespace thresher {

template <class T>
class CompressedColumns {
 public:
  explicit CompressedColumns(const SparseView& array) : view_(array) {
    begin_.assign(array.n_columns + 1, 0);
    if (array.by_columns) {
      for (std::size_t f = 0; f <= array.n_columns; ++f) begin_[f] = sparse_index(array.indptr, array.wide_indptr, f);
      return;
    }
    const std::size_t n_stored = sparse_index(array.indptr, array.wide_indptr, array.n_rows);
    for (std::size_t i = 0; i < n_stored; ++i) ++begin_[sparse_index(array.indices, array.wide_indices, i) + 1];
    for (std::size_t f = 0; f < array.n_columns; ++f) begin_[f + 1] += begin_[f];
    rows_.resize(n_stored);
    values_.resize(n_stored);
    std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
    for (std::size_t row = 0; row < array.n_rows; ++row) {
      const std::size_t end = sparse_index(array.indptr, array.wide_indptr, row + 1);
      for (std::size_t i = sparse_index(array.indptr, array.wide_indptr, row); i < end; ++i) {
        const std::size_t position = next[sparse_index(array.indices, array.wide_indices, i)]++;
        rows_[position] = static_cast<std::uint32_t>(row);
        values_[position] = static_cast<const T*>(array.values)[i];
      }
    }
  }

  std::size_t begin(std::size_t f) const { return begin_[f]; }
  std::size_t end(std::size_t f) const { return begin_[f + 1]; }
  std::size_t size(std::size_t f) const { return begin_[f + 1] - begin_[f]; }
  std::size_t row(std::size_t i) const {
    return view_.by_columns ? sparse_index(view_.indices, view_.wide_indices, i) : rows_[i];
  }
  T value(std::size_t i) const { return view_.by_columns ? static_cast<const T*>(view_.values)[i] : values_[i]; }

 private:
  const SparseView& view_;
  std::vector<std::size_t> begin_;
  UninitialisedVector<std::uint32_t> rows_;
  UninitialisedVector<T> values_;
};

}  // namespace thresher
