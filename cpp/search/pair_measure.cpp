#include "search/pair_measure.hpp"

#include <vector>

namespace thresher {

void PairMeasure::answer(std::span<const TermRequest> requests) {
  std::vector<double> column;
  for (const TermRequest& request : requests) {
    const std::size_t n_references = request.references.size();
    if (n_references == 1) {
      values(request.references[0], request.features, request.terms);
      continue;
    }
    column.resize(request.features.size());
    for (std::size_t j = 0; j < n_references; ++j) {
      values(request.references[j], request.features, column);
      for (std::size_t i = 0; i < column.size(); ++i) request.terms[i * n_references + j] = column[i];
    }
  }
}

}  // namespace thresher
