// Requests in, counts out: what a measure over many blocks of rows requests from each block.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/pair_request.hpp"
#include "packing/coded_table.hpp"

namespace thresher {

// Returns how many counts determine the table of a pair in one part: the margins give the last row and the last column,
// unless a feature has missing values, for then they differ by pair.
inline std::size_t n_counts_needed(std::size_t levels, std::size_t other_levels, bool is_incomplete) {
  if (is_incomplete || levels == 0 || other_levels == 0) return levels * other_levels;
  return (levels - 1) * (other_levels - 1);
}

// Returns the counts of all pairs in a block, pair after pair and part after part: [level of the feature][level of the
// reference]. `incomplete`: one mark per feature that has missing values in any block. Throws std::invalid_argument on
// features that do not exist and on weights that are not whole.
std::vector<std::int64_t> count_request(const CodedTable& block, const PairRequest& request,
                                        std::span<const std::uint8_t> incomplete, std::size_t n_threads);

}  // namespace thresher
