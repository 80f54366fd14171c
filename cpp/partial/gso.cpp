#include "partial/gso.hpp"

#include <utility>

namespace thresher {
namespace {

class PartialCorrelation {
 public:
  PartialCorrelation(const CentredColumns& columns, std::span<const double> target, const Candidates& candidates,
                     Interrupt& interrupt)
      : interrupt_(interrupt),
        field_(columns.n_features(), candidates),
        partials_(columns, target, field_.features(), interrupt),
        partial_(marginal_correlations(columns, target, field_.features(), interrupt)),
        score_(field_.size()),
        collinear_(field_.size()),
        result_(columns.n_features()) {
    look();
    result_.feature_relevance = result_.feature_score;
  }

  Step keep(std::span<const std::uint32_t> selected, std::span<const std::uint32_t> kept) {
    follow(selected);
    return take(field_.position(kept.front()));
  }

  std::optional<Step> next(std::span<const std::uint32_t> selected) {
    follow(selected);
    if (result_.exhausted_at) return std::nullopt;
    const auto best = field_.best(score_, collinear_);
    if (!best) return std::nullopt;
    return take(*best);
  }

  PartialResult& result() { return result_; }

 private:
  Step take(std::size_t position) {
    field_.select(position);
    const std::uint32_t feature = field_.features()[position];
    return {feature, score_[position], result_.feature_relevance[feature]};
  }

  // Regresses the feature selected last out of the others and the target.
  void follow(std::span<const std::uint32_t> selected) {
    if (selected.empty()) return;
    result_.n_evaluations += field_.size() - selected.size();
    partials_.fold(selected.back(), interrupt_);
    partials_.correlations(partial_, interrupt_);
    if (partials_.exhausted() && !result_.exhausted_at) result_.exhausted_at = selected.size();
    look();
  }

  void look() {
    for (std::size_t i = 0; i < field_.size(); ++i) {
      if (field_.is_selected(i)) continue;
      collinear_[i] = partials_.collinear(i);
      score_[i] = collinear_[i] ? 0.0 : partial_[i].value * partial_[i].value;
      result_.feature_score[field_.features()[i]] = score_[i];
      result_.collinear[field_.features()[i]] = collinear_[i];
    }
  }

  Interrupt& interrupt_;
  Field field_;
  Partials partials_;
  // By position.
  std::vector<Correlation> partial_;
  std::vector<double> score_;
  std::vector<std::uint8_t> collinear_;
  PartialResult result_;
};

}  // namespace

PartialResult gso_forward(const CentredColumns& columns, std::span<const double> target, const ForwardOptions& options,
                          Interrupt& interrupt) {
  PartialCorrelation criterion(columns, target, options.candidates, interrupt);
  search_forward(criterion, options, interrupt, criterion.result());
  return std::move(criterion.result());
}

}  // namespace thresher
