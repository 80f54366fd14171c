// Absolute Pearson correlation or cosine of one column with many features.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "measures/pair_measure.hpp"
#include "moments/numeric_table.hpp"

namespace thresher {

// A feature of the table or a target: its values in the layout's order and its moments per replicate.
struct Reference {
  NumericColumn column;
  double centre;
  const double* kept_sum;
  const double* norm;
  const std::uint8_t* unsafe;
};

Reference reference_at(NumericColumn column, const ColumnMoments& moments, std::size_t index, std::size_t n_replicates);

// out[i * n_replicates + r] = value of features[i] and the reference on replicate r.
// `moments` are the table's, centred or not. One dot product per pair; threads take chunks of features.
void associate(const NumericTable& table, const ColumnMoments& moments, const Reference& reference, bool centred,
               std::span<const std::uint32_t> features, std::size_t n_threads, std::span<double> out);

// Whether requests are answered faster than one reference at a time, and how many references they may have.
bool takes_requests(const NumericTable& table);
inline constexpr std::size_t kTermsAtOnce = 4;

void associate(const NumericTable& table, const ColumnMoments& moments, bool centred,
               std::span<const TermRequest> requests, std::size_t n_threads);

}  // namespace thresher
