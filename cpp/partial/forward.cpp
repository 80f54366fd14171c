#include "partial/forward.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "partial/partials.hpp"

namespace thresher {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kDeadZone = 1e-12;
constexpr double kPerfectFit = 1e-12;
constexpr double kInformationOfPerfectFit = 1000.0;
constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

double sign(double value) { return std::abs(value) <= kDeadZone ? 0.0 : value > 0.0 ? 1.0 : -1.0; }

double strength(const Correlation& r, bool information) {
  if (!information) return std::abs(r.value);
  return r.unexplained > kPerfectFit ? -0.5 * std::log(r.unexplained) : kInformationOfPerfectFit;
}

Correlation plain(double r) { return {r, 1.0 - r * r}; }

// Features in play: the kept ones and the candidates, by increasing index.
std::vector<std::uint32_t> features_in_play(const ForwardTask& task) {
  std::vector<std::uint32_t> features(task.candidates.begin(), task.candidates.end());
  features.insert(features.end(), task.kept.begin(), task.kept.end());
  std::sort(features.begin(), features.end());
  return features;
}

// The lowest position that is open and within the tolerance of the best open score; kNone if none is open.
std::size_t lowest_near_best(std::span<const double> score, std::span<const std::uint8_t> open) {
  double best = -std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < score.size(); ++i) {
    if (open[i]) best = std::max(best, score[i]);
  }
  const double least = best - 1e-10 * std::max(1.0, std::abs(best));
  for (std::size_t i = 0; i < score.size(); ++i) {
    if (open[i] && score[i] >= least) return i;
  }
  return kNone;
}

// Which feature is selected next, by position: the next kept one, or the best open candidate.
class Order {
 public:
  Order(const ForwardTask& task, std::span<const std::uint32_t> features) : open_(features.size(), 1) {
    for (const std::uint32_t feature : task.kept) {
      const auto found = std::lower_bound(features.begin(), features.end(), feature);
      kept_.push_back(static_cast<std::size_t>(found - features.begin()));
      open_[kept_.back()] = 0;
    }
  }

  bool forced() const { return n_taken_ < kept_.size(); }
  std::span<const std::uint8_t> open() const { return open_; }

  std::size_t next(std::span<const double> score, std::span<const std::uint8_t> blocked) {
    std::size_t position = kNone;
    if (forced()) {
      position = kept_[n_taken_];
    } else {
      std::vector<std::uint8_t> free(open_);
      for (std::size_t i = 0; i < free.size(); ++i) free[i] = free[i] && !blocked[i];
      position = lowest_near_best(score, free);
      if (position == kNone) return kNone;
      open_[position] = 0;
    }
    ++n_taken_;
    return position;
  }

 private:
  std::vector<std::size_t> kept_;
  std::vector<std::uint8_t> open_;
  std::size_t n_taken_ = 0;
};

ForwardResult empty_result(std::size_t n_features) {
  ForwardResult result;
  result.feature_relevance.assign(n_features, kNan);
  result.feature_redundancy.assign(n_features, kNan);
  result.feature_score.assign(n_features, kNan);
  result.largest_redundancy.assign(n_features, kNan);
  result.most_redundant.assign(n_features, -1);
  result.collinear.assign(n_features, 0);
  return result;
}

// Correlation of each feature with the target before anything is selected.
//
// One target column: straight from the products, so that equal rank products give equal values.
std::vector<Correlation> marginal_correlations(const CentredColumns& columns, const ForwardTask& task,
                                               std::span<const std::uint32_t> features, Interrupt& interrupt) {
  std::vector<Correlation> marginal(features.size());
  if (task.target.size() != columns.n_rows()) {
    Partials(columns, task.target, features, interrupt).correlations(marginal, interrupt);
    return marginal;
  }
  double sum = 0.0;
  for (const double value : task.target) sum += value;
  std::vector<double> target(task.target.begin(), task.target.end());
  double square = 0.0;
  for (double& value : target) {
    value -= sum / static_cast<double>(target.size());
    square += value * value;
  }
  std::vector<double> values(features.size());
  columns.correlate(features, target.data(), square, values, interrupt);
  for (std::size_t i = 0; i < features.size(); ++i) marginal[i] = plain(values[i]);
  return marginal;
}

// The redundancy terms of RRCT, summed per feature as features are selected.
class Redundancy {
 public:
  Redundancy(const CentredColumns& values, std::span<const std::uint32_t> features, const RrctOptions& options)
      : values_(values), features_(features), options_(options), sum_(features.size()) {}

  // Adds the terms with one more selected feature. Those of features already selected are not needed.
  void add(std::uint32_t selected, std::span<const std::uint8_t> wanted, ForwardResult& result, Interrupt& interrupt) {
    ++n_terms_;
    positions_.clear();
    wanted_.clear();
    for (std::size_t i = 0; i < features_.size(); ++i) {
      if (!wanted[i]) continue;
      positions_.push_back(i);
      wanted_.push_back(features_[i]);
    }
    std::vector<double> reference(values_.n_rows());
    values_.write(selected, reference.data());
    std::vector<double> correlation(wanted_.size());
    values_.correlate(wanted_, reference.data(), values_.square(selected), correlation, interrupt);
    for (std::size_t k = 0; k < positions_.size(); ++k) {
      const double term = strength(plain(correlation[k]), options_.information);
      sum_[positions_[k]] += term;
      const std::uint32_t feature = wanted_[k];
      if (!(term / options_.redundancy_scale <= result.largest_redundancy[feature])) {
        result.largest_redundancy[feature] = term / options_.redundancy_scale;
        result.most_redundant[feature] = static_cast<std::int32_t>(selected);
      }
    }
    result.n_evaluations += wanted_.size();
  }

  double mean(std::size_t position) const {
    if (n_terms_ == 0) return 0.0;
    return sum_[position] / (static_cast<double>(n_terms_) * options_.redundancy_scale);
  }

 private:
  const CentredColumns& values_;
  std::span<const std::uint32_t> features_;
  const RrctOptions& options_;
  std::vector<double> sum_;
  std::vector<std::size_t> positions_;
  std::vector<std::uint32_t> wanted_;
  std::size_t n_terms_ = 0;
};

double complementarity(const Correlation& partial, const Correlation& marginal, const RrctOptions& options) {
  const double direction = options.magnitude_rule ? sign(std::abs(partial.value) - std::abs(marginal.value))
                                                  : sign(partial.value) * sign(partial.value - marginal.value);
  return direction * strength(partial, options.information);
}

}  // namespace

ForwardResult rrct_forward(const CentredColumns& ranks, const CentredColumns& values, const ForwardTask& task,
                           const RrctOptions& options, Interrupt& interrupt) {
  const std::vector<std::uint32_t> features = features_in_play(task);
  const std::size_t n = features.size();
  ForwardResult result = empty_result(ranks.n_features());
  const auto marginal = marginal_correlations(ranks, task, features, interrupt);
  std::optional<Partials> partials;
  if (options.complementarity) partials.emplace(ranks, task.target, features, interrupt);
  Redundancy redundancy(values, features, options);
  Order order(task, features);

  std::vector<double> relevance(n), gain(n), score(n);
  std::vector<std::uint8_t> unselected(n, 1), collinear(n), nothing(n);
  std::vector<Correlation> partial(n);
  for (std::size_t i = 0; i < n; ++i) {
    relevance[i] = score[i] = strength(marginal[i], options.information);
    result.feature_relevance[features[i]] = relevance[i];
  }
  while (result.selected.size() < task.n_wanted) {
    bool all_collinear = true;
    for (std::size_t i = 0; i < n; ++i) all_collinear = all_collinear && (collinear[i] || !order.open()[i]);
    const std::size_t chosen = order.next(score, all_collinear ? nothing : collinear);
    if (chosen == kNone) break;
    unselected[chosen] = 0;
    result.selected.push_back(features[chosen]);
    result.score.push_back(score[chosen]);
    result.relevance.push_back(relevance[chosen]);
    result.redundancy.push_back(redundancy.mean(chosen));
    result.complementarity.push_back(gain[chosen]);
    result.feature_score[features[chosen]] = score[chosen];
    result.feature_redundancy[features[chosen]] = redundancy.mean(chosen);
    if (result.selected.size() == task.n_wanted) break;

    redundancy.add(features[chosen], unselected, result, interrupt);
    if (partials) {
      partials->fold(features[chosen], interrupt);
      if (partials->exhausted()) {
        result.exhausted_at = result.selected.size();
        partials.reset();
        std::fill(gain.begin(), gain.end(), 0.0);
        std::fill(collinear.begin(), collinear.end(), std::uint8_t{0});
      } else {
        partials->correlations(partial, interrupt);
      }
    }
    for (std::size_t i = 0; i < n; ++i) {
      if (!unselected[i]) continue;
      if (partials) {
        collinear[i] = partials->collinear(i);
        gain[i] = collinear[i] ? 0.0 : complementarity(partial[i], marginal[i], options);
      }
      score[i] = relevance[i] - redundancy.mean(i) + gain[i];
      result.feature_score[features[i]] = score[i];
      result.feature_redundancy[features[i]] = redundancy.mean(i);
      result.collinear[features[i]] = collinear[i];
    }
  }
  return result;
}

ForwardResult gso_forward(const CentredColumns& columns, const ForwardTask& task, Interrupt& interrupt) {
  const std::vector<std::uint32_t> features = features_in_play(task);
  const std::size_t n = features.size();
  ForwardResult result = empty_result(columns.n_features());
  Partials partials(columns, task.target, features, interrupt);
  Order order(task, features);
  std::vector<Correlation> partial = marginal_correlations(columns, task, features, interrupt);
  std::vector<double> score(n);
  std::vector<std::uint8_t> selected(n), collinear(n);
  for (;;) {
    for (std::size_t i = 0; i < n; ++i) {
      if (selected[i]) continue;
      collinear[i] = partials.collinear(i);
      score[i] = collinear[i] ? 0.0 : partial[i].value * partial[i].value;
      result.feature_score[features[i]] = score[i];
      result.collinear[features[i]] = collinear[i];
      if (result.selected.empty()) result.feature_relevance[features[i]] = score[i];
    }
    if (partials.n_given() > 0 && partials.exhausted() && !result.exhausted_at) {
      result.exhausted_at = result.selected.size();
    }
    if (result.selected.size() == task.n_wanted || (result.exhausted_at && !order.forced())) break;
    const std::size_t chosen = order.next(score, collinear);
    if (chosen == kNone) break;
    selected[chosen] = 1;
    result.selected.push_back(features[chosen]);
    result.score.push_back(score[chosen]);
    result.relevance.push_back(result.feature_relevance[features[chosen]]);
    if (result.selected.size() == task.n_wanted) break;
    result.n_evaluations += n - result.selected.size();
    partials.fold(features[chosen], interrupt);
    partials.correlations(partial, interrupt);
  }
  return result;
}

}  // namespace thresher
