// Measures from the raw rows in double-double, one pair and one replicate at a time.
//
// The slow way that settles what the fast ways leave open. It also serves pairs with missing values, replicates whose
// variance sits almost wholly in the rows left out, and columns so large or small that squares leave the range of a
// double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "core/numeric_matrix.hpp"
#include "measures/numeric_sums.hpp"
#include "moments/numeric_table.hpp"

namespace thresher {

// Over the rows of the replicate where neither value is NaN.
PairSums pair_sums(NumericColumn x, NumericColumn y, const SegmentLayout& layout, std::size_t replicate);

// Over the rows of the replicate where x is not NaN; classes are in the layout's order.
ClassSums class_sums(NumericColumn x, const std::int32_t* classes, std::size_t n_classes, const SegmentLayout& layout,
                     std::size_t replicate);

// Values of pairs of features of a table without missing values. What they need of single columns is read when first
// needed, and kept.
class ExactFallback {
 public:
  explicit ExactFallback(const NumericTable& table)
      : table_(table), is_read_(table.n_features()), sums_(table.n_features()) {}
  ExactFallback(const ExactFallback&) = delete;
  ExactFallback& operator=(const ExactFallback&) = delete;

  // May be called from several threads.
  double value(NumericKind kind, std::uint32_t x, std::uint32_t y, std::size_t replicate);

 private:
  double centre(std::uint32_t feature) const;
  // Of every segment about the centre; null for columns whose squares overflow or underflow.
  const ClassSum* sums(std::uint32_t feature);

  const NumericTable& table_;
  std::vector<std::once_flag> is_read_;
  std::vector<std::unique_ptr<ClassSum[]>> sums_;
};

}  // namespace thresher
