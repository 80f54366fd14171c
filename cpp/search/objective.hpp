// How relevance and accumulated terms combine into the key of a candidate.
//
// One expression per objective gives both the score of a candidate whose terms are all known and the bound of one
// whose terms are known in part. Every operation rounds monotonically and terms are non-negative, so a bound never
// falls below the score it bounds.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "measures/shared_bits.hpp"

namespace thresher {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Terms are summed; a candidate without terms has the sum 0. The extreme term is the largest. A key that is not steady
// also changes with the number of features selected.
struct SummedTerms {
  static constexpr double kEmpty = 0.0;
  static constexpr bool kSteady = false;
  static double add(double sum, double term) { return sum + term; }
  static bool more_extreme(double term, double than) { return term > than; }
  static double coordinate(double key) { return key; }
};

// The smallest term counts.
struct SmallestTerm {
  static constexpr double kEmpty = kInfinity;
  static constexpr bool kSteady = true;
  static double add(double smallest, double term) { return term < smallest ? term : smallest; }
  static bool more_extreme(double term, double than) { return term < than; }
  static double coordinate(double key) { return key; }
};

// R - B/k, compared as k R - B: values are multiples of 2^-40, so this is exact.
struct MeanDifference : SummedTerms {
  double k;
  explicit MeanDifference(std::size_t n_selected) : k(static_cast<double>(n_selected)) {}
  double operator()(double relevance, double sum) const { return k * relevance - sum; }
  double score(double relevance, double sum) const { return relevance - sum / k; }
  double expect(double last_key) const { return last_key * (k / (k - 1.0)); }
};

// R - w B/k.
struct WeightedDifference : SummedTerms {
  double k, weight;
  WeightedDifference(std::size_t n_selected, double w) : k(static_cast<double>(n_selected)), weight(w) {}
  double operator()(double relevance, double sum) const { return relevance - weight * sum / k; }
  double score(double relevance, double sum) const { return (*this)(relevance, sum); }
  double expect(double last_key) const { return last_key; }
};

// R - w B.
struct SumDifference : SummedTerms {
  static constexpr bool kSteady = true;
  double weight;
  explicit SumDifference(double w) : weight(w) {}
  double operator()(double relevance, double sum) const { return relevance - weight * sum; }
  double score(double relevance, double sum) const { return (*this)(relevance, sum); }
  double expect(double last_key) const { return last_key; }
};

// The ratio's keys span orders of magnitude: their bit patterns are spread evenly over a logarithmic scale.
inline double logarithmic_coordinate(double key) {
  return key > 0.0 ? static_cast<double>(std::bit_cast<std::int64_t>(key)) : 0.0;
}

// R / B; the factor k is common to all candidates of a step. R = 0 is 0; R > 0 with B = 0 is +inf, and candidates
// at +inf are ordered by R.
struct Quotient : SummedTerms {
  static constexpr bool kSteady = true;
  double k;
  explicit Quotient(std::size_t n_selected) : k(static_cast<double>(n_selected)) {}
  static double coordinate(double key) { return logarithmic_coordinate(key); }
  double operator()(double relevance, double sum) const {
    return relevance == 0.0 ? 0.0 : (sum == 0.0 ? kInfinity : relevance / sum);
  }
  double score(double relevance, double sum) const { return (*this)(relevance, sum / k); }
  double expect(double last_key) const { return last_key * ((k - 1.0) / k); }
};

// R / (B/k + o), o > 0.
struct OffsetQuotient : SummedTerms {
  double k, offset;
  OffsetQuotient(std::size_t n_selected, double o) : k(static_cast<double>(n_selected)), offset(o) {}
  static double coordinate(double key) { return logarithmic_coordinate(key); }
  double operator()(double relevance, double sum) const { return relevance / (sum / k + offset); }
  double score(double relevance, double sum) const { return (*this)(relevance, sum); }
  double expect(double last_key) const { return last_key; }
};

// R 2^(-w T), compared by its logarithm log2 R - w T, where T sums bits shared with selected features. log2 R is
// rounded to a multiple of 2^-40, as the terms are, so that with w = 1 keys are exact. Without relevance the key is
// -inf.
struct RelevanceTimesNovelty : SummedTerms {
  static constexpr bool kSteady = true;
  double weight, unit;
  // `unit`: what a relevance or a bit of one is; more than 1 where values are sums over replicates.
  RelevanceTimesNovelty(double w, double one) : weight(w), unit(one) {}
  // Buckets of keys need finite coordinates.
  static double coordinate(double key) { return key > -2048.0 ? key : -2048.0; }
  double operator()(double relevance, double sum) const {
    if (!(relevance > 0.0)) return -kInfinity;
    return rounded_log2(relevance / unit) - weight * (sum / unit);
  }
  double score(double relevance, double sum) const { return relevance / unit * novelty(weight * (sum / unit)); }
  double expect(double last_key) const { return last_key; }
};

// Hall's merit of the selected set with one candidate more.
struct Merit : SummedTerms {
  double relevance_sum, redundancy_sum, size;
  // `unit`: what a redundancy of one is; more than 1 where values are sums over replicates.
  Merit(double relevances, double redundancies, std::size_t n_selected, double unit)
      : relevance_sum(relevances), redundancy_sum(redundancies), size(unit * static_cast<double>(n_selected + 1)) {}
  double operator()(double relevance, double sum) const {
    return (relevance_sum + relevance) / std::sqrt(size + 2.0 * (redundancy_sum + sum));
  }
  double expect(double last_key) const { return last_key; }
};

}  // namespace thresher
