// Greedy forward selection by relevance and redundancy (mRMR and its relatives).
#pragma once

#include <span>

#include "core/choices.hpp"
#include "measures/pair_measure.hpp"
#include "search/forward.hpp"
#include "search/search_result.hpp"

namespace thresher {

enum class ObjectiveKind { difference, sum, quotient, product };

inline constexpr Choice<ObjectiveKind> kObjectives[] = {{"difference", ObjectiveKind::difference},
                                                        {"sum", ObjectiveKind::sum},
                                                        {"quotient", ObjectiveKind::quotient},
                                                        {"product", ObjectiveKind::product}};

struct GreedyOptions : ForwardOptions {
  ObjectiveKind objective = ObjectiveKind::difference;
  double weight = 1.0;  // of the redundancy, in a difference, a sum or a product
  double offset = 0.0;  // added to the mean redundancy, in a quotient
  double unit = 1.0;    // of relevances and terms, in a product
  Strategy strategy = Strategy::lazy;
};

ForwardSearch greedy_forward(PairMeasure& measure, std::span<const double> relevance, const GreedyOptions& options);

}  // namespace thresher
