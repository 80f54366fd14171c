// From sums to the published value of a measure, with its one rounding.
#pragma once

#include <algorithm>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "core/choices.hpp"
#include "core/rounding.hpp"
#include "core/xlogx.hpp"

namespace thresher {

// association: chi2 / n, corrected for chance.
enum class DiscreteMeasure { mi, su, nmi, chi2, association };

inline constexpr Choice<DiscreteMeasure> kDiscreteMeasures[] = {{"mi", DiscreteMeasure::mi},
                                                                {"su", DiscreteMeasure::su},
                                                                {"nmi", DiscreteMeasure::nmi},
                                                                {"chi2", DiscreteMeasure::chi2},
                                                                {"association", DiscreteMeasure::association}};

// Returns whether it is made of logarithms of counts; the others are made of the cells.
inline bool is_information(DiscreteMeasure measure) {
  return measure != DiscreteMeasure::chi2 && measure != DiscreteMeasure::association;
}

// numerator / denominator clamped to [0, 1] and rounded; 0 if there is no denominator.
inline double unit_ratio(double numerator, double denominator) {
  if (!(denominator > 0.0) || !(numerator > 0.0)) return 0.0;
  const double ratio = numerator / denominator;
  return ratio >= 1.0 ? 1.0 : round_to_grid(ratio);
}

// Information sums of one table: everything times 2^shift and n, as 64-bit integers (double-doubles for real weights).
template <class Sum>
struct InformationSums {
  Sum mutual;     // L(n) + sum L(n_ab) - sum L(n_a) - sum L(n_b)
  Sum entropy_a;  // L(n) - sum L(n_a)
  Sum entropy_b;
  double unit;  // n 2^shift: what one bit weighs
};

inline double bits_value(double sum, double unit) { return sum > 0.0 && unit > 0.0 ? round_to_grid(sum / unit) : 0.0; }

// Of the measures made of these sums.
template <class Sum>
double information_value(DiscreteMeasure measure, const InformationSums<Sum>& sums) {
  const double mutual = leading(sums.mutual);
  switch (measure) {
    case DiscreteMeasure::su: return unit_ratio(2.0 * mutual, leading(sums.entropy_a + sums.entropy_b));
    case DiscreteMeasure::nmi: return unit_ratio(mutual, std::min(leading(sums.entropy_a), leading(sums.entropy_b)));
    case DiscreteMeasure::mi:
    case DiscreteMeasure::chi2:
    case DiscreteMeasure::association: break;
  }
  return bits_value(mutual, sums.unit);
}

// L of a count by its kind: whole counts from the table, sums of real weights by the logarithm.
template <std::integral Whole>
std::int64_t log_term(const XLogX& xlogx, Whole count) {
  return xlogx(static_cast<std::uint64_t>(count));
}
inline DoubleDouble log_term(const XLogX&, DoubleDouble weight) { return xlogx_real(weight.hi); }

// Returns the scale of log_term.
template <class Count>
double log_scale(const XLogX& xlogx) {
  return std::integral<Count> ? xlogx.scale() : 1.0;
}

template <class Count>
auto sum_logs(const XLogX& xlogx, const Count* counts, std::size_t n) {
  decltype(log_term(xlogx, Count{})) sum{};
  for (std::size_t i = 0; i < n; ++i) sum += log_term(xlogx, counts[i]);
  return sum;
}

// A contingency table, row by row, with its margins.
template <class Count>
struct TableView {
  const Count* cells;
  const Count* row_sums;
  const Count* column_sums;
  std::size_t n_rows;
  std::size_t n_columns;
  Count total;
};

template <class Count>
auto information_sums(const TableView<Count>& table, const XLogX& xlogx) {
  using Sum = decltype(log_term(xlogx, table.total));
  const Sum joint = sum_logs(xlogx, table.cells, table.n_rows * table.n_columns);
  const Sum rows = sum_logs(xlogx, table.row_sums, table.n_rows);
  const Sum columns = sum_logs(xlogx, table.column_sums, table.n_columns);
  const Sum whole = log_term(xlogx, table.total);
  return InformationSums<Sum>{whole + joint - rows - columns, whole - rows, whole - columns,
                              leading(table.total) * log_scale<Count>(xlogx)};
}

inline DoubleDouble in_two_words(DoubleDouble value) { return value; }
template <std::integral Whole>
DoubleDouble in_two_words(Whole value) {
  return {static_cast<double>(value), 0.0};
}

inline DoubleDouble square_over(DoubleDouble a, DoubleDouble b) { return a * a / b; }
inline double square_over(std::int64_t a, std::int64_t b) {
  return static_cast<double>(a) * static_cast<double>(a) / static_cast<double>(b);
}

// Returns the sum of (total cell - row column)^2 / (row column) over rows and columns that occur. `product` is of two
// counts.
template <class Count, class Product>
auto sum_departures(const TableView<Count>& table, Product&& product) {
  const auto nothing = product(table.total, Count{});
  decltype(square_over(nothing, nothing)) sum{};
  for (std::size_t i = 0; i < table.n_rows; ++i) {
    for (std::size_t j = 0; j < table.n_columns; ++j) {
      const auto expected = product(table.row_sums[i], table.column_sums[j]);
      if (!(leading(expected) > 0.0)) continue;
      sum += square_over(product(table.total, table.cells[i * table.n_columns + j]) - expected, expected);
    }
  }
  return sum;
}

// Pearson's chi-squared, the rounding of the exact value: neither the order of levels nor which feature comes first
// shows.
template <class Count>
double chi_squared(const TableView<Count>& table) {
  if constexpr (std::integral<Count>) {
    if (table.total <= std::numeric_limits<std::int32_t>::max()) {
      const double sum = sum_departures(table, [](std::int64_t a, std::int64_t b) { return a * b; });
      // No term is negative, each is off by five roundings at most, and their sum by one for each.
      const double roundings = static_cast<double>(table.n_rows * table.n_columns) + 8.0;
      const double value = sum / static_cast<double>(table.total);
      const double sure =
          round_if_sure(value, roundings * 0x1p-53 * value, [](double x) { return round_significant(x); });
      if (!std::isnan(sure)) return sure;
    }
  }
  const DoubleDouble sum = sum_departures(table, [](Count a, Count b) { return in_two_words(a) * in_two_words(b); });
  return round_significant(sum / in_two_words(table.total));
}

// Levels that occur, less one.
template <class Count>
double n_dimensions(const Count* sums, std::size_t n) {
  return static_cast<double>(std::count_if(sums, sums + n, [](Count sum) { return leading(sum) > 0.0; })) - 1.0;
}

// Returns (t - e) / (m - e), rounded, from t = chi2 / n; e = d_a d_b / (n - 1) is what chance gives, and m the most.
// The rounding of the exact value.
template <class Count>
double table_association(const TableView<Count>& table) {
  const double d_a = n_dimensions(table.row_sums, table.n_rows);
  const double d_b = n_dimensions(table.column_sums, table.n_columns);
  const double product = d_a * d_b, most = std::min(d_a, d_b);
  if constexpr (std::integral<Count>) {
    if (table.total <= std::numeric_limits<std::int32_t>::max()) {
      const double n = static_cast<double>(table.total);
      const double rest = most * (n - 1.0) - product;
      if (!(most > 0.0) || !(rest > 0.0)) return 0.0;
      const double sum = sum_departures(table, [](std::int64_t a, std::int64_t b) { return a * b; });
      const double above = sum / n / n * (n - 1.0);
      const double roundings = static_cast<double>(table.n_rows * table.n_columns) + 24.0;
      const double sure = round_if_sure((above - product) / rest, roundings * 0x1p-53 * (above + product) / rest,
                                        [](double x) { return round_bounded(x); });
      if (!std::isnan(sure)) return sure;
    }
  }
  const DoubleDouble n = in_two_words(table.total);
  const DoubleDouble others = n - DoubleDouble{1.0};
  const DoubleDouble rest = others * most - DoubleDouble{product};
  if (!(most > 0.0) || !(rest.hi > 0.0)) return 0.0;
  const DoubleDouble sum = sum_departures(table, [](Count a, Count b) { return in_two_words(a) * in_two_words(b); });
  return round_bounded((sum / n / n * others - DoubleDouble{product}) / rest);
}

template <class Count>
double table_value(DiscreteMeasure measure, const TableView<Count>& table, const XLogX& xlogx) {
  if (!(leading(table.total) > 0.0)) return 0.0;
  if (measure == DiscreteMeasure::chi2) return chi_squared(table);
  if (measure == DiscreteMeasure::association) return table_association(table);
  return information_value(measure, information_sums(table, xlogx));
}

}  // namespace thresher
