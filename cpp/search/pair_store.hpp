// Searches that know of one replicate only, on a measure that computes all of them in one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "measures/pair_measure.hpp"

namespace thresher {

// Values of pairs on all replicates, kept for later requests of other replicates.
//
// A pair is computed once, for all replicates; it is unordered if the measure is symmetric.
//
// Past the memory limit values are not kept and are computed again when requested later, on that replicate alone if the
// measure can; the number of distinct pairs depends on the requests alone.
class PairStore {
 public:
  // The limit is in bytes of values; 0 means none. own_replicates: the replicates that the measure offers compute their
  // own pairs, which the store neither keeps nor counts among the distinct ones.
  PairStore(PairMeasure& measure, std::size_t memory_limit, bool own_replicates = false);
  PairStore(const PairStore&) = delete;
  PairStore& operator=(const PairStore&) = delete;

  std::size_t n_features() const { return rows_.size(); }
  std::size_t n_replicates() const { return n_replicates_; }
  bool is_symmetric() const { return is_symmetric_; }

  // out[i] = measure(features[i], reference) on one replicate.
  void values(std::size_t replicate, std::uint32_t reference, std::span<const std::uint32_t> features,
              std::span<double> out);

  // The same for requests to one replicate.
  void fill(std::size_t replicate, std::span<const TermRequest> requests);
  RequestHints hints() const { return measure_.hints(); }

  // Keeps the values of all pairs of the requests of several replicates, with one call of the measure.
  void fetch(std::span<const TermRequest> requests);

  // One replicate as a separate measure, where its pairs are better computed than kept; else null.
  std::unique_ptr<PairMeasure> own_replicate(std::size_t replicate);
  // Pairs that such a measure computed.
  void count_computed(std::size_t n_pairs) { n_computed_ += n_pairs; }

  // terms[i] = measure(feature, references[i]) on one replicate, NaN if that is not kept.
  void look_up(std::size_t replicate, std::uint32_t feature, std::span<const std::uint32_t> references,
               std::span<double> terms);

  // One value.
  double value_of(std::size_t replicate, std::uint32_t reference, std::uint32_t feature);

  // Pairs requested, and pairs computed: more than those once the store is full.
  std::size_t n_distinct() const { return n_distinct_; }
  std::size_t n_computed() const { return n_computed_; }
  bool is_full() const { return is_full_; }

 private:
  std::uint32_t number_of(std::uint32_t reference);
  std::uint32_t find(std::uint32_t reference, std::uint32_t feature) const;
  void insert(std::uint32_t reference, std::uint32_t feature, std::uint32_t pair);
  std::vector<TermRequest> requests_for_missing(std::size_t n_values);
  bool has_room() const { return !is_full_ || n_kept_ < blocks_.size() * kBlock; }
  void compute();
  bool compute_on(std::size_t replicate);
  void keep(std::uint32_t reference, std::uint32_t feature, const double* values);

  // The values of one replicate are adjacent: its search reads no others.
  double& value(std::size_t pair, std::size_t replicate) {
    return blocks_[pair / kBlock][replicate * kBlock + pair % kBlock];
  }

  static constexpr std::size_t kBlock = 1024;  // pairs

  struct MissingPair {
    std::uint32_t reference, feature;
    double* out;
  };

  PairMeasure& measure_;
  std::size_t n_replicates_;
  std::size_t memory_limit_;
  bool own_replicates_;
  bool is_symmetric_;
  std::size_t n_distinct_ = 0, n_computed_ = 0, n_kept_ = 0;
  bool is_full_ = false;
  // References are numbered as they come. rows_[f][number] is the pair of feature f with that reference: a candidate
  // requests one selected feature after the other, and finds their pairs side by side.
  std::vector<std::uint32_t> numbers_;
  std::uint32_t n_references_ = 0;
  std::vector<std::vector<std::uint32_t>> rows_;
  std::vector<std::unique_ptr<double[]>> blocks_;
  std::vector<MissingPair> missing_;
  std::vector<std::uint32_t> references_, features_;  // of the missing pairs
  std::vector<double> computed_;
  // The replicate of the latest request since the store is full.
  std::unique_ptr<PairMeasure> requester_;
  std::size_t asking_number_ = 0;
};

// One replicate as a plain measure. Throws std::invalid_argument if there is no such replicate.
class ReplicateView final : public PairMeasure {
 public:
  ReplicateView(PairStore& store, std::size_t replicate);

  std::size_t n_features() const override { return store_.n_features(); }
  bool is_symmetric() const override { return store_.is_symmetric(); }
  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override;
  // Values are taken from the store where finding one costs less than computing it.
  RequestHints hints() const override {
    const RequestHints of_all = store_.hints();
    return {.terms_at_once = of_all.terms_at_once,
            .round_size = of_all.round_size,
            .keeps_values = own_ == nullptr && !of_all.offers_replicates};
  }
  void look_up(std::uint32_t feature, std::span<const std::uint32_t> references, std::span<double> terms) override {
    store_.look_up(replicate_, feature, references, terms);
  }
  void fill(std::span<const TermRequest> requests) override;

 private:
  PairStore& store_;
  std::size_t replicate_;
  std::unique_ptr<PairMeasure> own_;
};

// The sum over some replicates as a plain measure: the Inner Ensemble, less the common divisor. Sums of multiples of
// 2^-40 are exact; their mean would not be.
class SummedReplicates final : public PairMeasure {
 public:
  SummedReplicates(PairMeasure& base, std::vector<std::uint32_t> replicates);

  std::size_t n_features() const override { return base_.n_features(); }
  bool is_symmetric() const override { return base_.is_symmetric(); }
  RequestHints hints() const override { return {.round_size = base_.hints().round_size}; }
  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override;
  void fill(std::span<const TermRequest> requests) override;

 private:
  void sum(std::span<const double> all, std::span<double> out) const;

  PairMeasure& base_;
  std::vector<std::uint32_t> replicates_;
  std::vector<double> all_;
};

}  // namespace thresher
