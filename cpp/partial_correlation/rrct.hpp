// Forward selection by relevance, redundancy and complementarity (RRCT).
#pragma once

#include <span>

#include "core/interrupt.hpp"
#include "partial_correlation/centred_columns.hpp"
#include "partial_correlation/partial_search.hpp"
#include "search/forward.hpp"

namespace thresher {

struct RrctOptions : ForwardOptions {
  bool information = true;  // -1/2 ln(1 - r^2) of each correlation; otherwise its magnitude
  bool complementarity = true;
  bool magnitude_rule = false;    // sign of |rp| - |r| instead of sign(rp) sign(rp - r)
  double redundancy_scale = 1.0;  // divides the mean redundancy
};

// Relevance and complementarity from `ranks`, redundancy from `values` (the same object for Spearman's). `target`: one
// or several columns of n_rows values each.
//
// Among candidates within 1e-10 max(1, |best|) of the best score the lowest index is taken. A candidate collinear with
// the selected ones waits until no other is left. Once the target is used up, complementarity is left out.
// The record's terms are redundancies, not yet divided by their scale.
ForwardSearch rrct_forward(const CentredColumns& ranks, const CentredColumns& values, std::span<const double> target,
                           const RrctOptions& options, Interrupt& interrupt);

}  // namespace thresher
