// How much a feature varies, without looking at any target.
#pragma once

#include <cstddef>
#include <vector>

#include "core/choices.hpp"
#include "core/column_views.hpp"
#include "core/interrupt.hpp"

namespace thresher {

enum class Dispersion {
  variance,     // population variance
  mad,          // mean absolute deviation about the mean
  mean_median,  // |mean - median|
  iqr,          // interquartile range, linear interpolation at (n - 1) p
  am_gm,        // arithmetic over geometric mean; nan unless all values are positive
  amgm,         // log of mean exp(x - mean)
};

inline constexpr Choice<Dispersion> kDispersions[] = {
    {"variance", Dispersion::variance}, {"mad", Dispersion::mad},     {"mean-median", Dispersion::mean_median},
    {"iqr", Dispersion::iqr},           {"am/gm", Dispersion::am_gm}, {"amgm", Dispersion::amgm}};

struct DispersionOptions {
  Dispersion measure = Dispersion::variance;
  bool skip_missing = false;  // NaN are left out, column by column; else there may be none
  std::size_t n_threads = 1;
};

// One value per feature, rounded to 40 significant bits; exactly 0 for a constant feature (am_gm: 1) and for one
// with fewer than two values present. Time O(n) per dense column, O(stored values) per sparse one.
template <class T>
std::vector<double> dispersions(const DenseColumns<T>& columns, const DispersionOptions& options, Interrupt& interrupt);
template <class T>
std::vector<double> dispersions(const SparseColumns<T>& columns, const DispersionOptions& options,
                                Interrupt& interrupt);

}  // namespace thresher
