// Searches that know of one replicate only, on a measure that computes all of them in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "search/pair_measure.hpp"

namespace thresher {

// Values of pairs on all replicates, kept for the replicates that ask later.
//
// A pair is unordered: the measure must be symmetric. Past the memory limit nothing more is kept and values are
// computed again when asked for; they are the same.
class ReplicateCache {
 public:
  // The limit is in bytes; 0 stands for none.
  ReplicateCache(PairMeasure& base, std::size_t memory_limit);

  std::size_t n_features() const { return base_.n_features(); }
  std::size_t n_replicates() const { return n_replicates_; }

  // out[i] = measure(features[i], reference) on one replicate.
  void values(std::size_t replicate, std::uint32_t reference, std::span<const std::uint32_t> features,
              std::span<double> out);

  // Passes over the rows made so far; distinct pairs as long as the cache is not full.
  std::size_t n_computed() const { return n_computed_; }
  bool full() const { return full_; }

 private:
  static constexpr std::uint64_t kFree = ~std::uint64_t{0};
  static constexpr std::size_t kChunk = 1024;  // pairs per block of memory
  struct Slot {
    std::uint64_t key = kFree;
    std::size_t index = 0;
  };

  Slot& find(std::uint64_t key);
  // Where the values of a new pair go, or null if the cache is full.
  double* insert(std::uint64_t key);
  void grow();
  double* block(std::size_t index) { return chunks_[index / kChunk].data() + index % kChunk * n_replicates_; }

  PairMeasure& base_;
  std::size_t n_replicates_;
  std::size_t memory_limit_;
  std::size_t n_kept_ = 0;
  std::size_t n_computed_ = 0;
  bool full_ = false;
  std::vector<Slot> slots_;
  std::vector<std::vector<double>> chunks_;
  std::vector<std::uint32_t> wanted_;  // features whose values must be computed,
  std::vector<std::size_t> position_;  // and where they stand in the question
  std::vector<double> computed_;
};

// One replicate as a plain measure.
class ReplicateView final : public PairMeasure {
 public:
  ReplicateView(ReplicateCache& cache, std::size_t replicate);

  std::size_t n_features() const override { return cache_.n_features(); }
  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override {
    cache_.values(replicate_, reference, features, out);
  }

 private:
  ReplicateCache& cache_;
  std::size_t replicate_;
};

// The sum over some replicates as a plain measure: the Inner Ensemble, less the common divisor. Sums of multiples of
// 2^-40 are exact; their mean would not be.
class SummedReplicates final : public PairMeasure {
 public:
  SummedReplicates(PairMeasure& base, std::vector<std::uint32_t> replicates);

  std::size_t n_features() const override { return base_.n_features(); }
  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override;

 private:
  PairMeasure& base_;
  std::vector<std::uint32_t> replicates_;
  std::vector<double> all_;
};

}  // namespace thresher
