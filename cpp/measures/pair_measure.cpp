#include "measures/pair_measure.hpp"

#include <algorithm>
#include <limits>
#include <vector>

namespace thresher {

void PairMeasure::fill(std::span<const TermRequest> requests) {
  const std::size_t n_values = n_replicates();
  std::vector<double> column;
  for (const TermRequest& request : requests) {
    const std::size_t n_references = request.references.size();
    if (n_references == 1) {
      values(request.references[0], request.features, request.terms);
      continue;
    }
    column.resize(request.features.size() * n_values);
    for (std::size_t j = 0; j < n_references; ++j) {
      values(request.references[j], request.features, column);
      for (std::size_t i = 0; i < request.features.size(); ++i) {
        std::copy_n(column.data() + i * n_values, n_values, request.terms.data() + (i * n_references + j) * n_values);
      }
    }
  }
}

void PairMeasure::look_up(std::uint32_t, std::span<const std::uint32_t>, std::span<double> terms) {
  std::ranges::fill(terms, std::numeric_limits<double>::quiet_NaN());
}

}  // namespace thresher
