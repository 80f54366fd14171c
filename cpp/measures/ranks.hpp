// Doubled centred average ranks, and Spearman's correlation from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/double_double.hpp"
#include "core/interrupt.hpp"
#include "core/memory.hpp"
#include "core/numeric_matrix.hpp"
#include "measures/pair_measure.hpp"

namespace thresher {

// d = 2 less + equal - n for every value of every feature: integers in [-(n-1), n-1] that sum to 0. With weights less,
// equal and n are sums of them. Sixteen bits where that suffices (n <= 32768); two doubles where weights are not
// integers or sum to 2^31 and more.
struct DoubledRanks {
  std::size_t n_features = 0;
  std::size_t n_rows = 0;
  UninitialisedVector<std::int16_t> narrow;
  UninitialisedVector<std::int32_t> wide;
  UninitialisedVector<DoubleDouble> real;
};

DoubledRanks doubled_ranks(NumericMatrix matrix, std::span<const double> weights, std::size_t n_threads,
                           Interrupt& interrupt);

// Absolute Spearman correlation of pairs. Contains the ranks, not the values. A weight w counts as w rows.
class RankPairMeasure final : public PairMeasure {
 public:
  RankPairMeasure(NumericMatrix matrix, std::span<const double> weights, std::size_t n_threads, Interrupt& interrupt);

  std::size_t n_features() const override { return ranks_.n_features; }
  std::size_t n_rows() const { return ranks_.n_rows; }

  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override;

  // Every feature with a target.
  std::vector<double> relevance(std::span<const double> target) const;

 private:
  void associate(const RankPairMeasure& other, std::size_t index, std::span<const std::uint32_t> features,
                 std::span<double> out) const;
  // Exact, but for real ranks, whose products and sums are rounded to 2^-100 or so.
  DoubleDouble dot(const DoubledRanks& other, std::size_t index, std::size_t feature) const;

  std::size_t n_threads_;
  std::vector<double> weights_;
  DoubledRanks ranks_;
  std::vector<DoubleDouble> square_;
  std::vector<double> norm_;
};

}  // namespace thresher
