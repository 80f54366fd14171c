// Requests in, sums out: what a measure of numbers over many blocks of rows requests from each block.
//
// Sums are in double-double, about centres that all blocks share and from which differences are exact: 0, or a value
// within a factor of two of all values of the column. Sums of blocks add up to those of all rows.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/double_double.hpp"
#include "core/pair_request.hpp"
#include "moments/exact_kernels.hpp"
#include "moments/numeric_table.hpp"

namespace thresher {

// Of one part of a table without missing values: rows, sum and sum of squares of a column; sum of products of two.
ClassSum segment_sums(const NumericTable& table, std::uint32_t feature, std::size_t segment, double centre);
DoubleDouble segment_products(const NumericTable& table, std::uint32_t x, std::uint32_t y, std::size_t segment,
                              double centre_x, double centre_y);

// Of every column, part after part: rows, sum and sum of squares. Throws std::invalid_argument on values that are
// missing or infinite.
std::vector<ClassSum> column_sums(const NumericTable& block, std::span<const double> centres, std::size_t n_threads);

// Returns the sums of products of all pairs, part after part. Throws std::invalid_argument on features that do not
// exist.
std::vector<DoubleDouble> product_sums(const NumericTable& block, const PairRequest& request,
                                       std::span<const double> centres, std::size_t n_threads);

}  // namespace thresher
