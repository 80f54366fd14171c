// Measures from the raw rows in double-double, one pair and one replicate at a time.
//
// The slow way that settles what the fast ways leave open. It also serves pairs with missing values, replicates whose
// variance sits almost wholly in the rows left out, and columns so large or small that squares leave the range of a
// double.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/numeric_matrix.hpp"
#include "measures/numeric_sums.hpp"
#include "moments/segment_layout.hpp"

namespace thresher {

// Over the rows of the replicate where neither value is NaN.
PairSums pair_sums(NumericColumn x, NumericColumn y, const SegmentLayout& layout, std::size_t replicate);

// Over the rows of the replicate where x is not NaN; classes are in the layout's order.
ClassSums class_sums(NumericColumn x, const std::int32_t* classes, std::size_t n_classes, const SegmentLayout& layout,
                     std::size_t replicate);

}  // namespace thresher
