// Separation of classes by one feature: Fisher's score and the two-class Fisher ratio.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/column_views.hpp"

namespace thresher {

enum class Separation {
  fisher,  // sum_c n_c (mu_c - mu)^2 / sum_c n_c v_c
  ratio,   // |mu_0 - mu_1| / sqrt(v_0 + v_1), two classes
};

struct SeparationOptions {
  Separation measure = Separation::fisher;
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

// One value per feature, rounded to 40 significant bits: 0 for a constant feature, +inf where every class is constant
// but not all at the same value. Dense features give the same bits by columns and by rows.
template <class T>
std::vector<double> separations(const DenseColumns<T>& columns, const SeparationOptions& options);
template <class T>
std::vector<double> separations(const SparseColumns<T>& columns, const SeparationOptions& options);

// Reads each value from memory once: blocks of rows that stay in the cache are averaged, then squared about their own
// means, and added to the moments of the rows before. NaN where a feature has a value that is not finite.
template <class T>
std::vector<double> separations(const RowMatrix<T>& matrix, const SeparationOptions& options);

}  // namespace thresher
