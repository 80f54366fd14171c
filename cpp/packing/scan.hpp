// Facts of the columns of a raw table, from one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/array_view.hpp"
#include "core/interrupt.hpp"
#include "core/memory.hpp"
#include "packing/build.hpp"

namespace thresher {

struct ColumnScan {
  static constexpr std::int32_t kManyDistinct = 11;

  explicit ColumnScan(std::size_t n_columns);

  LargeVector<double> minimum;  // NaN left out; NaN if there is nothing else
  LargeVector<double> maximum;
  LargeVector<std::int64_t> n_missing;
  LargeVector<std::int64_t> n_infinite;
  std::vector<std::uint8_t> whole;       // every value that is not missing is a finite integer
  LargeVector<std::int32_t> n_distinct;  // of whole columns, NaN left out; 11 = more than ten, or not whole
};

ColumnScan scan_dense(const ArrayView& array, std::size_t n_threads, Interrupt& interrupt);
ColumnScan scan_sparse(const SparseView& array, std::size_t n_threads, Interrupt& interrupt);

}  // namespace thresher
