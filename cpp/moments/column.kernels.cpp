#include "moments/column_kernels.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

constexpr std::size_t kLanes = 16;

double reduce(double* lane) {
  for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
    for (std::size_t l = 0; l < width; ++l) lane[l] += lane[l + width];
  }
  return lane[0];
}

double absolute(double v) { return v < 0.0 ? -v : v; }

template <class T>
SumAndRange sum_and_range(const T* x, std::size_t n) {
  double lane[kLanes] = {};
  T low[kLanes];
  T high[kLanes];
  for (std::size_t l = 0; l < kLanes; ++l) low[l] = high[l] = x[0];
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      const T v = x[i + l];
      lane[l] += static_cast<double>(v);
      low[l] = v < low[l] ? v : low[l];
      high[l] = v > high[l] ? v : high[l];
    }
  }
  for (std::size_t l = 0; i + l < n; ++l) {
    const T v = x[i + l];
    lane[l] += static_cast<double>(v);
    low[l] = v < low[l] ? v : low[l];
    high[l] = v > high[l] ? v : high[l];
  }
  for (std::size_t l = 1; l < kLanes; ++l) {
    low[0] = low[l] < low[0] ? low[l] : low[0];
    high[0] = high[l] > high[0] ? high[l] : high[0];
  }
  return {reduce(lane), static_cast<double>(low[0]), static_cast<double>(high[0])};
}

template <class T>
double square_deviation(const T* x, std::size_t n, double centre) {
  double lane[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) {
      const double d = static_cast<double>(x[i + l]) - centre;
      lane[l] += d * d;
    }
  }
  for (std::size_t l = 0; i + l < n; ++l) {
    const double d = static_cast<double>(x[i + l]) - centre;
    lane[l] += d * d;
  }
  return reduce(lane);
}

template <class T>
double absolute_deviation(const T* x, std::size_t n, double centre) {
  double lane[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) lane[l] += absolute(static_cast<double>(x[i + l]) - centre);
  }
  for (std::size_t l = 0; i + l < n; ++l) lane[l] += absolute(static_cast<double>(x[i + l]) - centre);
  return reduce(lane);
}

template <class T>
std::size_t count_below(const T* x, std::size_t n, T border) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) count += x[i] < border ? 1 : 0;
  return count;
}

template <class T>
constexpr ColumnKernelsOf<T> table() {
  return {sum_and_range<T>, square_deviation<T>, absolute_deviation<T>, count_below<T>};
}

}  // namespace

extern const ColumnKernels column_kernels = {table<float>(), table<double>()};

}  // namespace thresher::THRESHER_LEVEL
