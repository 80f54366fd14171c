#include "search/cluster_kernels.hpp"
#include "search/feature_distance.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

void add(const std::uint16_t* __restrict row, std::uint32_t* __restrict to, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) to[i] += row[i];
}

void move(const std::uint16_t* __restrict row, std::uint32_t* __restrict from, std::uint32_t* __restrict to,
          std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) {
    from[i] -= row[i];
    to[i] += row[i];
  }
}

void meet(const double* __restrict similarity, const double* __restrict relevance, double centre, std::uint32_t cluster,
          Nearest known, std::size_t n) {
  double* __restrict own = known.own;
  double* __restrict other = known.other;
  std::uint32_t* __restrict clusters = known.cluster;
  for (std::size_t i = 0; i < n; ++i) {
    const double away = feature_distance(similarity[i], relevance[i], centre);
    const double before = own[i];
    const bool nearer = away < before;
    const double second = nearer ? before : away;
    other[i] = second < other[i] ? second : other[i];
    own[i] = nearer ? away : before;
    clusters[i] = nearer ? cluster : clusters[i];
  }
}

}  // namespace

extern const ClusterKernels cluster_kernels;
const ClusterKernels cluster_kernels{&add, &move, &meet};

}  // namespace thresher::THRESHER_LEVEL
