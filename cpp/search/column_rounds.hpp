// Whole columns of terms, several to a round: the one that is needed and those that may be needed next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "measures/pair_measure.hpp"

namespace thresher {

// For measures that work in request rounds. A column requested in advance is wasted only if its reference is never
// needed.
class ColumnRounds {
 public:
  explicit ColumnRounds(PairMeasure& measure) : measure_(measure) {}

  bool knows(std::uint32_t reference) const { return columns_.contains(reference); }

  // Returns how many columns of `n_features` features a round should request.
  std::size_t n_references(std::size_t n_features) const;

  // Requests the columns of `references` that are not known, all in one round; pairs that are known the other way round
  // are not requested. References that are not among the features come first.
  void request(std::span<const std::uint32_t> references, std::span<const std::uint32_t> features);

  // terms[i] = measure(features[i], reference), which must be known. The column is forgotten.
  void take(std::uint32_t reference, std::span<const std::uint32_t> features, std::vector<double>& terms);

  // Pairs requested.
  std::size_t n_evaluations() const { return n_evaluations_; }

 private:
  static constexpr std::size_t kReferences = 8;

  PairMeasure& measure_;
  std::unordered_map<std::uint32_t, std::vector<double>> columns_;  // by feature; NaN where not requested
  std::size_t n_evaluations_ = 0;
};

}  // namespace thresher
