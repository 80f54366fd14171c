// Average ranks as exact integers.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/interrupt.hpp"

namespace thresher {

// Doubled centred ranks, 2 less + equal - n, of every column of a feature-major table: integers that add up to zero.
// `less` and `equal` count the rows of smaller and of equal value. Rank must hold n_rows - 1.
// Time O(n log n) a column. NaN is not allowed.
template <class Value, class Rank>
void rank_columns(const Value* values, std::size_t n_features, std::size_t n_rows, Rank* ranks, std::size_t n_threads,
                  Interrupt& interrupt);

}  // namespace thresher
