// Measures of one column with many features, from sums of products.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "measures/exact_fallback.hpp"
#include "measures/numeric_values.hpp"
#include "measures/pair_measure.hpp"
#include "moments/numeric_table.hpp"

namespace thresher {

// A feature of the table or a target: its values in the layout's order and its moments per replicate.
struct Reference {
  NumericColumn column;
  double centre;
  std::vector<double> mean_distance;  // of the mean of each replicate from the centre
  const double* norm;
  const double* error;
  // If it is a feature of the table: who settles its values, and its number.
  ExactFallback* fallback = nullptr;
  std::uint32_t feature = 0;
};

// Returns the value of two columns on one replicate from their sum of products about the centres and their moments
// there, of the second the distance of its mean from the centre; NaN if the errors of these leave its rounding open.
inline double sure_value(NumericKind kind, double dot, double n, double sum_a, double norm_a, double error_a,
                         double distance_b, double norm_b, double error_b) {
  const double scale = norm_a * norm_b;
  if (!(scale > 0.0)) return 0.0;
  if (kind != NumericKind::cosine) dot -= sum_a * distance_b;
  const double correlation = std::fabs(dot) / scale;
  const double error = (error_a + error_b) * (1.0 + correlation) + 8.0 * kUnit * correlation;
  if (kind == NumericKind::pearson) return round_if_sure(correlation, error, [](double x) { return round_bounded(x); });
  const double ratio = norm_a < norm_b ? norm_a / norm_b : norm_b / norm_a;
  return sure_pair_value(kind, correlation, error, ratio * ratio, n);
}

// `kept_rows`: of each replicate.
Reference reference_at(NumericColumn column, const ColumnMoments& moments, std::size_t index,
                       std::span<const double> kept_rows);

// out[i * n_replicates + r] = value of features[i] and the reference on replicate r.
// `moments` are the table's, about 0 for the cosine. One dot product per pair; threads take chunks of features.
void associate(const NumericTable& table, const ColumnMoments& moments, const Reference& reference, NumericKind kind,
               std::span<const std::uint32_t> features, std::size_t n_threads, std::span<double> out);

// Returns whether requests are filled faster than one reference at a time, and how many references they may have.
bool takes_requests(const NumericTable& table);
inline constexpr std::size_t kTermsAtOnce = 4;

// The moments of a feature on a replicate side by side: requests take features from all over memory.
struct PackedMoments {
  double centre, kept_sum, norm, error;
};
std::vector<PackedMoments> packed(const ColumnMoments& moments, std::size_t n_replicates);

// `moments`: [feature * n_replicates + replicate].
void associate(const NumericTable& table, std::span<const PackedMoments> moments, ExactFallback& fallback,
               NumericKind kind, std::span<const TermRequest> requests, std::size_t n_threads);

}  // namespace thresher
