// The sum of the similarities of every feature to the members of its cluster, as clusters change.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "search/similarity_rows.hpp"

namespace thresher {

// Lists of positions by number, ascending.
class Groups {
 public:
  explicit Groups(std::size_t n_groups) : lists_(n_groups) {}
  void add(std::uint32_t number, std::size_t position) {
    lists_[number].push_back(static_cast<std::uint32_t>(position));
  }
  std::size_t size() const { return lists_.size(); }
  std::span<const std::uint32_t> operator[](std::size_t number) const { return lists_[number]; }

 private:
  std::vector<std::vector<std::uint32_t>> lists_;
};

// Sums are coarse, so they are integers, and only features that came and went are read. Few clusters are large: there
// the whole rows of these features go from sum to sum. Many are small, and only what members have of these rows is
// read. Either way a row is read once, from its beginning to its end. For rows that are not in memory, only the pairs
// requested are computed.
class ClusterSums {
 public:
  // clusters[i] < n_clusters.
  void bring_up_to_date(SimilarityRows& rows, const std::vector<std::uint32_t>& clusters, std::size_t n_clusters,
                        std::size_t n_threads);
  // Features that are in another cluster than at the last call.
  std::size_t n_changes(const std::vector<std::uint32_t>& clusters) const;
  // Returns the sum of a feature, its own similarity of 1 included.
  double operator[](std::size_t i) const { return static_cast<double>(sums_[i]) / SimilarityRows::kUnit; }

 private:
  struct Changes;

  Changes changes(const std::vector<std::uint32_t>& clusters, std::size_t n_clusters) const;
  void move_rows(SimilarityRows& rows, const std::vector<std::uint32_t>& clusters, std::size_t n_clusters);
  void look_at_members(const SimilarityRows& rows, const Changes& changes, std::size_t n_threads);
  void request_sums(SimilarityRows& rows, const Changes& changes);

  std::vector<std::uint32_t> clusters_;
  std::vector<std::int64_t> sums_;
  // table_[cluster * clusters_.size() + i]: of feature i to any cluster, while these are few; else empty.
  std::vector<std::uint32_t> table_;
};

}  // namespace thresher
