#include "moments/column_kernels.hpp"

#include "core/lane_sum.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

double absolute(double v) { return v < 0.0 ? -v : v; }

template <class T>
double absolute_deviation(const T* x, std::size_t n, double centre) {
  return lane_sum(n, [=](std::size_t i) { return absolute(static_cast<double>(x[i]) - centre); });
}

template <class T>
std::size_t count_below(const T* x, std::size_t n, T border) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += x[i] < border ? 1 : 0;
  return count;
}

template <class T>
constexpr ColumnKernelsOf<T> table() {
  return {absolute_deviation<T>, count_below<T>};
}

}  // namespace

extern const ColumnKernels column_kernels = {table<float>(), table<double>()};

}  // namespace thresher::THRESHER_LEVEL
