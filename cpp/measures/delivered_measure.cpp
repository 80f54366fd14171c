#include "measures/delivered_measure.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace thresher {

std::size_t DeliveredMeasure::usual_round_size(std::size_t n_features) {
  return std::max<std::size_t>(1024, (n_features + 2) / 3);
}

DeliveredMeasure::DeliveredMeasure(PartSets sets, std::size_t round_size)
    : sets_(std::move(sets)), round_size_(round_size) {}

void DeliveredMeasure::values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) {
  const TermRequest request = {{&reference, 1}, features, out};
  fill({&request, 1});
}

void DeliveredMeasure::fill(std::span<const TermRequest> requests) {
  struct Pair {
    std::uint32_t reference, feature;
    double* out;
  };
  std::vector<Pair> pairs;
  for (const TermRequest& request : requests) {
    double* out = request.terms.data();
    for (const std::uint32_t feature : request.features) {
      for (const std::uint32_t reference : request.references) {
        pairs.push_back({reference, feature, out});
        out += n_replicates();
      }
    }
  }
  if (pairs.empty()) return;
  std::ranges::stable_sort(pairs, {}, &Pair::reference);
  std::vector<std::uint32_t> references, features;
  std::vector<double*> out;
  for (const Pair& pair : pairs) {
    references.push_back(pair.reference);
    features.push_back(pair.feature);
    out.push_back(pair.out);
  }
  ++n_rounds_;
  n_pairs_ += pairs.size();
  fetch({references, features}, out);
}

}  // namespace thresher
