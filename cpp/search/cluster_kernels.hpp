// The inner loops of clusters of features.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.hpp"

namespace thresher {

// For n features: distances to the nearest and the second nearest medoid given, and the cluster of the nearest.
struct Nearest {
  double* own;
  double* other;
  std::uint32_t* cluster;
};

struct ClusterKernels {
  // Whole rows join sums, or go from one to another. Sums wrap: what was added may be taken away in any order.
  void (*add)(const std::uint16_t* row, std::uint32_t* to, std::size_t n);
  void (*move)(const std::uint16_t* row, std::uint32_t* from, std::uint32_t* to, std::size_t n);
  // Another medoid, of the given relevance and these similarities to the features.
  void (*meet)(const double* similarity, const double* relevance, double centre, std::uint32_t cluster, Nearest known,
               std::size_t n);
};

THRESHER_DECLARE_KERNELS(ClusterKernels, cluster_kernels)

}  // namespace thresher
