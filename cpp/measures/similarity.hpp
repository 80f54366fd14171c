// Similarity of two numeric features, for walks that drop features too close to one kept before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "core/column_views.hpp"
#include "measures/pair_measure.hpp"

namespace thresher {

enum class Similarity {
  cosine,   // |<a, b>| / (|a| |b|)
  pearson,  // the same of the centred columns
  mici,     // 1 - smaller eigenvalue of the covariance / smaller variance
};

// Throws std::invalid_argument for an unknown name.
Similarity similarity_named(std::string_view name);

// Measures over columns that outlive the result. Values lie in [0, 1], are multiples of 2^-40, and are 0 where
// undefined (a constant column; cosine: a zero column). The column of the last reference is kept as a dense vector of
// doubles, so that each further feature costs one read of its own values: O(n) dense, O(stored values) sparse.
// skip_missing (dense only): a pair is measured over the rows where both values are present.
template <class T>
std::unique_ptr<PairMeasure> make_similarity(Similarity kind, const DenseColumns<T>& columns, bool skip_missing,
                                             std::size_t n_threads);
template <class T>
std::unique_ptr<PairMeasure> make_similarity(Similarity kind, const SparseColumns<T>& columns, std::size_t n_threads);

}  // namespace thresher
