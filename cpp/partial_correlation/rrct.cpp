#include "partial_correlation/rrct.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "core/elementary.hpp"

namespace thresher {
namespace {

constexpr double kDeadZone = 1e-12;
constexpr double kPerfectFit = 1e-12;
constexpr double kInformationOfPerfectFit = 1000.0;

double sign(double value) { return std::abs(value) <= kDeadZone ? 0.0 : value > 0.0 ? 1.0 : -1.0; }

class Tradeoff final : public PartialCriterion {
 public:
  Tradeoff(const CentredColumns& ranks, const CentredColumns& values, std::span<const double> target,
           const RrctOptions& options, Interrupt& interrupt)
      : PartialCriterion(ranks.n_features(), options.candidates),
        values_(values),
        options_(options),
        marginal_(marginal_correlations(ranks, target, field_.features(), interrupt)),
        partial_(field_.size()),
        gain_(field_.size()),
        record_(ranks.n_features()) {
    if (options.complementarity) partials_.emplace(ranks, target, field_.features(), interrupt);
    for (std::size_t i = 0; i < field_.size(); ++i) {
      series_.relevance[field_.features()[i]] = score_[i] = strength(marginal_[i]);
    }
  }

  SearchResult seen() const override {
    SearchResult result = PartialCriterion::seen();
    result.against = record_;
    return result;
  }

 protected:
  // Collinear candidates wait until no other is left.
  std::optional<std::size_t> best() const override {
    const auto independent = field_.best(score_, collinear_);
    return independent ? independent : field_.best(score_, {});
  }

  Step step(std::size_t position) override {
    const std::uint32_t feature = field_.features()[position];
    series_.last_score[feature] = score_[position];
    series_.complementarity.push_back(gain_[position]);
    return {feature, score_[position], series_.relevance[feature], redundancy(feature)};
  }

  void follow(std::span<const std::uint32_t> selected, Interrupt& interrupt) override {
    add_redundancy(selected.back(), interrupt);
    if (partials_) add_complementarity(selected, interrupt);
    for (std::size_t i = 0; i < field_.size(); ++i) {
      if (field_.is_selected(i)) continue;
      const std::uint32_t feature = field_.features()[i];
      series_.mean_redundancy[feature] = redundancy(feature);
      score_[i] = series_.relevance[feature] - series_.mean_redundancy[feature] + gain_[i];
      series_.last_score[feature] = score_[i];
      series_.collinear[feature] = collinear_[i];
    }
  }

 private:
  double strength(const Correlation& r) const {
    if (!options_.information) return std::abs(r.value);
    return r.unexplained > kPerfectFit ? -0.5 * plain_log(r.unexplained) : kInformationOfPerfectFit;
  }

  double complementarity(const Correlation& partial, const Correlation& marginal) const {
    const double direction = options_.magnitude_rule ? sign(std::abs(partial.value) - std::abs(marginal.value))
                                                     : sign(partial.value) * sign(partial.value - marginal.value);
    return direction * strength(partial);
  }

  // Mean over the selected features compared.
  double redundancy(std::uint32_t feature) const {
    const auto n_terms = static_cast<double>(record_.depth[feature]);
    return n_terms == 0.0 ? 0.0 : record_.total[feature] / (n_terms * options_.redundancy_scale);
  }

  void add_redundancy(std::uint32_t selected, Interrupt& interrupt) {
    features_.clear();
    for (std::size_t i = 0; i < field_.size(); ++i) {
      if (!field_.is_selected(i)) features_.push_back(field_.features()[i]);
    }
    std::vector<double> reference(values_.n_rows());
    values_.write(selected, reference.data());
    std::vector<double> correlation(features_.size());
    values_.correlate(features_, reference.data(), values_.square(selected), correlation, interrupt);
    for (std::size_t i = 0; i < features_.size(); ++i) {
      const double r = correlation[i];
      record_.add<SummedTerms>(features_[i], selected, strength({r, 1.0 - r * r}));
    }
    n_evaluations_ += features_.size();
  }

  void add_complementarity(std::span<const std::uint32_t> selected, Interrupt& interrupt) {
    partials_->fold(selected.back(), interrupt);
    if (partials_->exhausted()) {
      series_.exhausted_at = selected.size();
      partials_.reset();
      std::fill(gain_.begin(), gain_.end(), 0.0);
      std::fill(collinear_.begin(), collinear_.end(), std::uint8_t{0});
      return;
    }
    partials_->correlations(partial_, interrupt);
    for (std::size_t i = 0; i < field_.size(); ++i) {
      if (field_.is_selected(i)) continue;
      collinear_[i] = partials_->collinear(i);
      gain_[i] = collinear_[i] ? 0.0 : complementarity(partial_[i], marginal_[i]);
    }
  }

  const CentredColumns& values_;
  RrctOptions options_;
  std::optional<Partials> partials_;
  // By position.
  std::vector<Correlation> marginal_, partial_;
  std::vector<double> gain_;
  std::vector<std::uint32_t> features_;
  FeatureRecord record_;
};

}  // namespace

ForwardSearch rrct_forward(const CentredColumns& ranks, const CentredColumns& values, std::span<const double> target,
                           const RrctOptions& options, Interrupt& interrupt) {
  return {std::make_unique<Tradeoff>(ranks, values, target, options, interrupt), options};
}

}  // namespace thresher
