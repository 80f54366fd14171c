// Separation of classes by features of dense data, all rows counting once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/column_views.hpp"
#include "measures/numeric_values.hpp"

namespace thresher {

struct SeparationOptions {
  ClassKind kind = ClassKind::fisher;
  std::span<const std::int32_t> classes;  // codes 0..n_classes-1, one per row
  std::size_t n_classes = 2;
  std::size_t n_threads = 1;
};

// Rows of a C-ordered matrix: value (row r, feature f) is data[r * stride + f].
template <class T>
struct RowMatrix {
  const T* data = nullptr;
  std::size_t stride = 0;
  std::size_t n_rows = 0;
  std::size_t n_features = 0;
};

// One value per feature: 0 for a constant feature, NaN where a value is not finite; fisher and fir: +inf where every
// class is constant but not all at the same value. Reads each value from memory once, but for those of the few features
// whose rounding that leaves open.
template <class T>
std::vector<double> separations(const RowMatrix<T>& matrix, const SeparationOptions& options);
template <class T>
std::vector<double> separations(const DenseColumns<T>& columns, const SeparationOptions& options);

}  // namespace thresher
