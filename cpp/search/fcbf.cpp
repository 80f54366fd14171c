#include "search/fcbf.hpp"

#include <memory>
#include <vector>

namespace thresher {
namespace {

// The next of the list that no selected feature has deleted.
class Survivor final : public Criterion<SearchResult> {
 public:
  Survivor(PairMeasure& measure, std::span<const double> relevance, const FcbfOptions& options)
      : measure_(measure),
        relevance_(relevance),
        left_(open_candidates(relevance, options.candidates)),
        record_(relevance.size()) {
    std::erase_if(left_, [&](std::uint32_t f) { return !(relevance[f] > options.threshold); });
  }

  Step keep(std::span<const std::uint32_t>, std::span<const std::uint32_t> kept, Interrupt&) override {
    delete_redundant(kept.front());
    return step(kept.front());
  }

  std::optional<Step> next(std::span<const std::uint32_t>, Interrupt&) override {
    if (n_taken_ > 0) delete_redundant(left_[n_taken_ - 1]);
    if (n_taken_ == left_.size()) return std::nullopt;
    return step(left_[n_taken_++]);
  }

  SearchResult seen() const override {
    SearchResult result;
    result.n_evaluations = n_evaluations_;
    result.record = record_;
    return result;
  }

 private:
  Step step(std::uint32_t feature) const {
    return {feature, relevance_[feature], relevance_[feature], record_.extreme[feature]};
  }

  // Behind those taken, `left_` keeps its order.
  void delete_redundant(std::uint32_t feature) {
    const std::span<const std::uint32_t> later = std::span(left_).subspan(n_taken_);
    if (later.empty()) return;
    add_column(measure_, feature, later, record_, terms_);
    n_evaluations_ += later.size();
    std::size_t n_left = n_taken_;
    for (std::size_t i = n_taken_; i < left_.size(); ++i) {
      if (terms_[i - n_taken_] < relevance_[left_[i]]) left_[n_left++] = left_[i];
    }
    left_.resize(n_left);
  }

  PairMeasure& measure_;
  std::span<const double> relevance_;
  std::vector<std::uint32_t> left_;
  std::size_t n_taken_ = 0;
  FeatureRecord record_;
  std::vector<double> terms_;
  std::size_t n_evaluations_ = 0;
};

}  // namespace

ForwardSearch<SearchResult> fcbf(PairMeasure& measure, std::span<const double> relevance, const FcbfOptions& options) {
  check_search_input(measure, relevance, options.candidates);
  return {std::make_unique<Survivor>(measure, relevance, options), options};
}

}  // namespace thresher
