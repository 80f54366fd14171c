// The loops over rows behind all measures of continuous features.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.hpp"

namespace thresher {

inline constexpr std::size_t kMomentLanes = 16;
// A sum of tiles: four high words, then four low words.
inline constexpr std::size_t kTwinLanes = 8;
// A sum over a class: sixteen high words, then sixteen low words.
inline constexpr std::size_t kSplitLanes = 2 * kMomentLanes;
// Columns up to this length stay in the caches next to the processor.
inline constexpr std::size_t kShortRows = 4096;
// Rows that are read of one column before those of the next.
inline constexpr std::size_t kBlockRows = 2048;
// Rows that lanes add up in one go.
inline constexpr std::size_t kRunRows = 256;

struct RangeSum {
  double minimum;
  double maximum;
  double sum;
};

struct CentredSums {
  double sum;
  double squares;
};

struct ColumnSums {
  double minimum;
  double maximum;
  CentredSums about;
};

// A sum as two doubles. The high word is a multiple of 2^-53 of the split it was made with, so high words of parts add
// up without error.
struct SplitSum {
  double hi;
  double lo;
};

// Classes of the rows: in bytes, and kMomentLanes more of any value, if there are at most kFewClasses; else `narrow` is
// null, and they are in `wide`.
inline constexpr std::size_t kFewClasses = 8;
struct ClassCodes {
  const std::int32_t* wide;
  const std::uint8_t* narrow;
  std::size_t n_classes;
};

// `weight` may be null: all ones. No value may be NaN, except that a NaN makes the sum of `range_sum` NaN.
template <class T>
struct TypedMomentKernels {
  // Smallest, largest and (weighted) sum of n >= 1 values.
  RangeSum (*range_sum)(const T* x, const double* weight, std::size_t n);
  // (Weighted) sums of x - mean and of its square. These and those above are the same bits for every instruction set.
  CentredSums (*centred_sums)(const T* x, const double* weight, std::size_t n, double mean);
  // Both of n >= 1 values about a centre, the squares within the error that product_units gives: in lanes, which go to
  // sums of two doubles after every tile, or at once if there is one only.
  ColumnSums (*column_sums)(const T* x, const double* weight, std::size_t n, double centre, std::size_t tile);
  // out[i] = (x[i] - mean) * weight[i]; zeros up to the next multiple of the lanes.
  void (*centre)(const T* x, const double* weight, std::size_t n, double mean, double* out);
  // Adds the products (column c - its mean) * reference of n rows, tile by tile, to the lanes of column c.
  // `reference` is padded with zeros as `centre` does.
  void (*dots)(const T* const* columns, const double* means, std::size_t n_columns, const double* reference,
               std::size_t n, std::size_t tile, double* lanes);
  // totals[c] = sum of (column c - its mean) * (reference - its mean). For a few columns: the reference is centred as
  // it is read. `next` names n_columns columns that will be wanted soon.
  void (*direct_dots)(const T* const* columns, const T* const* next, const double* means, std::size_t n_columns,
                      const T* reference, double reference_mean, std::size_t n, std::size_t tile, double* totals);
  // The same of one tile no longer than a run, to lanes as `dots` does it.
  void (*direct_lanes)(const T* const* columns, const double* means, std::size_t n_columns, const T* reference,
                       double reference_mean, std::size_t n, double* lanes);
  // sums[c] = (weighted) sum of x over class c, the last over all rows; by a split of at least twice the sum of the
  // weights times the largest |x|. `lanes`: kSplitLanes for each class.
  void (*class_sums)(const T* x, const double* weight, const ClassCodes& classes, std::size_t n, double split,
                     double* lanes, SplitSum* sums);
};

struct MomentKernels {
  TypedMomentKernels<float> float32;
  TypedMomentKernels<double> float64;
  // `count` sums of tiles, rounded.
  void (*totals)(const double* lanes, std::size_t count, double* out);
};

THRESHER_DECLARE_KERNELS(MomentKernels, moment_kernels)

inline const TypedMomentKernels<float>& typed(const MomentKernels& kernels, const float*) { return kernels.float32; }
inline const TypedMomentKernels<double>& typed(const MomentKernels& kernels, const double*) { return kernels.float64; }

}  // namespace thresher
