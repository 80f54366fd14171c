#include "measures/numeric_values.hpp"

namespace thresher {
double sure_distance(std::span<const ClassPart<double>> classes, double units, double sum_error) {
  double distance = 0.0, reach = 0.0, spread = 0.0, doubt = 0.0;
  for (const ClassPart<double>& part : classes) {
    if (!(part.n > 0.0)) return kNaN;
    const double mean = part.sum / part.n;
    distance = mean - distance;
    reach += std::fabs(mean) * 3.0 * kUnit + sum_error / part.n;
    spread += part.squares / part.n - mean * mean;
    doubt += (units + 4.0) * kUnit * part.squares / part.n + 8.0 * kUnit * mean * mean +
             2.0 * std::fabs(mean) * sum_error / part.n;
  }
  distance = std::fabs(distance);
  if (!(distance > 1e3 * reach) || !(spread > 1e3 * doubt)) return kNaN;
  const double value = distance / std::sqrt(spread);
  const double relative = 1.01 * (reach / distance + doubt / spread) + 4.0 * kUnit;
  return round_if_sure(value, relative * value, [](double x) { return round_significant(x); });
}

}  // namespace thresher
