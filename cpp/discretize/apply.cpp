#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "core/feature_loop.hpp"
#include "core/parallel.hpp"
#include "discretize/cut_kernels.hpp"
#include "discretize/cuts.hpp"

namespace thresher {
namespace {

// The largest number of the type that is not above the cut.
template <class T>
T not_above(double cut) {
  const auto near = static_cast<T>(cut);
  return static_cast<double>(near) > cut ? std::nextafter(near, -std::numeric_limits<T>::infinity()) : near;
}

void check_offsets(std::span<const std::int64_t> offsets, std::size_t n_features, std::size_t n_cuts) {
  if (offsets.size() != n_features + 1 || offsets.front() != 0 || offsets.back() != static_cast<std::int64_t>(n_cuts)) {
    throw std::invalid_argument("offsets do not fit the features and cuts");
  }
  for (std::size_t feature = 0; feature < n_features; ++feature) {
    const std::int64_t count = offsets[feature + 1] - offsets[feature];
    if (count < 0 || count > 254) throw std::invalid_argument("a feature may have at most 254 cuts");
  }
}

}  // namespace

void apply_cuts(NumericMatrix matrix, std::span<const double> cuts, std::span<const std::int64_t> offsets,
                std::size_t n_threads, std::uint8_t* out, Interrupt& interrupt) {
  check_offsets(offsets, matrix.n_features, cuts.size());
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

template <class T>
void apply_cuts(const SparseCutData<T>& data, std::span<const double> cuts, std::span<const std::int64_t> offsets,
                std::size_t n_threads, T* out) {
  const SparseColumns<T>& columns = data.columns;
  check_offsets(offsets, columns.n_features, cuts.size());
  parallel_for(columns.n_features, 64, n_threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t f = begin; f < end; ++f) {
      T* next = out + columns.begin(f);
      const auto own =
          cuts.subspan(static_cast<std::size_t>(offsets[f]), static_cast<std::size_t>(offsets[f + 1] - offsets[f]));
      const auto code = [&](double value) {
        return static_cast<T>(std::lower_bound(own.begin(), own.end(), value) - own.begin());
      };
      const T zero = code(0.0);
      for (const T value : columns.values_of(f)) {
        *next++ = data.wanted[f] == 0 || std::isnan(value) ? value : code(static_cast<double>(value)) - zero;
      }
    }
  });
}

template void apply_cuts(const SparseCutData<float>&, std::span<const double>, std::span<const std::int64_t>,
                         std::size_t, float*);
template void apply_cuts(const SparseCutData<double>&, std::span<const double>, std::span<const std::int64_t>,
                         std::size_t, double*);

}  // namespace thresher
