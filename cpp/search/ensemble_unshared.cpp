#include <bit>
#include <memory>
#include <vector>

#include "search/ensemble_strategies.hpp"

namespace thresher {
namespace {

// The pairs that any replicate requested: a row of bits per reference.
class RequestedPairs {
 public:
  RequestedPairs(std::size_t n_features, bool is_symmetric) : rows_(n_features), is_symmetric_(is_symmetric) {}

  void mark(std::uint32_t reference, std::span<const std::uint32_t> features) {
    auto& row = rows_[reference];
    if (row.empty()) {
      row.resize((rows_.size() + 63) / 64);
      references_.push_back(reference);
    }
    for (const std::uint32_t feature : features) row[feature / 64] |= std::uint64_t{1} << feature % 64;
  }

  // Pairs requested both ways round count once if they have one value.
  std::size_t n_distinct() const {
    std::size_t n = 0;
    for (const std::uint32_t reference : references_) {
      for (const std::uint64_t word : rows_[reference]) n += static_cast<std::size_t>(std::popcount(word));
    }
    if (!is_symmetric_) return n;
    for (std::size_t i = 0; i < references_.size(); ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        n -= static_cast<std::size_t>(has(references_[i], references_[j]) && has(references_[j], references_[i]));
      }
    }
    return n;
  }

 private:
  bool has(std::uint32_t reference, std::uint32_t feature) const {
    return (rows_[reference][feature / 64] >> feature % 64 & 1) != 0;
  }

  std::vector<std::vector<std::uint64_t>> rows_;  // empty for features that were not references
  std::vector<std::uint32_t> references_;
  bool is_symmetric_;
};

// A measure that records the pairs requested.
class NotedMeasure final : public PairMeasure {
 public:
  NotedMeasure(PairMeasure& measure, RequestedPairs& requested) : measure_(measure), requested_(requested) {}

  std::size_t n_features() const override { return measure_.n_features(); }
  bool is_symmetric() const override { return measure_.is_symmetric(); }
  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override {
    measure_.values(reference, features, out);
    requested_.mark(reference, features);
  }
  RequestHints hints() const override { return {.terms_at_once = measure_.hints().terms_at_once}; }
  void fill(std::span<const TermRequest> requests) override {
    measure_.fill(requests);
    for (const TermRequest& request : requests) {
      for (const std::uint32_t reference : request.references) requested_.mark(reference, request.features);
    }
  }

 private:
  PairMeasure& measure_;
  RequestedPairs& requested_;
};

}  // namespace

std::optional<EnsembleResult> search_unshared(PairMeasure& measure, const std::vector<ReplicateInput>& inputs,
                                              const EnsembleOptions& options, Interrupt& interrupt) {
  RequestedPairs requested(measure.n_features(), measure.is_symmetric());
  EnsembleResult result;
  for (const ReplicateInput& input : inputs) {
    const std::unique_ptr<PairMeasure> replicate = measure.replicate(input.replicate);
    if (!replicate) return std::nullopt;
    NotedMeasure noted(*replicate, requested);
    result.replicates.push_back(search_one(noted, input, options, interrupt));
  }
  result.n_evaluations = requested.n_distinct();
  return result;
}

}  // namespace thresher
