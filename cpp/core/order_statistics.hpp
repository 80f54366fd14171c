// Order statistics by selection.
#pragma once

#include <cstddef>
#include <span>

namespace thresher {

// Returns whether a comes before b, NaN after all numbers: an order also where a value turns out not to be a number.
inline bool is_before(double a, double b) { return a < b || (a == a && b != b); }

// Returns the rank-th smallest (0-based) of the values, which are reordered so that all before it are not larger and
// all after it not smaller. `scratch` has the size of `values`. Expected time O(n).
double select_rank(std::span<double> values, std::span<double> scratch, std::size_t rank);

// Values number rank and rank + 1 in order; the second is the first if there is none after it. Of a rank beyond the
// values, which those have that change between counting and copying, the last; of no values NaN.
struct Neighbours {
  double at;
  double next;
};
Neighbours select_with_next(std::span<double> values, std::span<double> scratch, std::size_t rank);

}  // namespace thresher
