#include "moments/row_moment_kernels.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

// Lanes are columns, so that each sum runs over rows in their order whatever the vector width.
template <class T>
void add(const RowBlock<T>& block, double* sums, T* low, T* high) {
  const std::size_t width = block.n_columns;
  for (std::size_t r = 0; r < block.n_rows; ++r) {
    const T* __restrict x = block.first + r * block.stride;
    double* __restrict sum = sums + static_cast<std::size_t>(block.classes[r]) * width;
    T* __restrict lowest = low + static_cast<std::size_t>(block.classes[r]) * width;
    T* __restrict highest = high + static_cast<std::size_t>(block.classes[r]) * width;
    for (std::size_t j = 0; j < width; ++j) {
      const T v = x[j];
      sum[j] += static_cast<double>(v);
      lowest[j] = v < lowest[j] ? v : lowest[j];
      highest[j] = v > highest[j] ? v : highest[j];
    }
  }
}

template <class T>
void add_squares(const RowBlock<T>& block, const double* means, double* squares) {
  const std::size_t width = block.n_columns;
  for (std::size_t r = 0; r < block.n_rows; ++r) {
    const T* __restrict x = block.first + r * block.stride;
    const double* __restrict mean = means + static_cast<std::size_t>(block.classes[r]) * width;
    double* __restrict square = squares + static_cast<std::size_t>(block.classes[r]) * width;
    for (std::size_t j = 0; j < width; ++j) {
      const double d = static_cast<double>(x[j]) - mean[j];
      square[j] += d * d;
    }
  }
}

template <class T>
constexpr RowMomentKernelsOf<T> table() {
  return {add<T>, add_squares<T>};
}

}  // namespace

extern const RowMomentKernels row_moment_kernels = {table<float>(), table<double>()};

}  // namespace thresher::THRESHER_LEVEL
