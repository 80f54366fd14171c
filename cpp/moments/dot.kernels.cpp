#include <concepts>

#include "core/lanes.hpp"
#include "moments/dot_kernels.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

static_assert(kDotLanes == kLanes);

// Adds the lanes pairwise; the tree is the same for every level.
double add_lanes(double* lanes) {
  for (std::size_t width = kDotLanes / 2; width > 0; width /= 2) {
    for (std::size_t lane = 0; lane < width; ++lane) lanes[lane] += lanes[lane + width];
  }
  return lanes[0];
}

template <class T>
double dot(const T* column, double mean, const double* vector, std::size_t n_rows) {
  double lanes[kDotLanes] = {};
  std::size_t row = 0;
  for (; row + kDotLanes <= n_rows; row += kDotLanes) {
    for (std::size_t lane = 0; lane < kDotLanes; ++lane) {
      lanes[lane] += (static_cast<double>(column[row + lane]) - mean) * vector[row + lane];
    }
  }
  for (std::size_t lane = 0; row + lane < n_rows; ++lane) {
    lanes[lane] += (static_cast<double>(column[row + lane]) - mean) * vector[row + lane];
  }
  return add_lanes(lanes);
}

// Returns the same sum of numbers that fill the lanes as they are. In lanes beyond the last row 0 is added, which
// changes nothing.
template <std::floating_point T>
double dot(const T* column, double mean, const double* vector, std::size_t n_rows) {
  const Lanes shift = lanes_set(mean);
  Lanes total = lanes_set(0.0);
  std::size_t row = 0;
  for (; row + kLanes <= n_rows; row += kLanes) {
    total = lanes_add(total, lanes_mul(lanes_sub(lanes_load(column + row), shift), lanes_load(vector + row)));
  }
  if (row < n_rows) {
    const Lanes values = lanes_sub(lanes_load_tail(column + row, n_rows - row, mean), shift);
    total = lanes_add(total, lanes_mul(values, lanes_load_tail(vector + row, n_rows - row, 0.0)));
  }
  return lanes_total(total);
}

// Adds up term(value - mean).
template <class T, class Term>
double add_up(const T* column, double mean, std::size_t n_rows, const Term& term) {
  double lanes[kDotLanes] = {};
  const auto add = [&](std::size_t row, std::size_t lane) {
    lanes[lane] += term(static_cast<double>(column[row + lane]) - mean);
  };
  std::size_t row = 0;
  for (; row + kDotLanes <= n_rows; row += kDotLanes) {
    for (std::size_t lane = 0; lane < kDotLanes; ++lane) add(row, lane);
  }
  for (std::size_t lane = 0; row + lane < n_rows; ++lane) add(row, lane);
  return add_lanes(lanes);
}

template <class T>
double sum(const T* column, double mean, std::size_t n_rows) {
  return add_up(column, mean, n_rows, [](double value) { return value; });
}

template <class T>
double square(const T* column, double mean, std::size_t n_rows) {
  return add_up(column, mean, n_rows, [](double value) { return value * value; });
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
