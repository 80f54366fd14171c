// The one-pass filter by conditional mutual information (Lee and Kim).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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
  bool take_last = true;              // the last of the list is taken if it tells anything at all

  std::size_t n_rows() const { return classes.size(); }
};

// The score of a selected feature is what it told about the class given the earlier ones (bits; the mean over
// replicates).
struct CmiResult : Steps {
  // One entry per selected feature: what is unknown of the class after it, H(C|S) (bits; the mean), and the number of
  // blocks into which the selected features part the rows that any replicate counts.
  std::vector<double> unknown;
  std::vector<std::uint32_t> n_blocks;

  // One entry per feature of the list that was compared with its successor, in order: both values (bits).
  std::vector<std::uint32_t> examined;
  std::vector<double> value;
  std::vector<double> successor_value;

  std::size_t n_evaluations = 0;
  std::size_t n_walked = 0;  // features of the list looked at
};

// Walks the list once and takes a feature if, given those taken, it tells more than 1e-10 bits more than the next one.
//
// Stops when the selected features settle every row's class on every replicate. Information comes from
// integer counts in fixed point, so the order of rows cannot matter. Time O(rows not yet settled) a value, in a table
// with lists O(rows listed); memory O(n) beyond the codes.
ForwardSearch<CmiResult> cmi_walk(const CmiOptions& options);

}  // namespace thresher
