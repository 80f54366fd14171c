// Contingency tables of listed columns, from the rows that are listed and the margins.
#pragma once

#include <cstddef>
#include <cstdint>

#include "counting/pair_counter.hpp"
#include "packing/coded_table.hpp"

namespace thresher {

// Counts as count_cells does, where the feature or the reference (or both) is listed.
void count_listed(const CodedTable& table, const ReferenceColumn& reference, std::size_t f, std::uint32_t* cells);
void count_listed(const CodedTable& table, const ReferenceColumn& reference, std::size_t f, std::int64_t* cells);
void count_listed(const CodedTable& table, const ReferenceColumn& reference, std::size_t f, DoubleDouble* cells);

}  // namespace thresher
