// The one greedy forward search. MRMR, CFS, JMI, RRCT and the others differ in the criterion only.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/interrupt.hpp"
#include "search/search_result.hpp"

namespace thresher {

// The options of every forward search.
struct ForwardOptions {
  Candidates candidates;
  Progress progress;
};

// How a search by terms is carried out; the result is the same.
enum class Strategy {
  lazy,    // best bounds first, one term at a time
  scan,    // in order of relevance, each candidate while it can still win
  cached,  // every candidate at every step, its terms kept
  naive,   // every candidate at every step, all terms computed again
};

// Chooses the steps of a forward search. All functions take the features selected before, and may put off all work on
// the last features of it until then: nothing is computed for a step that does not come.
class Criterion {
 public:
  virtual ~Criterion() = default;

  // Returns the step of kept.front(); the features after it will follow.
  virtual Step keep(std::span<const std::uint32_t> selected, std::span<const std::uint32_t> kept,
                    Interrupt& interrupt) = 0;
  // Returns the step of the best candidate, which is then no longer a candidate; none: the search ends.
  virtual std::optional<Step> next(std::span<const std::uint32_t> selected, Interrupt& interrupt) = 0;
  // Returns all results but the steps.
  virtual SearchResult seen() const = 0;
};

// A forward search in progress: the kept features, then the features that the criterion chooses. Continuing gives what
// one longer search would have given.
//
// The data of the criterion must outlive the search. If an exception leaves the criterion in the middle of a step, the
// steps before it remain, but the search cannot continue.
class ForwardSearch {
 public:
  ForwardSearch(std::unique_ptr<Criterion> criterion, const ForwardOptions& options)
      : criterion_(std::move(criterion)),
        kept_(options.candidates.kept.begin(), options.candidates.kept.end()),
        progress_(options.progress) {}

  // Takes `n_more` more features, or as many as there are. The kept ones count, but all of them are taken.
  void extend(std::size_t n_more, Interrupt& interrupt) {
    if (is_cut_short_) throw std::logic_error("the search was cut short in the middle of a step; start it again");
    const std::size_t n_before = steps_.selected.size();
    while (steps_.selected.size() < kept_.size()) {
      take(within_step([&] { return criterion_->keep(steps_.selected, kept_left(), interrupt); }), interrupt);
    }
    while (!is_exhausted_ && steps_.selected.size() - n_before < n_more) {
      const auto step = within_step([&] { return criterion_->next(steps_.selected, interrupt); });
      if (step) take(*step, interrupt);
      is_exhausted_ = !step;
    }
  }

  const Steps& steps() const { return steps_; }
  // Returns whether the criterion has no further step.
  bool is_exhausted() const { return is_exhausted_; }

  SearchResult result() const {
    SearchResult result = criterion_->seen();
    static_cast<Steps&>(result) = steps_;
    return result;
  }

 private:
  std::span<const std::uint32_t> kept_left() const { return std::span(kept_).subspan(steps_.selected.size()); }

  template <class Choose>
  std::invoke_result_t<Choose> within_step(Choose choose) {
    is_cut_short_ = true;
    auto step = choose();
    is_cut_short_ = false;
    return step;
  }

  void take(const Step& step, Interrupt& interrupt) {
    steps_.append(step);
    if (progress_) progress_(steps_.selected.size(), step.feature, step.score);
    interrupt.check();
  }

  std::unique_ptr<Criterion> criterion_;
  std::vector<std::uint32_t> kept_;
  Progress progress_;
  Steps steps_;
  bool is_exhausted_ = false, is_cut_short_ = false;
};

}  // namespace thresher
