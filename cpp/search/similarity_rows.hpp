// Similarities of every feature of a list to every other, kept where memory allows and computed at every use elsewhere.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/memory.hpp"
#include "measures/pair_measure.hpp"

namespace thresher {

// The similarities of the feature at a position to those at other positions, to be added up.
struct RowSum {
  std::uint32_t position;
  std::span<const std::uint32_t> others;
};

// A feature that leaves one group, if it was in any, and joins another.
struct Move {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t position, from, to;
};

// Features are addressed by their position in the list. A feature's similarity to itself is 1.
//
// Sums over many features are made of coarse values, each the similarity to the next multiple of 1 / kUnit: they are a
// quarter of the size, so that a row stays in the nearest cache. A caller that needs to distinguish two sums that close
// requests exact ones.
class SimilarityRows {
 public:
  static constexpr double kUnit = 32768.0;
  // The largest difference of a coarse value from the similarity.
  static constexpr double kCoarseness = 0.5 / kUnit;

  // `memory`: bytes that similarities may take. The measure is symmetric, on one replicate, in [0, 1], and outlives
  // this.
  SimilarityRows(PairMeasure& measure, std::span<const std::uint32_t> features, std::size_t memory,
                 std::size_t n_threads);

  std::size_t size() const { return features_.size(); }
  // Whole rows; they stay until the next call.
  std::vector<const double*> rows(std::span<const std::uint32_t> positions);
  // sums[i] = kUnit times the coarse sum of requests[i], computed from the rows.
  void coarse_sums(std::span<const RowSum> requests, std::span<std::int64_t> sums);
  bool holds_coarse() const { return !coarse_.empty(); }
  // Returns the coarse similarities of a feature, times kUnit, where those are kept.
  const std::uint16_t* coarse_row(std::uint32_t position) const { return coarse_.data() + position * size(); }
  // sums[group * size() + i] of coarse similarities of feature i to the group, times kUnit, where those are kept.
  void move(std::span<const Move> moves, std::span<std::uint32_t> sums);
  // sums[i] of requests[i]: exact in any order, as values are multiples of 2^-40.
  void exact_sums(std::span<const RowSum> requests, std::span<double> sums);
  // Number of similarities computed.
  std::size_t n_evaluations() const { return n_evaluations_; }

 private:
  void fill(bool with_rows);
  template <class Sum, class Term>
  void compute_sums(std::span<const RowSum> requests, std::span<Sum> sums, Term term);

  PairMeasure& measure_;
  std::vector<std::uint32_t> features_;
  std::size_t n_threads_;
  std::size_t most_rows_;
  std::size_t n_evaluations_ = 0;
  // Row by row, or empty.
  UninitialisedVector<double> all_;
  UninitialisedVector<std::uint16_t> coarse_;
  std::unordered_map<std::uint32_t, std::vector<double>> some_;
};

}  // namespace thresher
