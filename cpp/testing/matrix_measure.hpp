// A measure whose values were computed elsewhere: precomputed tables, tests, other people's measures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <utility>
#include <vector>

#include "measures/pair_measure.hpp"

namespace thresher {

// Holds one p x p table per replicate; entry (r, g, f) is the measure of feature f with reference g.
class MatrixMeasure final : public PairMeasure {
 public:
  MatrixMeasure(std::vector<double> values, std::size_t n_features, std::size_t n_replicates)
      : values_(std::move(values)),
        n_features_(n_features),
        n_replicates_(n_replicates),
        requested_(n_features * n_features) {
    if (values_.size() / (n_replicates == 0 ? 1 : n_replicates) != n_features * n_features) {
      throw std::invalid_argument("values must have the shape (p, p) or (e, p, p)");
    }
    for (std::size_t r = 0; r < n_replicates; ++r) {
      const double* table = values_.data() + r * n_features * n_features;
      for (std::size_t g = 0; g < n_features && is_symmetric_; ++g) {
        for (std::size_t f = 0; f < g; ++f) {
          is_symmetric_ = is_symmetric_ && table[g * n_features + f] == table[f * n_features + g];
        }
      }
    }
  }

  std::size_t n_features() const override { return n_features_; }
  std::size_t n_replicates() const override { return n_replicates_; }

  bool is_symmetric() const override { return is_symmetric_; }

  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override {
    for (std::size_t i = 0; i < features.size(); ++i) {
      requested_[reference * n_features_ + features[i]] = 1;
      for (std::size_t r = 0; r < n_replicates_; ++r) {
        out[i * n_replicates_ + r] = values_[(r * n_features_ + reference) * n_features_ + features[i]];
      }
    }
  }

  // [reference * n_features + feature] = 1 for every value that was requested.
  const std::vector<std::uint8_t>& requested() const { return requested_; }

 private:
  std::vector<double> values_;
  std::size_t n_features_;
  std::size_t n_replicates_;
  std::vector<std::uint8_t> requested_;
  bool is_symmetric_ = true;
};

}  // namespace thresher
