// From sums over rows to the values of measures of numbers, rounded.
//
// Each formula stands here once, for two kinds of numbers: double, where an error bound says whether the rounding is
// sure, and double-double, where it is.
#pragma once

#include <cmath>
#include <cstddef>
#include <limits>
#include <span>

#include "core/choices.hpp"
#include "core/double_double.hpp"
#include "core/rounding.hpp"

namespace thresher {

// Of two columns. mici: 1 - smaller eigenvalue of the covariance / smaller variance. f: of the linear regression.
// association: the adjusted r2.
enum class NumericKind { pearson, cosine, r2, mici, f, association };
// Of a column and classes. r2: the share of its scatter that lies between the classes. fisher: scatter between over
// scatter within. fir, two classes: distance of the means over the root of the sum of both variances. association: r2,
// corrected for chance (epsilon squared).
enum class ClassKind { f, r2, fisher, fir, association };

inline constexpr Choice<NumericKind> kNumericKinds[] = {
    {"pearson", NumericKind::pearson}, {"cosine", NumericKind::cosine}, {"r2", NumericKind::r2},
    {"mici", NumericKind::mici},       {"f", NumericKind::f},           {"association", NumericKind::association}};
inline constexpr Choice<ClassKind> kClassKinds[] = {{"f", ClassKind::f},
                                                    {"r2", ClassKind::r2},
                                                    {"fisher", ClassKind::fisher},
                                                    {"fir", ClassKind::fir},
                                                    {"association", ClassKind::association}};

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
// 2^-53: what one rounding may do to 1.
inline constexpr double kUnit = 0x1p-53;
// The same of each kind of number; of double-doubles, what an operation may be off by.
template <class Number>
inline constexpr double kRounding = kUnit;
template <>
inline constexpr double kRounding<DoubleDouble> = 0x1p-98;
// F is made of a ratio of sums of squares no larger than this. A ratio below kSmallestRatio is what rounding of the
// data leaves of nothing, and one above its inverse has nothing below.
inline constexpr double kLargestRatio = 1e12;
inline constexpr double kSmallestRatio = 1e-24;

inline double square_root(double value) { return std::sqrt(value); }

// Returns a squared correlation of a column with a space of that many dimensions, less what chance gives, as a share of
// what is left above it; 0 where rows are too few for that. Not yet clipped.
template <class Number>
Number above_chance(Number square, Number n, double dimensions) {
  const Number rest = n - Number{dimensions + 1.0};
  if (!(leading(rest) > 0.0)) return Number{0.0};
  return (square * (n - Number{1.0}) - Number{dimensions}) / rest;
}

// Returns the error of the same, from that of the square, where an operation is off by `unit`.
inline double above_chance_error(double error, double n, double dimensions, double unit) {
  const double rest = n - dimensions - 1.0;
  const double growth = (n - 1.0) / rest;
  return 1.01 * (error + 16.0 * unit) * growth + 256.0 * unit * n * dimensions / (rest * rest);
}

// Returns an absolute correlation, its square, and the smaller over the larger sum of squares.
template <class Number>
Number pair_formula(NumericKind kind, Number correlation, Number square, Number share, Number n) {
  const Number one{1.0};
  switch (kind) {
    case NumericKind::r2: return square;
    case NumericKind::mici: {
      const Number apart = one - share;
      const Number spread = square_root(apart * apart + Number{4.0} * share * square);
      return one - Number{2.0} * (one - square) / (one + share + spread);
    }
    case NumericKind::f: {
      const Number rest = one - square;
      if (!(leading(n) > 2.0) || !(leading(square) >= kSmallestRatio)) return Number{0.0};
      const bool capped = leading(square) >= kLargestRatio * leading(rest);
      return (n - Number{2.0}) * (capped ? Number{kLargestRatio} : square / rest);
    }
    case NumericKind::association: return above_chance(square, n, 1.0);
    case NumericKind::pearson:
    case NumericKind::cosine: break;
  }
  return correlation;
}

// Returns the value from an absolute correlation that is off by `error` at most; NaN if that does not settle its
// rounding.
inline double sure_pair_value(NumericKind kind, double correlation, double error, double share, double n) {
  const double square = correlation * correlation;
  const double value = pair_formula(kind, correlation, square, share, n);
  const auto bounded = [](double x) { return round_bounded(x); };
  switch (kind) {
    case NumericKind::r2: return round_if_sure(value, (2.0 * correlation + error) * error + kUnit, bounded);
    // A change of the correlation changes the value by less than four times that, one of the share by less than itself.
    case NumericKind::mici: return round_if_sure(value, 8.0 * error + 16.0 * kUnit, bounded);
    case NumericKind::f: {
      const double rest = 1.0 - square;
      if (!(correlation > 1e6 * error) || !(rest > 1e6 * error) || !(n > 2.0)) return kNaN;
      const double relative = 2.0 * error / correlation + 2.0 * correlation * error / rest + 64.0 * kUnit / rest;
      return round_if_sure(value, 1.01 * relative * value, [](double x) { return round_significant(x); });
    }
    case NumericKind::association: {
      if (!(n > 2.0)) return 0.0;
      const double of_square = (2.0 * correlation + error) * error + kUnit;
      return round_if_sure(value, above_chance_error(of_square, n, 1.0, kUnit), bounded);
    }
    case NumericKind::pearson:
    case NumericKind::cosine: break;
  }
  return round_if_sure(value, error, bounded);
}

template <class Number>
struct Scatter {
  Number between, within, n;
  std::size_t n_classes;  // that occur
};

// F, r2, the association and the Fisher score, before rounding.
template <class Number>
Number scatter_formula(ClassKind kind, const Scatter<Number>& scatter) {
  const double between = leading(scatter.between);
  const double within = leading(scatter.within);
  if (!(between > kSmallestRatio * within)) return Number{0.0};
  if (kind == ClassKind::r2) return scatter.between / (scatter.between + scatter.within);
  if (kind == ClassKind::fisher) {
    if (!(within > kSmallestRatio * between)) return Number{std::numeric_limits<double>::infinity()};
    return scatter.between / scatter.within;
  }
  if (kind == ClassKind::association) {
    const double dimensions = static_cast<double>(scatter.n_classes) - 1.0;
    return above_chance(scatter.between / (scatter.between + scatter.within), scatter.n, dimensions);
  }
  const Number classes{static_cast<double>(scatter.n_classes)};
  if (scatter.n_classes < 2 || !(leading(scatter.n) > leading(classes))) return Number{0.0};
  const bool capped = between >= kLargestRatio * within;
  const Number ratio = capped ? Number{kLargestRatio} : scatter.between / scatter.within;
  return (scatter.n - classes) / (classes - Number{1.0}) * ratio;
}

template <class Number>
double rounded(ClassKind kind, Number value) {
  return kind == ClassKind::r2 || kind == ClassKind::association ? round_bounded(value) : round_significant(value);
}

// A class of some column: rows, sum about a centre near the mean of the column, and sum of squares about it, which only
// `fir` needs.
template <class Number>
struct ClassPart {
  double n;
  Number sum;
  double squares;
};

// Returns the value from such sums; NaN if their errors do not settle its rounding. `squares` is off by `units`
// roundings of itself and each sum by `sum_error` at most, beyond the last place. Rows of a class are whole.
template <class Number>
double sure_class_value(ClassKind kind, std::span<const ClassPart<Number>> classes, Number squares, double units,
                        double sum_error) {
  constexpr double unit = kRounding<Number>;
  double n = 0.0, doubt = 0.0;
  Number sum{0.0}, explained{0.0};
  std::size_t present = 0;
  for (const ClassPart<Number>& part : classes) {
    if (!(part.n > 0.0)) continue;
    ++present;
    n += part.n;
    sum += part.sum;
    const Number mean = part.sum / Number{part.n};
    explained += part.sum * mean;
    doubt += (2.0 * std::fabs(leading(mean)) + sum_error) * sum_error;
  }
  const Number shift = sum * (sum / Number{n});
  const double roundings = static_cast<double>(present) + 6.0;
  doubt += roundings * unit * (leading(explained) + leading(shift));
  const Scatter<Number> scatter{explained - shift, squares - explained, Number{n}, present};
  const double between = leading(scatter.between), within = leading(scatter.within);
  const double doubt_within = doubt + (units + 2.0) * unit * leading(squares);
  // At a distance from the limits at which a formula changes.
  if (!(between > 1e3 * doubt) || !(within > 1e3 * doubt_within)) return kNaN;
  if (!(between < 0.5 * kLargestRatio * within)) return kNaN;
  const Number value = scatter_formula(kind, scatter);
  double relative = 1.01 * (doubt / between + doubt_within / within) + 8.0 * unit;
  if (kind == ClassKind::association) {
    const double dimensions = static_cast<double>(present) - 1.0;
    if (!(n > dimensions + 1.0)) return 0.0;
    const double error = above_chance_error(relative * (between / (between + within)), n, dimensions, unit);
    return round_if_sure(value, error, [&](Number x) { return rounded(kind, x); });
  }
  if (kind == ClassKind::f) relative += roundings * unit * n / (n - static_cast<double>(present));
  return round_if_sure(value, std::fabs(relative * leading(value)), [&](Number x) { return rounded(kind, x); });
}

// Returns the same for `fir`.
double sure_distance(std::span<const ClassPart<double>> classes, double units, double sum_error);

}  // namespace thresher
