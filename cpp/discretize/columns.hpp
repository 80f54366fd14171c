// The present values of a column, and the loop that learns cuts from every column.
#pragma once

#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

#include "core/feature_loop.hpp"
#include "core/interrupt.hpp"
#include "core/numeric_matrix.hpp"
#include "core/parallel.hpp"
#include "discretize/cuts.hpp"

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

inline Cuts joined(const CutLists& own) {
  Cuts all;
  all.offsets.reserve(own.size() + 1);
  all.offsets.push_back(0);
  for (const auto& cuts : own) {
    all.cuts.insert(all.cuts.end(), cuts.begin(), cuts.end());
    all.offsets.push_back(static_cast<std::int64_t>(all.cuts.size()));
  }
  return all;
}

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
  return joined(own);
}

// Returns the same for compressed columns. All zeros of a class (of the column, without classes) are one row that
// weighs as much as they do together; make_learner(weights, classes) gives a learner for one column.
template <class T, class MakeLearner>
Cuts learn_cuts(const SparseCutData<T>& data, std::span<const std::int32_t> classes, std::size_t n_classes,
                const CutOptions& options, MakeLearner&& make_learner) {
  const SparseColumns<T>& columns = data.columns;
  const auto class_of = [&](std::size_t row) {
    return classes.empty() ? std::size_t{0} : static_cast<std::size_t>(classes[row]);
  };
  const auto weight_of = [&](std::size_t row) { return options.weights.empty() ? 1.0 : options.weights[row]; };
  std::vector<double> weight_of_class(n_classes);
  std::vector<std::size_t> size_of_class(n_classes);
  for (std::size_t row = 0; row < columns.n_rows; ++row) {
    weight_of_class[class_of(row)] += weight_of(row);
    ++size_of_class[class_of(row)];
  }
  CutLists own(columns.n_features);
  parallel_for(columns.n_features, 16, options.n_threads, [&](std::size_t begin, std::size_t end) {
    std::vector<T> values;
    std::vector<double> weights;
    std::vector<std::int32_t> labels;
    CutLists one(1);
    for (std::size_t f = begin; f < end; ++f) {
      if (data.wanted[f] == 0) continue;
      check_interrupt();
      std::vector<double> zeros = weight_of_class;
      std::vector<std::size_t> n_zeros = size_of_class;
      const auto stored = columns.values_of(f);
      values.assign(stored.begin(), stored.end());
      weights.clear();
      labels.clear();
      for (const std::int32_t index : columns.rows_of(f)) {
        const auto row = static_cast<std::size_t>(index);
        weights.push_back(weight_of(row));
        labels.push_back(static_cast<std::int32_t>(class_of(row)));
        zeros[class_of(row)] -= weights.back();
        --n_zeros[class_of(row)];
      }
      for (std::size_t c = 0; c < n_classes; ++c) {
        if (n_zeros[c] == 0 || !(zeros[c] > 0.0)) continue;
        values.push_back(T{0});
        weights.push_back(zeros[c]);
        labels.push_back(static_cast<std::int32_t>(c));
      }
      auto learner = make_learner(std::span<const double>(weights), std::span<const std::int32_t>(labels));
      one[0].clear();
      learner(values.data(), values.size(), 0, 1, one);
      own[f] = one[0];
    }
  });
  return joined(own);
}

inline bool whole_weights(std::span<const double> weights) {
  for (const double weight : weights) {
    if (weight != std::floor(weight)) return false;
  }
  return true;
}

}  // namespace thresher
