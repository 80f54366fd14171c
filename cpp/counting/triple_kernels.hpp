// Sums of L over tables of one packed feature against several small columns at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.hpp"
#include "counting/count_kernels.hpp"

namespace thresher {

// One bit per row for each level ("lane") of a column, word after word: lane l of word w at words[w * n_lanes + l].
// The number of lanes is a multiple of four, of eight if no lane has kSmallCounts rows; lanes that no level uses are
// empty.
struct LaneBlock {
  const std::uint64_t* words;
  const std::uint64_t* counts;  // rows per lane
  std::size_t n_lanes;
  std::uint64_t largest;  // most rows in a lane
};

inline constexpr std::size_t kSmallCounts = 64;

// L of every count that can occur; and of those below kSmallCounts, filled up with zeros.
struct LogTables {
  const std::int64_t* logs;
  const std::int64_t* small_logs;
};

// Packed features without missing values: a plane of n_words per level but the last, planes a stride apart.
struct PlaneTable {
  const CodedFeature* features;
  std::size_t stride;
  std::size_t n_words;
};

struct TripleKernels {
  // sums[k] = sum of L over the cells of (level of the feature wanted[k]) x (lane). Rows that are in no lane do not
  // count.
  void (*sum_lanes)(PlaneTable table, const std::uint32_t* wanted, std::size_t n, LaneBlock lanes, LogTables tables,
                    std::int64_t* sums);
};

THRESHER_DECLARE_KERNELS(TripleKernels, triple_kernels)

}  // namespace thresher
