#include "search/feature_clusters.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/interrupt.hpp"
#include "core/parallel.hpp"
#include "search/cluster_kernels.hpp"
#include "search/feature_distance.hpp"

namespace thresher {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
// Features whose distances to all medoids are computed together.
constexpr std::size_t kBlock = 512;

}  // namespace

FeatureClusters::FeatureClusters(PairMeasure& measure, std::span<const std::uint32_t> features,
                                 std::span<const double> relevance, std::size_t memory, std::size_t n_threads)
    : relevance_(relevance.begin(), relevance.end()),
      n_threads_(n_threads),
      rows_(measure, features, memory, n_threads) {}

std::vector<std::uint32_t> FeatureClusters::far_apart(std::size_t count) {
  const std::size_t p = relevance_.size();
  std::vector<std::uint32_t> taken;
  // Before anything is taken all distances are equal.
  std::vector<double> nearest(p, kFar);
  while (taken.size() < std::min(count, p)) {
    check_interrupt();
    std::size_t best = 0;
    for (std::size_t i = 1; i < p; ++i) {
      if (nearest[i] > nearest[best] || (nearest[i] == nearest[best] && relevance_[i] > relevance_[best])) best = i;
    }
    taken.push_back(static_cast<std::uint32_t>(best));
    const double* row = rows_.rows(std::span(taken).last(1))[0];
    for (std::size_t i = 0; i < p; ++i) {
      nearest[i] = std::min(nearest[i], feature_distance(row[i], relevance_[i], relevance_[best]));
    }
    nearest[best] = -kFar;
  }
  return taken;
}

std::vector<double> FeatureClusters::similarities(std::uint32_t position) {
  const double* row = rows_.rows({&position, 1})[0];
  return {row, row + size()};
}

// Continues from the known distances where medoids have only been added.
void FeatureClusters::meet(Clustering& nearest, std::span<const std::uint32_t> medoids) {
  const std::size_t p = relevance_.size();
  const std::size_t n_known = nearest.medoids.size();
  const bool goes_on =
      n_known > 0 && n_known <= medoids.size() && std::ranges::equal(nearest.medoids, medoids.first(n_known));
  const std::size_t first = goes_on ? n_known : 0;
  if (!goes_on) {
    nearest.clusters.assign(p, 0);
    nearest.own.assign(p, kFar);
    nearest.other.assign(p, kFar);
  }
  nearest.medoids.assign(medoids.begin(), medoids.end());
  const std::vector<const double*> rows = rows_.rows(medoids.subspan(first));
  const ClusterKernels& kernels = THRESHER_DISPATCH(cluster_kernels);
  parallel_for(p, kBlock, n_threads_, [&](std::size_t begin, std::size_t end) {
    const Nearest known = {&nearest.own[begin], &nearest.other[begin], &nearest.clusters[begin]};
    for (std::size_t c = first; c < medoids.size(); ++c) {
      kernels.meet(rows[c - first] + begin, &relevance_[begin], relevance_[medoids[c]], static_cast<std::uint32_t>(c),
                   known, end - begin);
    }
  });
}

std::vector<std::uint32_t> FeatureClusters::central(const std::vector<std::uint32_t>& clusters, const ClusterSums& sums,
                                                    std::size_t n_clusters) {
  Groups members(n_clusters);
  for (std::size_t i = 0; i < clusters.size(); ++i) members.add(clusters[i], i);
  // A sum includes the feature itself, with a similarity of 1.
  const auto value = [&](double sum, std::uint32_t i, std::size_t size) {
    return (sum - 1.0) / static_cast<double>(size - 1) + relevance_[i];
  };
  std::vector<std::uint32_t> medoids(n_clusters);
  std::vector<RowSum> contenders;
  for (std::uint32_t c = 0; c < n_clusters; ++c) {
    const std::span<const std::uint32_t> all = members[c];
    medoids[c] = all[0];
    if (all.size() == 1) continue;
    const auto coarse_value = [&](std::uint32_t i) { return value(sums[i], i, all.size()); };
    double best = -kFar;
    for (const std::uint32_t i : all) best = std::max(best, coarse_value(i));
    // Both may be off by that much, and a little for the roundings of this expression.
    const double limit = best - 2.001 * SimilarityRows::kCoarseness;
    const std::size_t n_before = contenders.size();
    for (const std::uint32_t i : all) {
      if (coarse_value(i) >= limit) contenders.push_back({i, all});
    }
    medoids[c] = contenders.back().position;
    if (contenders.size() == n_before + 1) contenders.pop_back();
  }
  std::vector<double> exact(contenders.size());
  rows_.exact_sums(contenders, exact);
  std::vector<double> best(n_clusters, -kFar);
  for (std::size_t r = 0; r < contenders.size(); ++r) {
    const std::uint32_t i = contenders[r].position;
    const std::uint32_t c = clusters[i];
    const double exact_value = value(exact[r], i, contenders[r].others.size());
    if (!(exact_value > best[c])) continue;
    best[c] = exact_value;
    medoids[c] = i;
  }
  return medoids;
}

Clustering FeatureClusters::cluster(std::span<const std::uint32_t> starts, std::size_t max_rounds) {
  const std::size_t k = starts.size();
  std::vector<std::uint32_t> medoids(starts.begin(), starts.end());
  for (std::size_t number = 0;; ++number) {
    if (number == rounds_.size()) rounds_.emplace_back();
    // If this is interrupted the round is lost, not wrong.
    Round round = std::exchange(rounds_[number], {});
    meet(round.nearest, medoids);
    Clustering result = round.nearest;
    // Whatever else is as near: a medoid stays.
    for (std::uint32_t c = 0; c < k; ++c) result.clusters[medoids[c]] = c;
    if (number == max_rounds) return result;
    if (number > 0 && rounds_[number - 1].sums.n_changes(result.clusters) < round.sums.n_changes(result.clusters)) {
      round.sums = rounds_[number - 1].sums;
    }
    round.sums.bring_up_to_date(rows_, result.clusters, k, n_threads_);
    medoids = central(result.clusters, round.sums, k);
    rounds_[number] = std::move(round);
    if (medoids == result.medoids) return result;
  }
}

}  // namespace thresher
