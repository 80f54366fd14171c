// The one greedy forward search. What tells MRMR from CFS, JMI, RRCT and the others is the criterion it asks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>

#include "core/interrupt.hpp"
#include "search/search_result.hpp"

namespace thresher {

// What every forward search is told.
struct ForwardOptions {
  std::size_t n_select = std::numeric_limits<std::size_t>::max();  // at most, kept features included
  Candidates candidates;
  Progress progress;
};

// How a search by terms is carried out; the answer is the same.
enum class Strategy {
  lazy,    // best bounds first, one term at a time
  scan,    // in order of relevance, each candidate as far as it can still win
  cached,  // every candidate at every step, its terms kept
  naive,   // every candidate at every step, all terms computed anew
};

// Takes the kept features, then whatever the criterion says is next, until there are enough or it says there is none.
//
// A criterion is a class with two functions. Both are told what is selected so far, and may put off all work on the
// last features of it until then: nothing is computed for a step that does not come.
//
//   Step keep(selected, kept)           the step of kept.front(); the features behind it will follow
//   std::optional<Step> next(selected)  the step of the best candidate, which is a candidate no longer; none: stop
template <class Criterion>
void search_forward(Criterion& criterion, const ForwardOptions& options, Interrupt& interrupt, Steps& steps) {
  const auto take = [&](const Step& step) {
    steps.append(step);
    if (options.progress) options.progress(steps.selected.size(), step.feature, step.score);
    interrupt.check();
  };
  const auto kept = options.candidates.kept;
  for (std::size_t i = 0; i < kept.size(); ++i) take(criterion.keep(steps.selected, kept.subspan(i)));
  while (steps.selected.size() < options.n_select) {
    const std::optional<Step> step = criterion.next(steps.selected);
    if (!step) break;
    take(*step);
  }
}

}  // namespace thresher
