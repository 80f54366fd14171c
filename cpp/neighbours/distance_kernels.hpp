// Distances between two panels of rows, and weighted differences over pairs of rows.
//
// A panel has kPanel rows, feature by feature: value (feature f, row r of the panel) is at f * kPanel + r. The sum of
// one pair of rows runs over features in their order, whatever the vector width: lanes are pairs.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.hpp"

namespace thresher {

constexpr std::size_t kPanel = 32;
// Features per call of a kernel: two such pieces of single panels stay in the first-level cache. Sums of one piece are
// added to the total afterwards, which also keeps rounding errors small.
constexpr std::size_t kPiece = 128;
// Features weighed over all pairs at a time: their sums stay in registers, a row of them in two cache lines or four.
constexpr std::size_t kWeighed = 32;

enum class Metric { manhattan, squared, mismatch, product };

template <class T>
struct DistanceKernelsOf {
  // out[a * kPanel + b] += sum over features of |difference|, its square, or 1 where the values differ.
  void (*manhattan)(const T* panel_a, const T* panel_b, std::size_t n_features, T* out);
  void (*squared)(const T* panel_a, const T* panel_b, std::size_t n_features, T* out);
  void (*mismatch)(const T* panel_a, const T* panel_b, std::size_t n_features, T* out);
  // The same of products. May be fused where the processor can: only for estimates with an error bound.
  void (*product)(const T* panel_a, const T* panel_b, std::size_t n_features, T* out);
  // sum over pairs of weight * (x[first] - x[second])^2 of one feature, sixteen lanes in a fixed tree.
  double (*weigh_squared)(const T* x, const std::uint32_t* first, const std::uint32_t* second, const double* weight,
                          std::size_t n_pairs);
};

// Pairs of rows, each with a weight.
struct WeightedPairs {
  const std::uint32_t* first;
  const std::uint32_t* second;
  const double* weight;
  std::size_t count;
};

struct DistanceKernels {
  // out[f] += sum over pairs, in their order, of weight * |difference| of feature f, its square, or the weight where
  // the values differ. Rows have kWeighed features each.
  void (*weigh_absolute)(const double* rows, const WeightedPairs& pairs, double* out);
  void (*weigh_squares)(const double* rows, const WeightedPairs& pairs, double* out);
  void (*weigh_mismatch)(const double* rows, const WeightedPairs& pairs, double* out);
  DistanceKernelsOf<float> single;
  DistanceKernelsOf<double> twice;

  const DistanceKernelsOf<float>& of(const float*) const { return single; }
  const DistanceKernelsOf<double>& of(const double*) const { return twice; }
};

THRESHER_DECLARE_KERNELS(DistanceKernels, distance_kernels)

}  // namespace thresher
