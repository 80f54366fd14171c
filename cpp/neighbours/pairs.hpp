// Pairs of rows with weights, put in order.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

#include "neighbours/distance_kernels.hpp"

namespace thresher {

struct Pair {
  std::uint32_t first;
  std::uint32_t second;
  double weight;
};

// Each pair of rows once, with the sum of its weights, ordered by rows.
class Pairs {
 public:
  Pairs(std::vector<Pair>&& pairs, std::size_t n_rows) {
    sort_by(&Pair::second, n_rows, pairs);
    sort_by(&Pair::first, n_rows, pairs);
    for (const Pair& pair : pairs) {
      if (!first_.empty() && first_.back() == pair.first && second_.back() == pair.second) {
        weight_.back() += pair.weight;  // two at most: the order of a sum of two does not matter
      } else {
        append(pair.first, pair.second, pair.weight);
      }
    }
  }

  // To be filled by `append`, in order.
  explicit Pairs(std::size_t capacity) {
    first_.reserve(capacity);
    second_.reserve(capacity);
    weight_.reserve(capacity);
  }

  void append(std::uint32_t first, std::uint32_t second, double weight) {
    first_.push_back(first);
    second_.push_back(second);
    weight_.push_back(weight);
  }

  std::size_t size() const { return first_.size(); }
  std::uint32_t first(std::size_t i) const { return first_[i]; }
  std::uint32_t second(std::size_t i) const { return second_[i]; }
  double weight(std::size_t i) const { return weight_[i]; }
  WeightedPairs part(std::size_t start, std::size_t count) const {
    return {first_.data() + start, second_.data() + start, weight_.data() + start, count};
  }

 private:
  // A stable sort by counting.
  static void sort_by(std::uint32_t Pair::* row, std::size_t n_rows, std::vector<Pair>& pairs) {
    std::vector<std::size_t> next(n_rows + 1);
    for (const Pair& pair : pairs) ++next[pair.*row + 1];
    std::partial_sum(next.begin(), next.end(), next.begin());
    std::vector<Pair> sorted(pairs.size());
    for (const Pair& pair : pairs) sorted[next[pair.*row]++] = pair;
    pairs.swap(sorted);
  }

  std::vector<std::uint32_t> first_;
  std::vector<std::uint32_t> second_;
  std::vector<double> weight_;
};

inline Pair pair_of(std::uint32_t row, std::uint32_t other, double weight) {
  return {std::min(row, other), std::max(row, other), weight};
}

}  // namespace thresher
