// Forward selection by relevance, redundancy and complementarity (RRCT), and by Gram-Schmidt orthogonalisation (GSO).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "partial/columns.hpp"

namespace thresher {

struct ForwardTask {
  std::span<const double> target;             // one or several columns of n_rows values each
  std::span<const std::uint32_t> candidates;  // in increasing order; none of `kept`
  std::span<const std::uint32_t> kept;        // selected first, in this order
  std::size_t n_wanted = 0;                   // kept ones included
};

struct RrctOptions {
  bool information = true;  // -1/2 ln(1 - r^2) of each correlation; otherwise its magnitude
  bool complementarity = true;
  bool magnitude_rule = false;    // sign of |rp| - |r| instead of sign(rp) sign(rp - r)
  double redundancy_scale = 1.0;  // divides the mean redundancy
};

// One entry per step in the first block, one per feature (nan for features never followed) in the second.
struct ForwardResult {
  std::vector<std::uint32_t> selected;
  std::vector<double> score;
  std::vector<double> relevance;
  std::vector<double> redundancy;
  std::vector<double> complementarity;

  std::vector<double> feature_relevance;
  std::vector<double> feature_redundancy;    // mean over the selected set when last looked at
  std::vector<double> feature_score;         // when last looked at
  std::vector<double> largest_redundancy;    // largest single term met
  std::vector<std::int32_t> most_redundant;  // and with which feature; -1 if none was met
  std::vector<std::uint8_t> collinear;

  std::size_t n_evaluations = 0;
  // Number of features selected when the target was found to be used up; none if it never was.
  std::optional<std::size_t> exhausted_at;
};

// RRCT: relevance and complementarity from `ranks`, redundancy from `values` (the same object for Spearman's).
//
// Among candidates within 1e-10 max(1, |best|) of the best score the lowest index is taken. A candidate collinear with
// the selected ones waits until no other is left. Once the target is used up, complementarity is left out.
ForwardResult rrct_forward(const CentredColumns& ranks, const CentredColumns& values, const ForwardTask& task,
                           const RrctOptions& options, Interrupt& interrupt);

// GSO: the largest squared partial correlation with the target given the selected ones. Stops when the target is used
// up or every candidate is collinear. Redundancy and complementarity stay empty.
ForwardResult gso_forward(const CentredColumns& columns, const ForwardTask& task, Interrupt& interrupt);

}  // namespace thresher
