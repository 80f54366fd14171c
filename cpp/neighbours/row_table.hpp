// Rows as neighbour searches see them: numeric features with a scale, nominal features, features with missing values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/column_views.hpp"

namespace thresher {

// A feature some of whose values are missing. The difference of an unknown value to another one is what is expected
// of it: one minus the probability of the other's level in the class of the row with the unknown.
struct MissingFeature {
  std::size_t feature = 0;
  std::size_t n_classes = 0;
  std::vector<std::int32_t> levels;  // -1: missing
  std::vector<double> unlike;        // [class][level]: 1 - P(level | class)
  std::vector<double> both;          // [class][class]: both unknown

  std::size_t n_levels() const { return n_classes == 0 ? 0 : unlike.size() / n_classes; }
};

// The differences of rows. diff(a, b) of a numeric feature is |x_a - x_b| / scale (0 if the scale is 0), of a nominal
// one 0 or 1.
template <class T>
struct RowTable {
  DenseColumns<T> columns;
  std::span<const std::int32_t> classes;  // empty: one group of rows
  std::size_t n_classes = 1;
  std::vector<std::uint32_t> numeric;  // complete features that vary
  std::vector<std::uint32_t> nominal;
  std::vector<MissingFeature> missing;
  std::vector<double> offset;  // by feature: minimum or mean, taken off before values are made single
  std::vector<double> scale;   // by feature; negative for a nominal one

  std::int32_t class_of(std::size_t row) const { return classes.empty() ? 0 : classes[row]; }
  double missing_diff(const MissingFeature& feature, std::size_t a, std::size_t b) const;
};

// Every feature scaled by its range. `nominal_flags` has one entry per feature; NaN are missing values.
template <class T>
RowTable<T> scaled_by_range(const DenseColumns<T>& columns, std::span<const std::uint8_t> nominal_flags,
                            std::span<const std::int32_t> classes, std::size_t n_classes, std::size_t n_threads);

// Numeric features as they are: the scale is 1.
template <class T>
RowTable<T> unscaled(const DenseColumns<T>& columns, std::size_t n_threads);

}  // namespace thresher
