// The present values of a column, and the loop that learns cuts from every column.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "discretize/cuts.hpp"
#include "moments/feature_loop.hpp"
#include "moments/numeric_matrix.hpp"

namespace thresher {

using CutLists = std::vector<std::vector<double>>;

// Values that are not NaN and whose weight is above 0, with their weights. Memory is reused.
template <class T>
class PresentValues {
 public:
  // Without gaps the column itself is returned.
  std::span<const T> read(const T* x, std::size_t n, std::span<const double> weights) {
    weights_.clear();
    unsigned gaps = 0;
    for (std::size_t i = 0; i < n; ++i) gaps |= x[i] != x[i] ? 1u : 0u;
    for (const double weight : weights) gaps |= weight == 0.0 ? 1u : 0u;
    if (gaps == 0) {
      weights_.assign(weights.begin(), weights.end());
      return {x, n};
    }
    values_.clear();
    for (std::size_t i = 0; i < n; ++i) {
      if (std::isnan(x[i]) || (!weights.empty() && weights[i] == 0.0)) continue;
      values_.push_back(x[i]);
      if (!weights.empty()) weights_.push_back(weights[i]);
    }
    return values_;
  }

  std::span<const double> weights() const { return weights_; }

 private:
  std::vector<T> values_;
  std::vector<double> weights_;
};

// Cuts of every feature from learners: `make_learner(base)` gives one per range of features, and
// learner(base, n_rows, begin, end, out) appends the cuts of feature f to out[f].
template <class MakeLearner>
Cuts learn_cuts(NumericMatrix matrix, const CutOptions& options, Interrupt& interrupt, MakeLearner&& make_learner) {
  CutLists own(matrix.n_features);
  visit_type(matrix, [&](const auto* base) {
    for_features(matrix.n_features, 8 * matrix.n_rows, options.n_threads, interrupt,
                 [&](std::size_t begin, std::size_t end) {
                   auto learner = make_learner(base);
                   learner(base, matrix.n_rows, begin, end, own);
                 });
  });
  Cuts all;
  all.offsets.reserve(matrix.n_features + 1);
  all.offsets.push_back(0);
  for (const auto& cuts : own) {
    all.cuts.insert(all.cuts.end(), cuts.begin(), cuts.end());
    all.offsets.push_back(static_cast<std::int64_t>(all.cuts.size()));
  }
  return all;
}

inline bool whole_weights(std::span<const double> weights) {
  for (const double weight : weights) {
    if (weight != std::floor(weight)) return false;
  }
  return true;
}

}  // namespace thresher
