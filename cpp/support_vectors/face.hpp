// The optimum over the duals that are between their bounds, with all others held.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace thresher {

// Returns the step d of the rows `free` that maximises gradient'd - d'Kd / 2 with sum d = 0, K being the inner products
// of `kernel` among these rows. Where K is flat the step is long, in a direction that gains. O(|free|^3).
std::vector<double> step_to_optimum(std::span<const double> kernel, std::size_t n_rows,
                                    std::span<const std::size_t> free, std::span<const double> gradient);

}  // namespace thresher
