// The loops over rows behind all measures of continuous features.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.hpp"

namespace thresher {

inline constexpr std::size_t kMomentLanes = 16;
// Rows of the reference that are centred at a time. A multiple of the lanes, so that blocks cannot be seen in a sum.
inline constexpr std::size_t kMomentBlock = 2048;

struct RangeSum {
  double minimum;
  double maximum;
  double sum;
};

struct CentredSums {
  double sum;
  double squares;
};

// Classes of the rows; `narrow` holds the same in bytes if there are at most kFewClasses, and is null otherwise.
inline constexpr std::size_t kFewClasses = 8;
struct ClassCodes {
  const std::int32_t* wide;
  const std::uint8_t* narrow;
  std::size_t n_classes;
};

// `weight` may be null: all ones. No value may be NaN.
template <class T>
struct TypedMomentKernels {
  // Smallest, largest and (weighted) sum of n >= 1 values.
  RangeSum (*range_sum)(const T* x, const double* weight, std::size_t n);
  // (Weighted) sums of x - mean and of its square.
  CentredSums (*centred_sums)(const T* x, const double* weight, std::size_t n, double mean);
  // out[i] = (x[i] - mean) * weight[i]; zeros up to the next multiple of the lanes.
  void (*centre)(const T* x, const double* weight, std::size_t n, double mean, double* out);
  // lanes[16 c + l] += sum over rows i with i mod 16 = l of (column c - its mean)[i] * reference[i].
  // `reference` is padded with zeros as `centre` does.
  void (*dots)(const T* const* columns, const double* means, std::size_t n_columns, const double* reference,
               std::size_t n, double* lanes);
  // totals[c] = sum of (column c - its mean) * (reference - its mean), the same bits as by `dots`. For a few columns:
  // the reference is centred as it is read. `next` names n_columns columns that will be wanted soon.
  void (*direct_dots)(const T* const* columns, const T* const* next, const double* means, std::size_t n_columns,
                      const T* reference, double reference_mean, std::size_t n, double* totals);
  // The same piece by piece, as `dots` does it: adds to lanes[16 c + l]. All pieces but the last have a multiple of 16
  // rows.
  void (*direct_lanes)(const T* const* columns, const double* means, std::size_t n_columns, const T* reference,
                       double reference_mean, std::size_t n, double* lanes);
  // lanes[16 c + l] += sum over rows i of class c with i mod 16 = l of (x - mean)[i] * weight[i].
  void (*class_sums)(const T* x, const double* weight, const ClassCodes& classes, std::size_t n, double mean,
                     double* lanes);
};

struct MomentKernels {
  TypedMomentKernels<float> float32;
  TypedMomentKernels<double> float64;
  // Sum of the sixteen lanes in the fixed order.
  double (*total)(const double* lanes);
  void (*totals)(const double* lanes, std::size_t count, double* out);
};

THRESHER_DECLARE_KERNELS(MomentKernels, moment_kernels)

inline const TypedMomentKernels<float>& typed(const MomentKernels& kernels, const float*) { return kernels.float32; }
inline const TypedMomentKernels<double>& typed(const MomentKernels& kernels, const double*) { return kernels.float64; }

}  // namespace thresher
