#include "search/feature_clusters.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/interrupt.hpp"
#include "core/parallel.hpp"

namespace thresher {
namespace {

constexpr double kFar = std::numeric_limits<double>::infinity();
// Features whose distances to all medoids are looked at together.
constexpr std::size_t kBlock = 512;

double distance(double similarity, double relevance, double other) {
  return (1.0 - similarity + std::abs(relevance - other)) / 2.0;
}

// Lists of places by number, ascending.
class Groups {
 public:
  explicit Groups(std::size_t n_groups) : lists_(n_groups) {}
  void add(std::uint32_t number, std::size_t place) { lists_[number].push_back(static_cast<std::uint32_t>(place)); }
  std::span<const std::uint32_t> operator[](std::uint32_t number) const { return lists_[number]; }

 private:
  std::vector<std::vector<std::uint32_t>> lists_;
};

}  // namespace

FeatureClusters::FeatureClusters(PairMeasure& measure, std::span<const std::uint32_t> features,
                                 std::span<const double> relevance, std::size_t memory, std::size_t n_threads)
    : relevance_(relevance.begin(), relevance.end()),
      n_threads_(n_threads),
      rows_(measure, features, memory, n_threads) {}

std::vector<std::uint32_t> FeatureClusters::far_apart(std::size_t count) {
  const std::size_t p = relevance_.size();
  std::vector<std::uint32_t> taken;
  // Before anything is taken all are equally far.
  std::vector<double> nearest(p, kFar);
  while (taken.size() < std::min(count, p)) {
    ask_interrupt();
    std::size_t best = 0;
    for (std::size_t i = 1; i < p; ++i) {
      if (nearest[i] > nearest[best] || (nearest[i] == nearest[best] && relevance_[i] > relevance_[best])) best = i;
    }
    taken.push_back(static_cast<std::uint32_t>(best));
    const double* row = rows_.rows(std::span(taken).last(1))[0];
    for (std::size_t i = 0; i < p; ++i) {
      nearest[i] = std::min(nearest[i], distance(row[i], relevance_[i], relevance_[best]));
    }
    nearest[best] = -kFar;
  }
  return taken;
}

std::vector<double> FeatureClusters::similarities(std::uint32_t place) {
  const double* row = rows_.rows({&place, 1})[0];
  return {row, row + size()};
}

Clustering FeatureClusters::assign(std::span<const std::uint32_t> medoids) {
  const std::size_t p = relevance_.size();
  const std::vector<const double*> rows = rows_.rows(medoids);
  Clustering found = {{medoids.begin(), medoids.end()},
                      std::vector<std::uint32_t>(p),
                      std::vector<double>(p, kFar),
                      std::vector<double>(p, kFar)};
  parallel_for(p, kBlock, n_threads_, [&](std::size_t begin, std::size_t end) {
    for (std::uint32_t c = 0; c < medoids.size(); ++c) {
      const double centre = relevance_[medoids[c]];
      for (std::size_t i = begin; i < end; ++i) {
        const double away = distance(rows[c][i], relevance_[i], centre);
        const bool nearer = away < found.own[i];
        found.other[i] = nearer ? found.own[i] : std::min(found.other[i], away);
        found.own[i] = nearer ? away : found.own[i];
        found.clusters[i] = nearer ? c : found.clusters[i];
      }
    }
  });
  // Whatever else is as near: a medoid stays.
  for (std::uint32_t c = 0; c < medoids.size(); ++c) found.clusters[medoids[c]] = c;
  return found;
}

void FeatureClusters::bring_up_to_date(State& state, const std::vector<std::uint32_t>& clusters,
                                       std::size_t n_clusters) {
  const std::size_t p = clusters.size();
  Groups members(n_clusters), joined(n_clusters), left(n_clusters);
  const bool is_first = state.clusters.empty();
  if (is_first) state.sums.assign(p, 0);
  for (std::size_t i = 0; i < p; ++i) {
    members.add(clusters[i], i);
    if (is_first || state.clusters[i] == clusters[i]) continue;
    joined.add(clusters[i], i);
    if (state.clusters[i] < n_clusters) left.add(state.clusters[i], i);
  }
  std::vector<RowSum> requests;
  std::vector<std::int64_t> signs;
  const auto request = [&](std::size_t place, std::span<const std::uint32_t> others, std::int64_t sign) {
    if (others.empty()) return;
    requests.push_back({static_cast<std::uint32_t>(place), others});
    signs.push_back(sign);
  };
  for (std::size_t i = 0; i < p; ++i) {
    const std::uint32_t c = clusters[i];
    const std::size_t n_changed = joined[c].size() + left[c].size();
    if (!is_first && state.clusters[i] == c && n_changed < members[c].size()) {
      request(i, joined[c], 1);
      request(i, left[c], -1);
    } else {
      state.sums[i] = 0;
      request(i, members[c], 1);
    }
  }
  std::vector<std::int64_t> sums(requests.size());
  rows_.coarse_sums(requests, sums);
  for (std::size_t r = 0; r < requests.size(); ++r) state.sums[requests[r].place] += signs[r] * sums[r];
  state.clusters = clusters;
}

std::vector<std::uint32_t> FeatureClusters::central(const State& state, std::size_t n_clusters) {
  const std::size_t p = state.clusters.size();
  Groups members(n_clusters);
  for (std::size_t i = 0; i < p; ++i) members.add(state.clusters[i], i);
  // A sum holds the feature itself, with a similarity of 1.
  const auto value = [&](double sum, std::uint32_t i, std::size_t size) {
    return (sum - 1.0) / static_cast<double>(size - 1) + relevance_[i];
  };
  std::vector<std::uint32_t> medoids(n_clusters);
  std::vector<RowSum> contenders;
  for (std::uint32_t c = 0; c < n_clusters; ++c) {
    const std::span<const std::uint32_t> all = members[c];
    medoids[c] = all[0];
    if (all.size() == 1) continue;
    const auto coarse_value = [&](std::uint32_t i) {
      return value(static_cast<double>(state.sums[i]) / SimilarityRows::kUnit, i, all.size());
    };
    double best = -kFar;
    for (const std::uint32_t i : all) best = std::max(best, coarse_value(i));
    // Both may be that far off, and a little for the roundings of this expression.
    const double limit = best - 2.001 * SimilarityRows::kCoarseness;
    const std::size_t n_before = contenders.size();
    for (const std::uint32_t i : all) {
      if (coarse_value(i) >= limit) contenders.push_back({i, all});
    }
    medoids[c] = contenders.back().place;
    if (contenders.size() == n_before + 1) contenders.pop_back();
  }
  std::vector<double> sums(contenders.size());
  rows_.exact_sums(contenders, sums);
  std::vector<double> best(n_clusters, -kFar);
  for (std::size_t r = 0; r < contenders.size(); ++r) {
    const std::uint32_t i = contenders[r].place;
    const std::uint32_t c = state.clusters[i];
    const double found = value(sums[r], i, contenders[r].others.size());
    if (!(found > best[c])) continue;
    best[c] = found;
    medoids[c] = i;
  }
  return medoids;
}

Clustering FeatureClusters::cluster(std::span<const std::uint32_t> starts, std::size_t max_rounds) {
  Clustering found = assign(starts);
  // If this is interrupted the state is lost, not wrong.
  State state = std::exchange(first_, {});
  for (std::size_t round = 0; round < max_rounds; ++round) {
    bring_up_to_date(state, found.clusters, starts.size());
    if (round == 0) first_ = state;
    const std::vector<std::uint32_t> medoids = central(state, starts.size());
    if (medoids == found.medoids) break;
    found = assign(medoids);
  }
  return found;
}

}  // namespace thresher
