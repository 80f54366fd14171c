// Measures over sums from another source: the rows may be in blocks, in files, on other machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "core/pair_request.hpp"
#include "core/part_sets.hpp"
#include "measures/pair_measure.hpp"

namespace thresher {

// The sums of a round are requested together; values come from the code of the measures in memory, so they have the
// same bits however the rows are split.
class DeliveredMeasure : public PairMeasure {
 public:
  // Returns a round size of a third of the features, and not too small.
  static std::size_t usual_round_size(std::size_t n_features);

  DeliveredMeasure(const DeliveredMeasure&) = delete;
  DeliveredMeasure& operator=(const DeliveredMeasure&) = delete;

  std::size_t n_replicates() const override { return sets_.n_replicates(); }
  RequestHints hints() const override { return {.round_size = round_size_}; }
  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override;
  void fill(std::span<const TermRequest> requests) override;

  // Requests made to the source, and the pairs in them.
  std::size_t n_rounds() const { return n_rounds_; }
  std::size_t n_pairs() const { return n_pairs_; }

 protected:
  DeliveredMeasure(PartSets sets, std::size_t round_size);

  // Requests the sums once; the values of pair i go to out[i].
  virtual void fetch(const PairRequest& request, std::span<double* const> out) = 0;

  const PartSets& sets() const { return sets_; }

 private:
  PartSets sets_;
  std::size_t round_size_;
  std::size_t n_rounds_ = 0, n_pairs_ = 0;
};

}  // namespace thresher
