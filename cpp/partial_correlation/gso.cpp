#include "partial_correlation/gso.hpp"

#include <deque>
#include <memory>

namespace thresher {
namespace {

class PartialCorrelation final : public Criterion<PartialResult> {
 public:
  PartialCorrelation(std::span<const CentredColumns> replicates, std::span<const double> target,
                     const Candidates& candidates, Interrupt& interrupt)
      : field_(replicates.front().n_features(), candidates),
        score_(field_.size()),
        collinear_(field_.size()),
        result_(replicates.front().n_features()) {
    for (const CentredColumns& columns : replicates) {
      partials_.emplace_back(columns, target, field_.features(), interrupt);
      partial_.push_back(marginal_correlations(columns, target, field_.features(), interrupt));
    }
    look();
    result_.feature_relevance = result_.feature_score;
  }

  Step keep(std::span<const std::uint32_t> selected, std::span<const std::uint32_t> kept,
            Interrupt& interrupt) override {
    follow(selected, interrupt);
    return take(field_.position(kept.front()));
  }

  std::optional<Step> next(std::span<const std::uint32_t> selected, Interrupt& interrupt) override {
    follow(selected, interrupt);
    if (result_.exhausted_at) return std::nullopt;
    const auto best = field_.best(score_, collinear_);
    if (!best) return std::nullopt;
    return take(*best);
  }

  PartialResult seen() const override { return result_; }

 private:
  Step take(std::size_t position) {
    field_.select(position);
    const std::uint32_t feature = field_.features()[position];
    return {feature, score_[position], result_.feature_relevance[feature]};
  }

  // Regresses the feature selected last out of the others and the target.
  void follow(std::span<const std::uint32_t> selected, Interrupt& interrupt) {
    if (selected.empty()) return;
    bool exhausted = true;
    for (std::size_t r = 0; r < partials_.size(); ++r) {
      partials_[r].fold(selected.back(), interrupt);
      partials_[r].correlations(partial_[r], interrupt);
      exhausted = exhausted && partials_[r].exhausted();
      result_.n_evaluations += field_.size() - selected.size();
    }
    if (exhausted && !result_.exhausted_at) result_.exhausted_at = selected.size();
    look();
  }

  void look() {
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
      result_.feature_score[field_.features()[i]] = score_[i];
      result_.collinear[field_.features()[i]] = collinear;
    }
  }

  // Where one replicate has nothing to say while others do.
  bool is_used_up(std::size_t r) const {
    return partials_.size() > 1 && partials_[r].n_given() > 0 && partials_[r].exhausted();
  }

  Field field_;
  // By replicate.
  std::deque<Partials> partials_;
  std::vector<std::vector<Correlation>> partial_;
  // By position.
  std::vector<double> score_;
  std::vector<std::uint8_t> collinear_;
  PartialResult result_;
};

}  // namespace

ForwardSearch<PartialResult> gso_forward(std::span<const CentredColumns> replicates, std::span<const double> target,
                                         const ForwardOptions& options, Interrupt& interrupt) {
  return {std::make_unique<PartialCorrelation>(replicates, target, options.candidates, interrupt), options};
}

}  // namespace thresher
