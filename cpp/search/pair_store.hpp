// The values of pairs on all replicates, kept for every replicate that asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "search/pair_measure.hpp"

namespace thresher {

// Works in rounds: look up what is needed, compute what was missing (one call of the measure per reference), look
// that up again, end the round. Pairs are unordered, so the measure must be symmetric.
//
// Past the memory limit values live for one round and are computed again when asked for later. The number of distinct
// pairs depends neither on that nor on the order of the questions.
class PairStore {
 public:
  // The limit is in bytes of values; 0 stands for none.
  PairStore(PairMeasure& measure, std::size_t memory_limit);

  // The values of a pair, one per replicate; null if they are missing, and then the pair is noted.
  const double* find(std::uint32_t reference, std::uint32_t feature);

  // Computes all pairs noted since the last call; find() has them until the round ends.
  void compute_missing(Interrupt& interrupt);
  void end_round();

  std::size_t n_distinct() const { return n_distinct_; }
  bool is_full() const { return is_full_; }

 private:
  // The pairs of one reference: hashed by feature while they are few, by feature directly when they are many.
  struct Row {
    struct Slot {
      std::uint32_t feature;
      const double* values;
    };
    std::uint32_t reference = 0;
    std::size_t n_pairs = 0;
    std::vector<Slot> slots;
    std::vector<const double*> by_feature;
    std::vector<std::uint32_t> missing;
  };

  static const double** find_in(Row& row, std::uint32_t feature);
  const double** insert(Row& row, std::uint32_t feature);
  Row& row_of(std::uint32_t reference);
  void note(Row& row, std::uint32_t feature);
  double* allocate(std::size_t n_values, bool& is_kept);

  PairMeasure& measure_;
  std::size_t n_replicates_;
  std::size_t memory_limit_;
  std::size_t n_kept_bytes_ = 0;
  std::size_t n_distinct_ = 0;
  bool is_full_ = false;
  std::vector<std::unique_ptr<Row>> rows_;  // by reference; null for features that never were one
  std::vector<Row*> pending_;
  std::vector<std::unique_ptr<double[]>> blocks_, temporary_;
  double* free_ = nullptr;
  std::size_t n_free_ = 0;
  std::vector<const double**> forgotten_;
};

}  // namespace thresher
