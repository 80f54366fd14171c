#include "moments/dot_kernels.hpp"

#include "core/lane_sum.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

template <class T>
double dot(const T* column, double mean, const double* vector, std::size_t n_rows) {
  return lane_sum(n_rows, [=](std::size_t row) { return (static_cast<double>(column[row]) - mean) * vector[row]; });
}

template <class T>
double sum(const T* column, double mean, std::size_t n_rows) {
  return lane_sum(n_rows, [=](std::size_t row) { return static_cast<double>(column[row]) - mean; });
}

template <class T>
double square(const T* column, double mean, std::size_t n_rows) {
  return lane_sum(n_rows, [=](std::size_t row) {
    const double value = static_cast<double>(column[row]) - mean;
    return value * value;
  });
}

void subtract(double* vector, double factor, const double* direction, std::size_t n_rows) {
  for (std::size_t row = 0; row < n_rows; ++row) vector[row] -= factor * direction[row];
}

}  // namespace

extern const DotKernels dot_kernels;
const DotKernels dot_kernels = {
    dot<std::int16_t>, dot<std::int32_t>,    dot<float>,    dot<double>,    sum<float>,
    sum<double>,       square<std::int16_t>, square<float>, square<double>, subtract,
};

}  // namespace thresher::THRESHER_LEVEL
