// Greedy forward selection by criteria that accumulate one term per selected feature, such as those made of
// three-way counts: JMI, DISR, CIFE, ICAP (sums), JMIM, CMIM (smallest terms).
#pragma once

#include <span>

#include "measures/pair_measure.hpp"
#include "search/forward.hpp"
#include "search/search_result.hpp"

namespace thresher {

enum class Accumulation {
  sum,                     // sum of terms (JMI, DISR)
  minus_sum,               // relevance - sum of terms (CIFE)
  minus_positive_sum,      // relevance - sum of max(0, term) (ICAP)
  smallest,                // smallest term (JMIM)
  smallest_and_relevance,  // smaller of relevance and smallest term (CMIM)
};

struct AccumulateOptions : ForwardOptions {
  Accumulation accumulation = Accumulation::sum;
  Strategy strategy = Strategy::lazy;  // where terms known in part give no bound, always cached
};

// The first feature is the most relevant one. Terms may be negative. In the result `redundancy` contains the
// accumulated terms (not their mean) and the record's extreme is the term that speaks most against the feature: the
// largest under the minus sums, else the smallest.
ForwardSearch greedy_accumulate(PairMeasure& term, std::span<const double> relevance, const AccumulateOptions& options);

}  // namespace thresher
