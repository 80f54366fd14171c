// The values of pairs on all replicates, kept for every replicate that asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "search/pair_measure.hpp"

namespace thresher {

// Pairs are unordered, so the measure must be symmetric. A pair is computed once, for all replicates.
//
// Past the memory limit values are not kept and are computed again when asked for later. The number of distinct pairs
// depends neither on that nor on the order of the questions.
class PairStore {
 public:
  // The limit is in bytes of values; 0 stands for none.
  PairStore(PairMeasure& measure, std::size_t memory_limit);

  std::size_t n_features() const { return rows_.size(); }

  // out[i] = measure(features[i], reference) on one replicate.
  void values(std::size_t replicate, std::uint32_t reference, std::span<const std::uint32_t> features,
              std::span<double> out);

  std::size_t n_distinct() const { return n_distinct_; }
  bool is_full() const { return is_full_; }

 private:
  // The pairs of one reference: hashed by feature while they are few, by feature directly when they are many.
  // A slot has the feature in its upper half (when hashed) and the number of the pair in its lower half.
  struct Row {
    std::size_t n_pairs = 0;
    bool is_direct = false;
    std::vector<std::uint64_t> slots;
  };

  static std::uint32_t find(const Row& row, std::uint32_t feature);
  void insert(Row& row, std::uint32_t feature, std::uint32_t pair);
  void widen(Row& row);
  std::uint32_t find_pair(const Row& row, std::uint32_t reference, std::uint32_t feature) const;
  void compute(std::size_t replicate, std::uint32_t reference, Row& row, std::span<double> out);

  // The values of one replicate lie together: its search reads no others.
  double& value(std::size_t pair, std::size_t replicate) {
    return blocks_[pair / kBlock][replicate * kBlock + pair % kBlock];
  }

  static constexpr std::size_t kBlock = 4096;  // pairs

  PairMeasure& measure_;
  std::size_t n_replicates_;
  std::size_t memory_limit_;
  std::size_t n_distinct_ = 0;
  std::size_t n_kept_ = 0;
  bool is_full_ = false;
  std::vector<std::unique_ptr<Row>> rows_;  // by reference; null for features that never were one
  std::vector<std::unique_ptr<double[]>> blocks_;
  std::vector<std::uint32_t> missing_, position_;
  std::vector<double> computed_;
};

// One replicate as a plain measure.
class StoredReplicate final : public PairMeasure {
 public:
  StoredReplicate(PairStore& store, std::size_t replicate) : store_(store), replicate_(replicate) {}

  std::size_t n_features() const override { return store_.n_features(); }
  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override {
    store_.values(replicate_, reference, features, out);
  }

 private:
  PairStore& store_;
  std::size_t replicate_;
};

}  // namespace thresher
