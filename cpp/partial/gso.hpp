// Forward selection by Gram-Schmidt orthogonalisation (GSO).
#pragma once

#include <span>

#include "core/interrupt.hpp"
#include "partial/columns.hpp"
#include "partial/partial_search.hpp"
#include "search/forward.hpp"

namespace thresher {

// The largest squared partial correlation with the target, one or several columns, given the selected features. Stops
// when the target is used up or every candidate is collinear. Redundancies are 0.
PartialResult gso_forward(const CentredColumns& columns, std::span<const double> target, const ForwardOptions& options,
                          Interrupt& interrupt);

}  // namespace thresher
