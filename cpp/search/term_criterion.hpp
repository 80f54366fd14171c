// Criteria made of a relevance and one term per selected feature: MRMR, CFS, JMI and their relatives.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "measures/pair_measure.hpp"
#include "search/column_rounds.hpp"
#include "search/forward.hpp"
#include "search/lazy_search.hpp"
#include "search/objective.hpp"
#include "search/order.hpp"
#include "search/round_search.hpp"

namespace thresher {

// A formula makes a criterion of the terms. It is a class with
//
//   kHasBound                                     whether terms known in part bound the key, as lazy and scan need it
//   Objective                                     the type of the keys, see objective.hpp
//   Objective objective(n_selected)               the keys of candidates for a set of that size
//   Leader floor()                                what a candidate has to beat
//   Step step(feature, relevance, total, n_selected)  what to report; called once for each feature taken
template <class Formula>
class TermCriterion final : public Criterion {
 public:
  using Objective = typename Formula::Objective;

  TermCriterion(PairMeasure& measure, std::span<const double> relevance, const Candidates& candidates,
                Strategy strategy, Formula formula)
      : measure_(measure),
        relevance_(relevance),
        strategy_(strategy),
        formula_(formula),
        open_(open_candidates(relevance, candidates)),
        record_(relevance.size(), Objective::kEmpty) {
    if (measure.hints().round_size > 0) columns_.emplace(measure);
  }

  Step keep(std::span<const std::uint32_t> selected, std::span<const std::uint32_t> kept, Interrupt&) override {
    if (!selected.empty()) add_terms(selected.back(), kept);
    return step(kept.front(), record_.total[kept.front()], selected);
  }

  // Without terms the most relevant candidate is first.
  std::optional<Step> next(std::span<const std::uint32_t> selected, Interrupt& interrupt) override {
    if (selected.empty()) {
      if (open_.empty() || !(relevance_[open_.front()] > formula_.floor().key)) return std::nullopt;
      const std::uint32_t first = open_.front();
      open_.erase(open_.begin());
      return step(first, Objective::kEmpty, selected);
    }
    const Leader winner = best(selected, interrupt);
    if (!winner.found()) return std::nullopt;
    return step(static_cast<std::uint32_t>(winner.feature), winner.total, selected);
  }

  SearchResult seen() const override {
    SearchResult result;
    result.n_evaluations = n_evaluations_;
    result.against = record_;
    const auto add = [&](const auto& search) {
      if (!search) return;
      search->record(result.against);
      result.n_evaluations += search->n_evaluations();
    };
    add(lazy_);
    add(rounds_);
    if (columns_) result.n_evaluations += columns_->n_evaluations();
    return result;
  }

 private:
  using Features = std::vector<std::uint32_t>;

  Step step(std::uint32_t feature, double total, std::span<const std::uint32_t> selected) {
    return formula_.step(feature, relevance_[feature], total, selected.size());
  }

  Leader best(std::span<const std::uint32_t> selected, Interrupt& interrupt) {
    if constexpr (Formula::kHasBound) {
      if (strategy_ == Strategy::lazy) {
        return columns_ ? best_by_bounds(rounds_, selected, interrupt) : best_by_bounds(lazy_, selected, interrupt);
      }
      if (strategy_ == Strategy::scan && !columns_) return best_by_scan(selected, interrupt);
    }
    return best_of_all(selected, interrupt);
  }

  template <class Search>
  Leader best_by_bounds(std::optional<Search>& search, std::span<const std::uint32_t> selected, Interrupt& interrupt) {
    if (!search) search.emplace(measure_, relevance_, std::move(open_));
    if (search->n_left() == 0) return {};
    return search->next(selected, formula_.objective(selected.size()), interrupt, formula_.floor());
  }

  Leader best_of_all(std::span<const std::uint32_t> selected, Interrupt& interrupt) {
    if (n_known_ == 0) std::sort(open_.begin(), open_.end());
    if (columns_) {
      request_columns(selected);
    } else if (strategy_ == Strategy::naive) {
      for (const std::uint32_t f : open_) record_.forget(f, Objective::kEmpty);
      n_known_ = 0;
    }
    for (; n_known_ < selected.size(); ++n_known_) {
      interrupt.check();
      if (columns_) {
        columns_->take(selected[n_known_], open_, terms_);
        record_.add_all<Objective>(open_, selected[n_known_], terms_);
      } else {
        add_terms(selected[n_known_], open_);
      }
    }
    const Objective objective = formula_.objective(selected.size());
    Leader leader = formula_.floor();
    for (const std::uint32_t f : open_) {
      const double this_key = key(f, objective);
      if (is_better(this_key, relevance_[f], f, leader.key, leader.relevance, leader.feature)) {
        leader = {this_key, relevance_[f], f, 0, record_.total[f]};
      }
    }
    if (leader.found()) std::erase(open_, static_cast<std::uint32_t>(leader.feature));
    return leader;
  }

  // Visits the candidates by the number of their known terms, most first; those without any by relevance. Each is
  // extended until it is complete or can no longer win; it is not visited again in the same step.
  Leader best_by_scan(std::span<const std::uint32_t> selected, Interrupt& interrupt) {
    if (by_depth_.empty()) by_depth_.push_back(std::move(open_));
    const std::size_t k = selected.size();
    const Objective objective = formula_.objective(k);
    by_depth_.resize(k + 1);
    Leader leader = formula_.floor();
    std::vector<Features> moved(k + 1);
    for (std::size_t depth = k + 1; depth-- > 0;) {
      Features& list = by_depth_[depth];
      std::size_t n_stay = 0, n_visited = 0;
      for (; n_visited < list.size(); ++n_visited) {
        const std::uint32_t f = list[n_visited];
        // Keys fall along the list of those without terms: no candidate behind can win.
        if (depth == 0 && key(f, objective) < leader.key) break;
        const auto can_win = [&] {
          return is_better(key(f, objective), relevance_[f], f, leader.key, leader.relevance, leader.feature);
        };
        while (record_.depth[f] < k && can_win()) {
          const std::uint32_t one[1] = {f};
          add_terms(selected[record_.depth[f]], one);
          if (n_evaluations_ % 256 == 0) interrupt.check();
        }
        if (record_.depth[f] == k && can_win()) leader = {key(f, objective), relevance_[f], f, 0, record_.total[f]};
        if (record_.depth[f] == depth) {
          list[n_stay++] = f;
        } else {
          moved[record_.depth[f]].push_back(f);
        }
      }
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(n_stay),
                 list.begin() + static_cast<std::ptrdiff_t>(n_visited));
    }
    for (std::size_t depth = 0; depth <= k; ++depth) {
      Features& list = by_depth_[depth];
      list.insert(list.end(), moved[depth].begin(), moved[depth].end());
      if (leader.found()) std::erase(list, static_cast<std::uint32_t>(leader.feature));
    }
    return leader;
  }

  // In rounds: the columns that are needed, and those of the best candidates, one of which is likely to be next.
  void request_columns(std::span<const std::uint32_t> selected) {
    Features references;
    for (const std::uint32_t f : selected.subspan(n_known_)) {
      if (!columns_->knows(f)) references.push_back(f);
    }
    if (references.empty()) return;
    Features likely;
    std::ranges::copy_if(open_, std::back_inserter(likely), [&](std::uint32_t f) { return !columns_->knows(f); });
    const Objective objective = formula_.objective(selected.size());
    const auto promise = [&](std::uint32_t f) { return n_known_ == 0 ? relevance_[f] : key(f, objective); };
    const std::size_t n_wanted = std::max(columns_->n_references(open_.size()), references.size()) - references.size();
    const auto middle = likely.begin() + static_cast<std::ptrdiff_t>(std::min(n_wanted, likely.size()));
    std::partial_sort(likely.begin(), middle, likely.end(), [&](std::uint32_t a, std::uint32_t b) {
      return is_better(promise(a), relevance_[a], a, promise(b), relevance_[b], b);
    });
    references.insert(references.end(), likely.begin(), middle);
    columns_->request(references, open_);
  }

  double key(std::uint32_t f, const Objective& objective) const { return objective(relevance_[f], record_.total[f]); }

  void add_terms(std::uint32_t selected, std::span<const std::uint32_t> features) {
    add_column<Objective>(measure_, selected, features, record_, terms_);
    n_evaluations_ += features.size();
  }

  PairMeasure& measure_;
  std::span<const double> relevance_;
  Strategy strategy_;
  Formula formula_;
  Features open_;  // candidates left, by relevance, until a strategy takes them over
  FeatureRecord record_;
  std::size_t n_evaluations_ = 0;
  std::vector<double> terms_;

  std::optional<LazySearch<Objective>> lazy_;
  std::optional<RoundSearch<Objective>> rounds_;
  std::optional<ColumnRounds> columns_;  // if the measure works in request rounds
  std::vector<Features> by_depth_;
  std::size_t n_known_ = 0;  // selected features whose terms are known for every candidate
};

// Returns the forward search by such a criterion.
template <class Formula>
ForwardSearch search_by_terms(PairMeasure& measure, std::span<const double> relevance, const ForwardOptions& options,
                              Strategy strategy, Formula formula) {
  check_search_input(measure, relevance, options.candidates);
  return {std::make_unique<TermCriterion<Formula>>(measure, relevance, options.candidates, strategy, formula), options};
}

}  // namespace thresher
