// Sums in an order of addition that is the same for every instruction set, made by the compiler. Only for
// *.kernels.cpp.
#pragma once

#include <cstddef>

namespace thresher::THRESHER_LEVEL {
namespace {

// term(0) + ... + term(n - 1): sixteen running totals, row i going to total i mod 16, which are added pairwise.
template <class Term>
double lane_sum(std::size_t n, Term term) {
  constexpr std::size_t kTotals = 16;
  double totals[kTotals] = {};
  std::size_t row = 0;
  for (; row + kTotals <= n; row += kTotals) {
    for (std::size_t lane = 0; lane < kTotals; ++lane) totals[lane] += term(row + lane);
  }
  for (std::size_t lane = 0; row + lane < n; ++lane) totals[lane] += term(row + lane);
  for (std::size_t width = kTotals / 2; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane) totals[lane] += totals[lane + width];
  }
  return totals[0];
}

}  // namespace
}  // namespace thresher::THRESHER_LEVEL
