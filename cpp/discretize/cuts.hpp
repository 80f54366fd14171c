// Cut points that turn a continuous feature into a few levels.
//
// The code of x is the number of cuts strictly below x. Every cut is midway between two neighbouring values of the
// training data, so that codes do not depend on how a threshold was rounded. Missing values are passed over. Weights
// act as repeats of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/column_views.hpp"
#include "core/interrupt.hpp"
#include "core/numeric_matrix.hpp"

namespace thresher {

// Cuts of feature f: cuts[offsets[f]] .. cuts[offsets[f + 1]], ascending.
struct Cuts {
  std::vector<double> cuts;
  std::vector<std::int64_t> offsets;
};

struct CutOptions {
  std::span<const double> weights;
  std::size_t n_threads = 1;
};

// Compressed columns to learn from: of each feature the stored values and the weight of its zeros. `wanted` features
// only; the others get no cuts. The cuts are those of the same columns in full.
template <class T>
struct SparseCutData {
  SparseColumns<T> columns;
  std::span<const std::uint8_t> wanted;
};

// bin(v) = floor(n_bins (2 less + equal) / (2 n)), less and equal counting the values below v and at v.
Cuts cuts_equal_frequency(NumericMatrix matrix, std::size_t n_bins, const CutOptions& options, Interrupt& interrupt);
template <class T>
Cuts cuts_equal_frequency(const SparseCutData<T>& data, std::size_t n_bins, const CutOptions& options);

// Thresholds at equal distances between the smallest and the largest value.
Cuts cuts_equal_width(NumericMatrix matrix, std::size_t n_bins, const CutOptions& options, Interrupt& interrupt);
template <class T>
Cuts cuts_equal_width(const SparseCutData<T>& data, std::size_t n_bins, const CutOptions& options);

// Two thresholds, `t` population standard deviations below and above the mean. A value that equals a threshold but for
// rounding (1e-12 of the mean and the deviation) counts as not above it.
Cuts cuts_mean_sd(NumericMatrix matrix, double t, const CutOptions& options, Interrupt& interrupt);
template <class T>
Cuts cuts_mean_sd(const SparseCutData<T>& data, double t, const CutOptions& options);

// Recursive minimum description length of Fayyad and Irani. `distinct_count`: the penalty counts the possible cuts
// between distinct values, as Weka does, instead of n - 1.
Cuts cuts_mdl(NumericMatrix matrix, std::span<const std::int32_t> classes, std::size_t n_classes, bool distinct_count,
              const CutOptions& options, Interrupt& interrupt);
template <class T>
Cuts cuts_mdl(const SparseCutData<T>& data, std::span<const std::int32_t> classes, std::size_t n_classes,
              bool distinct_count, const CutOptions& options);

// Returns the cut between neighbouring values a < b: midway; at a if the midpoint rounds to b.
double cut_between(double a, double b);

// out[f * n + i] = code of value i of feature f; 255 for NaN. At most 254 cuts a feature.
void apply_cuts(NumericMatrix matrix, std::span<const double> cuts, std::span<const std::int64_t> offsets,
                std::size_t n_threads, std::uint8_t* out, Interrupt& interrupt);

// The stored values of wanted features become codes less the code of zero, so that zeros need not be stored; NaN and
// the values of other features stay. out: one value per stored one.
template <class T>
void apply_cuts(const SparseCutData<T>& data, std::span<const double> cuts, std::span<const std::int64_t> offsets,
                std::size_t n_threads, T* out);

}  // namespace thresher
