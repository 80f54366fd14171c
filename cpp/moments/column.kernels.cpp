#include "moments/column_kernels.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

double absolute(double v) { return v < 0.0 ? -v : v; }

template <class T>
double absolute_deviation(const T* x, std::size_t n, double centre) {
  constexpr std::size_t kLanes = 16;
  double lane[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) lane[l] += absolute(static_cast<double>(x[i + l]) - centre);
  }
  for (std::size_t l = 0; i + l < n; ++l) lane[l] += absolute(static_cast<double>(x[i + l]) - centre);
  for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
    for (std::size_t l = 0; l < width; ++l) lane[l] += lane[l + width];
  }
  return lane[0];
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
