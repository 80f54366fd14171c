// Clusters of features around medoids, by similarity and by relevance.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/cluster_sums.hpp"
#include "search/similarity_rows.hpp"

namespace thresher {

// Features by position. A feature's own and nearest other distance are those to the medoids of its cluster and of
// others.
struct Clustering {
  std::vector<std::uint32_t> medoids;
  std::vector<std::uint32_t> clusters;
  std::vector<double> own, other;
};

// k-medoids over the distance (1 - similarity + |difference of relevance|) / 2.
//
// The medoid of a cluster is the member with the largest mean of its mean similarity to the others and its relevance.
// Coarse sums find the few candidates for it.
class FeatureClusters {
 public:
  // relevance[position]; `memory` and the measure as for SimilarityRows.
  FeatureClusters(PairMeasure& measure, std::span<const std::uint32_t> features, std::span<const double> relevance,
                  std::size_t memory, std::size_t n_threads);

  // Returns the most relevant feature, then again and again the one farthest from those taken; ties: the more relevant,
  // then the lower position.
  std::vector<std::uint32_t> far_apart(std::size_t count);
  // From these medoids on until nothing changes, for `max_rounds` at most. Costs least where the medoids before were
  // the same but for one more.
  Clustering cluster(std::span<const std::uint32_t> starts, std::size_t max_rounds);
  // Of every feature to one of them.
  std::vector<double> similarities(std::uint32_t position);
  std::size_t size() const { return relevance_.size(); }
  std::size_t n_evaluations() const { return rows_.n_evaluations(); }

 private:
  // A round: medoids, the nearest of them to every feature, and the sums of the clusters they make.
  struct Round {
    Clustering nearest;
    ClusterSums sums;
  };

  void meet(Clustering& nearest, std::span<const std::uint32_t> medoids);
  std::vector<std::uint32_t> central(const std::vector<std::uint32_t>& clusters, const ClusterSums& sums,
                                     std::size_t n_clusters);

  std::vector<double> relevance_;
  std::size_t n_threads_;
  SimilarityRows rows_;
  // Of the latest starts. With one more start most rounds resemble the one of the same number.
  std::vector<Round> rounds_;
};

}  // namespace thresher
