#include "core/order_statistics.hpp"

#include <algorithm>
#include <limits>

namespace thresher {
namespace {

constexpr std::size_t kSmall = 24;
constexpr int kMaxRounds = 40;
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();

double median_of_three(double a, double b, double c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }

double choose_pivot(std::span<const double> values) {
  const std::size_t n = values.size();
  if (n < 128) return median_of_three(values[n / 4], values[n / 2], values[n - 1 - n / 4]);
  const std::size_t step = n / 10;
  return median_of_three(median_of_three(values[step], values[2 * step], values[3 * step]),
                         median_of_three(values[4 * step], values[5 * step], values[6 * step]),
                         median_of_three(values[7 * step], values[8 * step], values[9 * step]));
}

// Values that satisfy `left` come first. Each value is written at both open ends and only one end moves, so that
// the processor has no branch to mispredict. Returns how many come first.
template <class Left>
std::size_t split(std::span<double> values, std::span<double> scratch, Left left) {
  std::size_t low = 0;
  std::size_t high = values.size();
  for (const double v : values) {
    scratch[low] = v;
    scratch[high - 1] = v;
    const bool goes_left = left(v);
    low += goes_left;
    high -= !goes_left;
  }
  std::copy_n(scratch.begin(), values.size(), values.begin());
  return low;
}

}  // namespace

double select_rank(std::span<double> values, std::span<double> scratch, std::size_t rank) {
  std::span<double> part = values;
  for (int round = 0; part.size() > kSmall; ++round) {
    if (round == kMaxRounds) break;
    const double pivot = choose_pivot(part);
    std::size_t below = split(part, scratch, [pivot](double v) { return v < pivot; });
    if (rank < below) {
      part = part.first(below);
      continue;
    }
    part = part.subspan(below);
    rank -= below;
    if (below == 0) {
      // The pivot is the minimum: set all its copies aside.
      below = split(part, scratch, [pivot](double v) { return v <= pivot; });
      if (rank < below) return pivot;
      part = part.subspan(below);
      rank -= below;
    }
  }
  std::nth_element(part.begin(), part.begin() + static_cast<std::ptrdiff_t>(rank), part.end(), is_before);
  return part[rank];
}

Neighbours select_with_next(std::span<double> values, std::span<double> scratch, std::size_t rank) {
  if (values.empty()) return {kNotANumber, kNotANumber};
  rank = std::min(rank, values.size() - 1);
  const double at = select_rank(values, scratch, rank);
  if (rank + 1 >= values.size()) return {at, at};
  return {at, *std::min_element(values.begin() + static_cast<std::ptrdiff_t>(rank) + 1, values.end())};
}

}  // namespace thresher
