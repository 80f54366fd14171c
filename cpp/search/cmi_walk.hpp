// The one-pass filter by conditional mutual information (Lee and Kim).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/xlogx.hpp"
#include "packing/coded_table.hpp"
#include "search/forward.hpp"

namespace thresher {

struct CmiOptions : ForwardOptions {
  const CodedTable* table = nullptr;
  std::span<const std::int32_t> classes;  // one per row, 0 .. n_classes - 1
  std::size_t n_classes = 0;
  // How often each row counts, on one replicate after the other; none: once, on one replicate.
  std::span<const std::int64_t> weights;
  const XLogX* xlogx = nullptr;       // made for at least as many rows as any replicate counts
  std::span<const double> relevance;  // one per feature: the list is in falling order, ties by index
  bool take_last = true;              // the last of the list is taken if it has any information

  std::size_t n_rows() const { return classes.size(); }
};

// Walks the list once and takes a feature if, given those taken, its information exceeds that of the next one by 1e-10
// bits.
//
// The score of a selected feature is its information on the class given the earlier ones (bits; the mean over
// replicates).
//
// Stops when the selected features settle every row's class on every replicate. Information comes from
// integer counts in fixed point, so the order of rows cannot matter. Time O(rows not yet settled) a value, in a table
// with lists O(rows listed); memory O(n) beyond the codes.
ForwardSearch cmi_walk(const CmiOptions& options);

}  // namespace thresher
