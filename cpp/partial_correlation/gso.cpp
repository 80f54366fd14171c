#include "partial_correlation/gso.hpp"

#include <deque>
#include <memory>

namespace thresher {
namespace {

class PartialCorrelation final : public PartialCriterion {
 public:
  PartialCorrelation(std::span<const CentredColumns> replicates, std::span<const double> target,
                     const Candidates& candidates, Interrupt& interrupt)
      : PartialCriterion(replicates.front().n_features(), candidates) {
    for (const CentredColumns& columns : replicates) {
      partials_.emplace_back(columns, target, field_.features(), interrupt);
      partial_.push_back(marginal_correlations(columns, target, field_.features(), interrupt));
    }
    update_scores();
    series_.relevance = series_.last_score;
  }

 protected:
  std::optional<std::size_t> best() const override {
    return series_.exhausted_at ? std::nullopt : field_.best(score_, collinear_);
  }

  Step step(std::size_t position) override {
    const std::uint32_t feature = field_.features()[position];
    return {feature, score_[position], series_.relevance[feature]};
  }

  // Regresses the feature selected last out of the others and the target.
  void follow(std::span<const std::uint32_t> selected, Interrupt& interrupt) override {
    bool exhausted = true;
    for (std::size_t r = 0; r < partials_.size(); ++r) {
      partials_[r].fold(selected.back(), interrupt);
      partials_[r].correlations(partial_[r], interrupt);
      exhausted = exhausted && partials_[r].exhausted();
      n_evaluations_ += field_.size() - selected.size();
    }
    if (exhausted && !series_.exhausted_at) series_.exhausted_at = selected.size();
    update_scores();
  }

 private:
  void update_scores() {
    for (std::size_t i = 0; i < field_.size(); ++i) {
      if (field_.is_selected(i)) continue;
      double sum = 0.0;
      bool collinear = true;
      for (std::size_t r = 0; r < partials_.size(); ++r) {
        if (partials_[r].collinear(i)) continue;
        collinear = false;
        if (is_used_up(r)) continue;
        sum += partial_[r][i].value * partial_[r][i].value;
      }
      collinear_[i] = collinear;
      score_[i] = sum / static_cast<double>(partials_.size());
      series_.last_score[field_.features()[i]] = score_[i];
      series_.collinear[field_.features()[i]] = collinear;
    }
  }

  // Whether one replicate is exhausted while others are not.
  bool is_used_up(std::size_t r) const {
    return partials_.size() > 1 && partials_[r].n_given() > 0 && partials_[r].exhausted();
  }

  // By replicate.
  std::deque<Partials> partials_;
  std::vector<std::vector<Correlation>> partial_;
};

}  // namespace

ForwardSearch gso_forward(std::span<const CentredColumns> replicates, std::span<const double> target,
                          const ForwardOptions& options, Interrupt& interrupt) {
  return {std::make_unique<PartialCorrelation>(replicates, target, options.candidates, interrupt), options};
}

}  // namespace thresher
