#include "search/fcbf.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <vector>

#include "search/column_rounds.hpp"

namespace thresher {
namespace {

// The next of the list that no selected feature has deleted.
class FcbfCriterion final : public Criterion {
 public:
  FcbfCriterion(PairMeasure& measure, std::span<const double> relevance, const FcbfOptions& options)
      : measure_(measure),
        relevance_(relevance),
        left_(open_candidates(relevance, options.candidates)),
        record_(relevance.size()) {
    std::erase_if(left_, [&](std::uint32_t f) { return !(relevance[f] > options.threshold); });
    if (measure.hints().round_size > 0) columns_.emplace(measure);
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
    result.n_evaluations = columns_ ? columns_->n_evaluations() : n_evaluations_;
    result.against = record_;
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
    if (columns_) {
      request_columns(feature, later);
      columns_->take(feature, later, terms_);
      record_.add_all<SummedTerms>(later, feature, terms_);
    } else {
      add_column(measure_, feature, later, record_, terms_);
      n_evaluations_ += later.size();
    }
    std::size_t n_left = n_taken_;
    for (std::size_t i = n_taken_; i < left_.size(); ++i) {
      if (terms_[i - n_taken_] < relevance_[left_[i]]) left_[n_left++] = left_[i];
    }
    left_.resize(n_left);
  }

  // In rounds: the column that is needed, and those of the next of the list, should they be selected.
  void request_columns(std::uint32_t feature, std::span<const std::uint32_t> later) {
    if (columns_->knows(feature)) return;
    std::vector<std::uint32_t> references = {feature};
    const std::size_t n_more = std::min(columns_->n_references(later.size()) - 1, later.size());
    references.insert(references.end(), later.begin(), later.begin() + static_cast<std::ptrdiff_t>(n_more));
    columns_->request(references, later);
  }

  PairMeasure& measure_;
  std::span<const double> relevance_;
  std::vector<std::uint32_t> left_;
  std::size_t n_taken_ = 0;
  FeatureRecord record_;
  std::vector<double> terms_;
  std::size_t n_evaluations_ = 0;
  std::optional<ColumnRounds> columns_;  // if the measure works in request rounds
};

}  // namespace

ForwardSearch fcbf(PairMeasure& measure, std::span<const double> relevance, const FcbfOptions& options) {
  check_search_input(measure, relevance, options.candidates);
  return {std::make_unique<FcbfCriterion>(measure, relevance, options), options};
}

}  // namespace thresher
