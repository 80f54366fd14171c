// The requests a measure would get if its rows were in blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "measures/pair_measure.hpp"

namespace thresher {

// Another measure with request rounds of that many pairs, which counts them.
class InRounds final : public PairMeasure {
 public:
  InRounds(PairMeasure& base, std::size_t round_size) : base_(base), round_size_(round_size) {}

  std::size_t n_features() const override { return base_.n_features(); }
  std::size_t n_replicates() const override { return base_.n_replicates(); }
  bool is_symmetric() const override { return base_.is_symmetric(); }
  RequestHints hints() const override { return {.round_size = round_size_}; }
  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override {
    ++n_rounds_;
    base_.values(reference, features, out);
  }
  void fill(std::span<const TermRequest> requests) override {
    ++n_rounds_;
    for (const TermRequest& request : requests) base_.PairMeasure::fill({&request, 1});
  }

  std::size_t n_rounds() const { return n_rounds_; }

 private:
  PairMeasure& base_;
  std::size_t round_size_;
  std::size_t n_rounds_ = 0;
};

}  // namespace thresher
