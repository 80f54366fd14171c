#include "measures/numeric_values.hpp"

namespace thresher {
namespace {

// Distance of two means over the root of the sum of both variances.
double sure_distance(std::span<const ClassPart> classes, double units, double sum_error) {
  double distance = 0.0, reach = 0.0, spread = 0.0, doubt = 0.0;
  for (const ClassPart& part : classes) {
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

}  // namespace

std::optional<NumericKind> numeric_kind_named(std::string_view name) {
  if (name == "pearson") return NumericKind::pearson;
  if (name == "cosine") return NumericKind::cosine;
  if (name == "r2") return NumericKind::r2;
  if (name == "mici") return NumericKind::mici;
  if (name == "f") return NumericKind::f;
  return std::nullopt;
}

std::optional<ClassKind> class_kind_named(std::string_view name) {
  if (name == "f") return ClassKind::f;
  if (name == "r2") return ClassKind::r2;
  if (name == "fisher") return ClassKind::fisher;
  if (name == "fir") return ClassKind::fir;
  return std::nullopt;
}

double sure_class_value(ClassKind kind, std::span<const ClassPart> classes, double squares, double units,
                        double sum_error) {
  if (kind == ClassKind::fir) return sure_distance(classes, units, sum_error);
  double n = 0.0, sum = 0.0, explained = 0.0, doubt = 0.0;
  std::size_t present = 0;
  for (const ClassPart& part : classes) {
    if (!(part.n > 0.0)) continue;
    ++present;
    n += part.n;
    sum += part.sum;
    explained += part.sum * (part.sum / part.n);
    doubt += (2.0 * std::fabs(part.sum) + sum_error) * (sum_error / part.n);
  }
  const double shift = sum * (sum / n);
  const double roundings = static_cast<double>(present) + 6.0;
  doubt += roundings * kUnit * (explained + shift);
  const Scatter<double> scatter{explained - shift, squares - explained, n, present};
  const double doubt_within = doubt + (units + 2.0) * kUnit * squares;
  // Far from the limits at which a formula changes.
  if (!(scatter.between > 1e3 * doubt) || !(scatter.within > 1e3 * doubt_within)) return kNaN;
  if (!(scatter.between < 0.5 * kLargestRatio * scatter.within)) return kNaN;
  const double value = scatter_formula(kind, scatter);
  double relative = 1.01 * (doubt / scatter.between + doubt_within / scatter.within) + 8.0 * kUnit;
  if (kind == ClassKind::f) relative += roundings * kUnit * n / (n - static_cast<double>(present));
  return round_if_sure(value, std::fabs(relative * value), [&](double x) { return rounded(kind, x); });
}

}  // namespace thresher
