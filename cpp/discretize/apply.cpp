#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "discretize/cut_kernels.hpp"
#include "discretize/cuts.hpp"
#include "moments/feature_loop.hpp"

namespace thresher {
namespace {

// The largest number of the type that is not above the cut.
template <class T>
T not_above(double cut) {
  const auto near = static_cast<T>(cut);
  return static_cast<double>(near) > cut ? std::nextafter(near, -std::numeric_limits<T>::infinity()) : near;
}

}  // namespace

void apply_cuts(NumericMatrix matrix, std::span<const double> cuts, std::span<const std::int64_t> offsets,
                std::size_t n_threads, std::uint8_t* out, Interrupt& interrupt) {
  if (offsets.size() != matrix.n_features + 1 || offsets.front() != 0 ||
      offsets.back() != static_cast<std::int64_t>(cuts.size())) {
    throw std::invalid_argument("offsets do not fit the features and cuts");
  }
  for (std::size_t feature = 0; feature < matrix.n_features; ++feature) {
    const std::int64_t count = offsets[feature + 1] - offsets[feature];
    if (count < 0 || count > 254) throw std::invalid_argument("a feature may have at most 254 cuts");
  }
  const CutKernels& kernels = THRESHER_DISPATCH(cut_kernels);
  visit_type(matrix, [&](const auto* base) {
    using T = std::remove_cv_t<std::remove_pointer_t<decltype(base)>>;
    for_features(matrix.n_features, matrix.n_rows, n_threads, interrupt, [&](std::size_t begin, std::size_t end) {
      std::vector<T> own;
      for (std::size_t feature = begin; feature < end; ++feature) {
        const std::size_t at = feature * matrix.n_rows;
        own.clear();
        for (std::int64_t k = offsets[feature]; k < offsets[feature + 1]; ++k) {
          own.push_back(not_above<T>(cuts[static_cast<std::size_t>(k)]));
        }
        typed(kernels, base).apply(base + at, matrix.n_rows, own.data(), own.size(), out + at);
      }
    });
  });
}

}  // namespace thresher
