#include <stdexcept>

#include "discretize/apply_kernels.hpp"
#include "discretize/cuts.hpp"
#include "moments/feature_loop.hpp"

namespace thresher {

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
  const ApplyKernels& kernels = THRESHER_DISPATCH(apply_kernels);
  for_features(matrix.n_features, matrix.n_rows, n_threads, interrupt, [&](std::size_t begin, std::size_t end) {
    for (std::size_t feature = begin; feature < end; ++feature) {
      const std::size_t at = feature * matrix.n_rows;
      const auto first = static_cast<std::size_t>(offsets[feature]);
      const std::size_t count = static_cast<std::size_t>(offsets[feature + 1]) - first;
      if (matrix.float32 != nullptr) {
        kernels.float32(matrix.float32 + at, matrix.n_rows, cuts.data() + first, count, out + at);
      } else {
        kernels.float64(matrix.float64 + at, matrix.n_rows, cuts.data() + first, count, out + at);
      }
    }
  });
}

}  // namespace thresher
