// Measures from the raw rows, one pair and one replicate at a time: means first, then sums about them.
//
// The slow and careful way. It serves pairs with missing values, replicates whose variance sits almost wholly in the
// rows left out, and columns so large or small that squares leave the range of a double.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/numeric_matrix.hpp"
#include "moments/segment_layout.hpp"

namespace thresher {

// The rows of the replicate where neither value is NaN. Absolute, rounded.
double two_pass_correlation(NumericColumn x, NumericColumn y, bool centred, const SegmentLayout& layout,
                            std::size_t replicate);

// One-way F over the rows of the replicate where x is not NaN; classes are in the layout's order. Rounded.
double two_pass_f(NumericColumn x, const std::int32_t* classes, std::size_t n_classes, const SegmentLayout& layout,
                  std::size_t replicate);

// F from the sums of squares between and within the classes, rounded; n is a sum of weights.
double f_from_scatter(double between, double within, double n, std::size_t n_classes);

}  // namespace thresher
