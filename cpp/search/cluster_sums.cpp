#include "search/cluster_sums.hpp"

#include "core/aligned.hpp"
#include "core/parallel.hpp"

namespace thresher {
namespace {

// Clusters up to which whole rows are added up.
constexpr std::size_t kFew = 24;

}  // namespace

struct ClusterSums::Changes {
  explicit Changes(std::size_t n_clusters)
      : members(n_clusters), stayed(n_clusters), joined(n_clusters), left(n_clusters) {}
  // Returns whether all sums of a cluster cost less than what has changed in them.
  bool is_new(std::size_t c) const { return joined[c].size() + left[c].size() >= members[c].size(); }

  Groups members, stayed, joined, left;
};

void ClusterSums::bring_up_to_date(SimilarityRows& rows, const std::vector<std::uint32_t>& clusters,
                                   std::size_t n_clusters, std::size_t n_threads) {
  if (rows.holds_coarse() && n_clusters <= kFew) {
    move_rows(rows, clusters, n_clusters);
  } else {
    table_.clear();
    sums_.resize(clusters.size());
    const Changes changed = changes(clusters, n_clusters);
    if (rows.holds_coarse()) {
      look_at_members(rows, changed, n_threads);
    } else {
      request_sums(rows, changed);
    }
  }
  clusters_ = clusters;
}

std::size_t ClusterSums::n_changes(const std::vector<std::uint32_t>& clusters) const {
  if (clusters_.empty()) return clusters.size();
  std::size_t n = 0;
  for (std::size_t i = 0; i < clusters.size(); ++i) n += clusters[i] != clusters_[i];
  return n;
}

void ClusterSums::move_rows(SimilarityRows& rows, const std::vector<std::uint32_t>& clusters, std::size_t n_clusters) {
  const std::size_t p = clusters.size();
  const bool is_first = table_.empty();
  std::vector<Move> moves;
  for (std::uint32_t i = 0; i < p; ++i) {
    if (!is_first && clusters_[i] == clusters[i]) continue;
    const bool leaves = !is_first && clusters_[i] < n_clusters;
    moves.push_back({i, leaves ? clusters_[i] : Move::kNone, clusters[i]});
  }
  table_.resize(checked_product(n_clusters, p));
  rows.move(moves, table_);
  sums_.resize(p);
  for (std::size_t i = 0; i < p; ++i) sums_[i] = table_[clusters[i] * p + i];
}

ClusterSums::Changes ClusterSums::changes(const std::vector<std::uint32_t>& clusters, std::size_t n_clusters) const {
  Changes result(n_clusters);
  for (std::size_t i = 0; i < clusters.size(); ++i) {
    result.members.add(clusters[i], i);
    if (!clusters_.empty() && clusters_[i] == clusters[i]) {
      result.stayed.add(clusters[i], i);
    } else {
      result.joined.add(clusters[i], i);
      if (!clusters_.empty() && clusters_[i] < n_clusters) result.left.add(clusters_[i], i);
    }
  }
  return result;
}

void ClusterSums::look_at_members(const SimilarityRows& rows, const Changes& changes, std::size_t n_threads) {
  parallel_for(changes.members.size(), 1, n_threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      const bool is_new = changes.is_new(c);
      for (const std::uint32_t position : is_new ? changes.members[c] : changes.joined[c]) {
        const std::uint16_t* row = rows.coarse_row(position);
        std::int64_t sum = 0;
        for (const std::uint32_t i : changes.members[c]) sum += row[i];
        sums_[position] = sum;
      }
      if (is_new) continue;
      for (const std::uint32_t position : changes.joined[c]) {
        const std::uint16_t* row = rows.coarse_row(position);
        for (const std::uint32_t i : changes.stayed[c]) sums_[i] += row[i];
      }
      for (const std::uint32_t position : changes.left[c]) {
        const std::uint16_t* row = rows.coarse_row(position);
        for (const std::uint32_t i : changes.stayed[c]) sums_[i] -= row[i];
      }
    }
  });
}

void ClusterSums::request_sums(SimilarityRows& rows, const Changes& changes) {
  std::vector<RowSum> requests;
  std::vector<std::int64_t> signs;
  const auto request = [&](std::uint32_t position, std::span<const std::uint32_t> others, std::int64_t sign) {
    if (others.empty()) return;
    requests.push_back({position, others});
    signs.push_back(sign);
  };
  for (std::size_t c = 0; c < changes.members.size(); ++c) {
    const bool is_new = changes.is_new(c);
    for (const std::uint32_t position : is_new ? changes.members[c] : changes.joined[c]) {
      sums_[position] = 0;
      request(position, changes.members[c], 1);
    }
    if (is_new) continue;
    for (const std::uint32_t position : changes.stayed[c]) {
      request(position, changes.joined[c], 1);
      request(position, changes.left[c], -1);
    }
  }
  std::vector<std::int64_t> sums(requests.size());
  rows.coarse_sums(requests, sums);
  for (std::size_t r = 0; r < requests.size(); ++r) sums_[requests[r].position] += signs[r] * sums[r];
}

}  // namespace thresher
