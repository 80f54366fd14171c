// From sums to the published value of a measure, with its one rounding.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/rounding.hpp"
#include "core/xlogx.hpp"

namespace thresher {

enum class DiscreteMeasure { mi, su, nmi, chi2 };

inline std::optional<DiscreteMeasure> discrete_measure_named(std::string_view name) {
  if (name == "mi") return DiscreteMeasure::mi;
  if (name == "su") return DiscreteMeasure::su;
  if (name == "nmi") return DiscreteMeasure::nmi;
  if (name == "chi2") return DiscreteMeasure::chi2;
  return std::nullopt;
}

// numerator / denominator clamped to [0, 1] and rounded; 0 if there is no denominator.
inline double unit_ratio(double numerator, double denominator) {
  if (!(denominator > 0.0) || !(numerator > 0.0)) return 0.0;
  const double ratio = numerator / denominator;
  return ratio >= 1.0 ? 1.0 : round_to_grid(ratio);
}

// Information sums of one table: everything times 2^shift and n, as 64-bit integers (doubles for real weights).
template <class Sum>
struct InformationSums {
  Sum mutual;     // L(n) + sum L(n_ab) - sum L(n_a) - sum L(n_b)
  Sum entropy_a;  // L(n) - sum L(n_a)
  Sum entropy_b;
  double unit;  // n 2^shift: what one bit weighs
};

inline double bits_value(double sum, double unit) { return sum > 0.0 && unit > 0.0 ? round_to_grid(sum / unit) : 0.0; }

template <class Sum>
double information_value(DiscreteMeasure measure, const InformationSums<Sum>& sums) {
  const auto mutual = static_cast<double>(sums.mutual);
  switch (measure) {
    case DiscreteMeasure::su: return unit_ratio(2.0 * mutual, static_cast<double>(sums.entropy_a + sums.entropy_b));
    case DiscreteMeasure::nmi:
      return unit_ratio(mutual, static_cast<double>(sums.entropy_a < sums.entropy_b ? sums.entropy_a : sums.entropy_b));
    default: return bits_value(mutual, sums.unit);
  }
}

// L of a count by its kind: whole counts from the table, sums of real weights by the logarithm.
inline std::int64_t log_term(const XLogX& xlogx, std::uint32_t count) { return xlogx(count); }
inline std::int64_t log_term(const XLogX& xlogx, std::int64_t count) {
  return xlogx(static_cast<std::uint64_t>(count));
}
inline double log_term(const XLogX&, double weight) { return xlogx_double(weight); }

template <class Count>
struct SumOf {
  using type = std::int64_t;
};
template <>
struct SumOf<double> {
  using type = double;
};

// What log_term is scaled by.
template <class Count>
double log_scale(const XLogX& xlogx) {
  return xlogx.scale();
}
template <>
inline double log_scale<double>(const XLogX&) {
  return 1.0;
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
InformationSums<typename SumOf<Count>::type> information_sums(const TableView<Count>& table, const XLogX& xlogx) {
  using Sum = typename SumOf<Count>::type;
  Sum joint = 0;
  Sum rows = 0;
  Sum columns = 0;
  for (std::size_t i = 0; i < table.n_rows * table.n_columns; ++i) joint += log_term(xlogx, table.cells[i]);
  for (std::size_t i = 0; i < table.n_rows; ++i) rows += log_term(xlogx, table.row_sums[i]);
  for (std::size_t j = 0; j < table.n_columns; ++j) columns += log_term(xlogx, table.column_sums[j]);
  const Sum whole = log_term(xlogx, table.total);
  return {whole + joint - rows - columns, whole - rows, whole - columns,
          static_cast<double>(table.total) * log_scale<Count>(xlogx)};
}

// Pearson's chi-squared, summed row by row; rows and columns that do not occur are left out.
template <class Count>
double chi_squared(const TableView<Count>& table) {
  const auto total = static_cast<double>(table.total);
  double sum = 0.0;
  for (std::size_t i = 0; i < table.n_rows; ++i) {
    for (std::size_t j = 0; j < table.n_columns; ++j) {
      const double expected =
          static_cast<double>(table.row_sums[i]) * static_cast<double>(table.column_sums[j]) / total;
      if (!(expected > 0.0)) continue;
      const double difference = static_cast<double>(table.cells[i * table.n_columns + j]) - expected;
      sum += difference * difference / expected;
    }
  }
  return round_significant(sum);
}

template <class Count>
double table_value(DiscreteMeasure measure, const TableView<Count>& table, const XLogX& xlogx) {
  if (!(table.total > 0)) return 0.0;
  if (measure == DiscreteMeasure::chi2) return chi_squared(table);
  return information_value(measure, information_sums(table, xlogx));
}

}  // namespace thresher
