#include "moments/moment_request.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/parallel.hpp"

namespace thresher {
namespace {

// store(part, sums) for every part of a block.
template <class Store>
void sum_parts(const NumericTable& block, std::uint32_t feature, std::uint32_t reference,
               std::span<const double> centres, Store&& store) {
  const SegmentLayout& layout = block.layout();
  const auto segments = layout.segments();
  visit_type(block.matrix(), [&](const auto* base) {
    const auto& kernels = typed(THRESHER_DISPATCH(referee_kernels), base, base);
    for (std::size_t part = 0; part < layout.n_segments(); ++part) {
      const std::size_t begin = segments[part];
      const auto* rows = base + begin;
      const double* weights = layout.weights() == nullptr ? nullptr : layout.weights() + begin;
      store(part, kernels.sums(rows + feature * block.n_rows(), rows + reference * block.n_rows(), weights,
                               segments[part + 1] - begin, centres[feature], centres[reference]));
    }
  });
}

std::size_t grain(const NumericTable& block) {
  return std::max<std::size_t>((std::size_t{1} << 15) / block.n_rows(), 1);
}

void check_centres(const NumericTable& block, std::span<const double> centres) {
  if (centres.size() != block.n_features()) throw std::invalid_argument("centres must have one value per feature");
}

}  // namespace

std::vector<ClassSum> column_sums(const NumericTable& block, std::span<const double> centres, std::size_t n_threads) {
  check_centres(block, centres);
  if (block.pairwise() || std::ranges::any_of(block.mean(), [](double mean) { return !std::isfinite(mean); })) {
    throw std::invalid_argument("values that are missing or infinite cannot be added up; impute them first");
  }
  const std::size_t n_parts = block.layout().n_segments();
  std::vector<ClassSum> out(block.n_features() * n_parts);
  parallel_for(block.n_features(), grain(block), n_threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const auto feature = static_cast<std::uint32_t>(i);
      sum_parts(block, feature, feature, centres,
                [&](std::size_t part, const PairedSums& sums) { out[i * n_parts + part] = {sums.n, sums.x, sums.xx}; });
    }
  });
  return out;
}

std::vector<DoubleDouble> product_sums(const NumericTable& block, const PairRequest& request,
                                       std::span<const double> centres, std::size_t n_threads) {
  check_centres(block, centres);
  const auto [references, features] = request;
  if (references.size() != features.size()) throw std::invalid_argument("references and features differ in length");
  for (const auto& side : {references, features}) {
    if (std::ranges::any_of(side, [&](std::uint32_t feature) { return feature >= block.n_features(); })) {
      throw std::invalid_argument("no such feature");
    }
  }
  const std::size_t n_parts = block.layout().n_segments();
  std::vector<DoubleDouble> out(features.size() * n_parts);
  parallel_for(features.size(), grain(block), n_threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      sum_parts(block, request.features[i], request.references[i], centres,
                [&](std::size_t part, const PairedSums& sums) { out[i * n_parts + part] = sums.xy; });
    }
  });
  return out;
}

}  // namespace thresher
