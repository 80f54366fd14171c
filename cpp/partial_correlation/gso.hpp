// Forward selection by Gram-Schmidt orthogonalisation (GSO).
#pragma once

#include <span>

#include "core/interrupt.hpp"
#include "partial_correlation/centred_columns.hpp"
#include "partial_correlation/partial_search.hpp"
#include "search/forward.hpp"

namespace thresher {

// Selects by the largest squared partial correlation with the target, one or several columns, given the selected
// features. Stops when the target is used up or every candidate is collinear. Redundancies are 0.
//
// `replicates`: the table, or the same table under several weights of its rows. With several, scores are means over
// them; one whose target is used up, or on which the feature is collinear, counts with 0.
ForwardSearch gso_forward(std::span<const CentredColumns> replicates, std::span<const double> target,
                          const ForwardOptions& options, Interrupt& interrupt);

}  // namespace thresher
