#include <algorithm>
#include <memory>
#include <utility>

#include "search/ensemble_strategies.hpp"
#include "search/objective_choice.hpp"
#include "search/order.hpp"

namespace thresher {
namespace {

// The values of one feature with all others, by replicate and then by feature, so that a replicate adds a whole row.
class RowStore {
 public:
  // `features`: those that any replicate may need.
  RowStore(PairMeasure& measure, std::vector<std::uint32_t> features, std::size_t memory_limit)
      : measure_(measure),
        p_(measure.n_features()),
        e_(measure.n_replicates()),
        memory_limit_(memory_limit),
        features_(std::move(features)),
        rows_(p_),
        was_reference_(p_, 0) {}

  // Valid until the next call for another reference that could not be kept.
  const double* row(std::uint32_t reference) {
    if (rows_[reference]) return rows_[reference].get();
    if (was_reference_[reference] == 0) {
      was_reference_[reference] = 1;
      for (const std::uint32_t f : features_) n_distinct_ += was_reference_[f] == 0 ? 1 : 0;
    }
    auto values = std::make_unique_for_overwrite<double[]>(e_ * p_);
    if (features_.size() < p_) std::fill_n(values.get(), e_ * p_, 0.0);
    missing_.clear();
    for (const std::uint32_t f : features_) {
      if (rows_[f]) {
        for (std::size_t r = 0; r < e_; ++r) values[r * p_ + f] = rows_[f][r * p_ + reference];
      } else if (f != reference) {
        missing_.push_back(f);
      } else {
        for (std::size_t r = 0; r < e_; ++r) values[r * p_ + f] = 0.0;
      }
    }
    for (std::size_t begin = 0; begin < missing_.size(); begin += kTile) {
      const std::size_t n = std::min(kTile, missing_.size() - begin);
      const std::span<const std::uint32_t> tile(missing_.data() + begin, n);
      tile_values_.resize(n * e_);
      measure_.values(reference, tile, tile_values_);
      for (std::size_t r = 0; r < e_; ++r) {
        for (std::size_t i = 0; i < n; ++i) values[r * p_ + tile[i]] = tile_values_[i * e_ + r];
      }
    }
    const std::size_t n_bytes = e_ * p_ * sizeof(double);
    if (memory_limit_ != 0 && n_kept_bytes_ + n_bytes > memory_limit_) {
      is_full_ = true;
      temporary_ = std::move(values);
      return temporary_.get();
    }
    n_kept_bytes_ += n_bytes;
    rows_[reference] = std::move(values);
    return rows_[reference].get();
  }

  std::size_t n_distinct() const { return n_distinct_; }
  bool is_full() const { return is_full_; }

 private:
  static constexpr std::size_t kTile = 1024;  // pairs per call: their values stay in the cache while they are turned

  PairMeasure& measure_;
  std::size_t p_, e_, memory_limit_;
  std::vector<std::uint32_t> features_;
  std::vector<std::unique_ptr<double[]>> rows_;
  std::unique_ptr<double[]> temporary_;
  std::vector<std::uint8_t> was_reference_;
  std::vector<std::uint32_t> missing_;
  std::vector<double> tile_values_;
  std::size_t n_kept_bytes_ = 0, n_distinct_ = 0;
  bool is_full_ = false;
};

struct DenseReplicate {
  std::vector<double> totals;
  std::vector<double> closed;  // 0 for a candidate, -inf for any other feature
  std::size_t n_left = 0;
  std::size_t n_known = 0;  // selected features whose row has been added
};

template <class MakeObjective>
class DenseEnsemble {
 public:
  DenseEnsemble(PairMeasure& measure, const std::vector<ReplicateInput>& inputs, const EnsembleOptions& options,
                Interrupt& interrupt, MakeObjective make)
      : p_(measure.n_features()),
        inputs_(inputs),
        options_(options),
        interrupt_(interrupt),
        make_(make),
        rows_(measure, needed_features(measure, inputs), options.memory_limit),
        keys_(p_) {
    result_.replicates.resize(inputs.size());
  }

  EnsembleResult run() {
    for (const ReplicateInput& input : inputs_) start(input);
    // Replicates that selected the same feature last share its row while it is in the cache.
    std::vector<std::size_t> turn;
    for (;;) {
      turn.clear();
      for (std::size_t i = 0; i < inputs_.size(); ++i) {
        if (wants_more(i)) turn.push_back(i);
      }
      if (turn.empty()) break;
      const auto last = [&](std::size_t i) {
        const auto& selected = result_.replicates[i].selected;
        return selected.empty() ? 0 : selected.back();
      };
      std::stable_sort(turn.begin(), turn.end(), [&](std::size_t a, std::size_t b) { return last(a) < last(b); });
      for (const std::size_t i : turn) step(i);
    }
    result_.n_evaluations = rows_.n_distinct();
    result_.cache_full = rows_.is_full();
    return std::move(result_);
  }

 private:
  static std::vector<std::uint32_t> needed_features(const PairMeasure& measure,
                                                    const std::vector<ReplicateInput>& inputs) {
    std::vector<std::uint8_t> needed(measure.n_features(), 0);
    for (const ReplicateInput& input : inputs) {
      for (std::size_t f = 0; f < needed.size(); ++f) {
        if (input.candidates.mask.empty() || input.candidates.mask[f] != 0) needed[f] = 1;
      }
      for (const std::uint32_t f : input.candidates.kept) needed[f] = 1;
    }
    std::vector<std::uint32_t> features;
    for (std::uint32_t f = 0; f < needed.size(); ++f) {
      if (needed[f] != 0) features.push_back(f);
    }
    return features;
  }

  void start(const ReplicateInput& input) {
    DenseReplicate state;
    state.totals.assign(p_, 0.0);
    state.closed.assign(p_, -kInfinity);
    for (const std::uint32_t f : open_candidates(input.relevance, input.candidates)) {
      state.closed[f] = 0.0;
      ++state.n_left;
    }
    states_.push_back(std::move(state));
    for (const std::uint32_t f : options_.kept) {
      add_rows(states_.size() - 1);
      take(states_.size() - 1, f);
    }
  }

  bool wants_more(std::size_t i) const {
    return result_.replicates[i].selected.size() < options_.n_select && states_[i].n_left > 0;
  }

  void take(std::size_t i, std::uint32_t feature) {
    append(result_.replicates[i], feature, inputs_[i].relevance[feature], states_[i].totals[feature], make_);
  }

  void add_rows(std::size_t i) {
    DenseReplicate& state = states_[i];
    const auto& selected = result_.replicates[i].selected;
    for (; state.n_known < selected.size(); ++state.n_known) {
      interrupt_.check();
      const double* row = rows_.row(selected[state.n_known]) + inputs_[i].replicate * p_;
      double* totals = state.totals.data();
      for (std::size_t f = 0; f < p_; ++f) totals[f] += row[f];
    }
  }

  void step(std::size_t i) {
    add_rows(i);
    DenseReplicate& state = states_[i];
    const double* relevance = inputs_[i].relevance.data();
    const double* closed = state.closed.data();
    const std::size_t k = result_.replicates[i].selected.size();
    if (k == 0) {
      for (std::size_t f = 0; f < p_; ++f) keys_[f] = relevance[f] + closed[f];
    } else {
      // A closed feature gets -inf, or nan if its key is +inf: neither is ever chosen.
      const auto objective = make_(k);
      for (std::size_t f = 0; f < p_; ++f) keys_[f] = objective(relevance[f], state.totals[f]) + closed[f];
    }
    std::size_t best = p_;
    double best_key = -kInfinity;
    for (std::size_t f = 0; f < p_; ++f) {
      if (keys_[f] > best_key || (keys_[f] == kInfinity && relevance[f] > relevance[best])) {
        best = f;
        best_key = keys_[f];
      }
    }
    // All candidates left have the key -inf, as those without relevance have in a product: the lowest position wins.
    if (best == p_) best = static_cast<std::size_t>(std::find(closed, closed + p_, 0.0) - closed);
    const auto winner = static_cast<std::uint32_t>(best);
    state.closed[winner] = -kInfinity;
    --state.n_left;
    take(i, winner);
  }

  std::size_t p_;
  const std::vector<ReplicateInput>& inputs_;
  const EnsembleOptions& options_;
  Interrupt& interrupt_;
  MakeObjective make_;
  RowStore rows_;
  std::vector<DenseReplicate> states_;
  std::vector<double> keys_;
  EnsembleResult result_;
};

}  // namespace

EnsembleResult search_densely(PairMeasure& measure, const std::vector<ReplicateInput>& inputs,
                              const EnsembleOptions& options, Interrupt& interrupt) {
  return with_objective(options.objective, options.weight, options.offset, 1.0, [&](auto make) {
    return DenseEnsemble<decltype(make)>(measure, inputs, options, interrupt, make).run();
  });
}

}  // namespace thresher
