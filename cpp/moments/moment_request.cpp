#include "moments/moment_request.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "core/parallel.hpp"

namespace thresher {
namespace {

std::size_t grain(const NumericTable& block) {
  return std::max<std::size_t>((std::size_t{1} << 15) / block.n_rows(), 1);
}

void check_centres(const NumericTable& block, std::span<const double> centres) {
  if (centres.size() != block.n_features()) throw std::invalid_argument("centres must have one value per feature");
}

// use(first row, its weight, rows) of a segment.
template <class Use>
auto in_segment(const NumericTable& table, std::size_t segment, Use&& use) {
  const SegmentLayout& layout = table.layout();
  const std::size_t begin = layout.segments()[segment];
  const double* weights = layout.weights() == nullptr ? nullptr : layout.weights() + begin;
  return visit_type(table.matrix(), [&](const auto* base) {
    return use(base + begin, weights, layout.segments()[segment + 1] - begin);
  });
}

}  // namespace

ClassSum segment_sums(const NumericTable& table, std::uint32_t feature, std::size_t segment, double centre) {
  return in_segment(table, segment, [&](const auto* rows, const double* weights, std::size_t n) {
    return column_kernel(THRESHER_DISPATCH(exact_kernels), rows)(rows + feature * table.n_rows(), weights, n, centre);
  });
}

DoubleDouble segment_products(const NumericTable& table, std::uint32_t x, std::uint32_t y, std::size_t segment,
                              double centre_x, double centre_y) {
  return in_segment(table, segment, [&](const auto* rows, const double* weights, std::size_t n) {
    return typed(THRESHER_DISPATCH(exact_kernels), rows, rows)
        .products(rows + x * table.n_rows(), rows + y * table.n_rows(), weights, n, centre_x, centre_y);
  });
}

std::vector<ClassSum> column_sums(const NumericTable& block, std::span<const double> centres, std::size_t n_threads) {
  check_centres(block, centres);
  if (block.pairwise() || std::ranges::any_of(block.mean(), [](double mean) { return !std::isfinite(mean); })) {
    throw std::invalid_argument("values that are missing or infinite cannot be added up; impute them first");
  }
  const std::size_t n_parts = block.layout().n_segments();
  std::vector<ClassSum> out(block.n_features() * n_parts);
  parallel_for(block.n_features(), grain(block), n_threads, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      for (std::size_t part = 0; part < n_parts; ++part) {
        out[i * n_parts + part] = segment_sums(block, static_cast<std::uint32_t>(i), part, centres[i]);
      }
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
      const std::uint32_t x = request.features[i], y = request.references[i];
      for (std::size_t part = 0; part < n_parts; ++part) {
        out[i * n_parts + part] = segment_products(block, x, y, part, centres[x], centres[y]);
      }
    }
  });
  return out;
}

}  // namespace thresher
