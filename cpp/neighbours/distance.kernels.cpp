#include "neighbours/distance_kernels.hpp"

#if defined(__GNUC__) && defined(__AVX512F__)
#include <immintrin.h>
#endif

namespace thresher::THRESHER_LEVEL {
namespace {

constexpr std::size_t kLanes = 16;

#if defined(__GNUC__)

#if defined(__AVX512F__)
constexpr std::size_t kBytes = 64;
constexpr std::size_t kRows = 8;
#elif defined(__AVX2__)
constexpr std::size_t kBytes = 32;
constexpr std::size_t kRows = 4;
#else
constexpr std::size_t kBytes = 16;
constexpr std::size_t kRows = 4;
#endif

template <class T>
struct Vectors;
template <>
struct Vectors<float> {
  typedef float Values __attribute__((vector_size(kBytes)));
  typedef std::int32_t Bits __attribute__((vector_size(kBytes)));
  static constexpr std::int32_t kAbsolute = 0x7fffffff;
  static constexpr std::int32_t kOne = 0x3f800000;
};
template <>
struct Vectors<double> {
  typedef double Values __attribute__((vector_size(kBytes)));
  typedef std::int64_t Bits __attribute__((vector_size(kBytes)));
  static constexpr std::int64_t kAbsolute = 0x7fffffffffffffff;
  static constexpr std::int64_t kOne = 0x3ff0000000000000;
};

#if defined(__AVX512F__)
Vectors<float>::Values multiply_add(Vectors<float>::Values a, float b, Vectors<float>::Values sum) {
  return (Vectors<float>::Values)_mm512_fmadd_ps((__m512)a, _mm512_set1_ps(b), (__m512)sum);
}
Vectors<double>::Values multiply_add(Vectors<double>::Values a, double b, Vectors<double>::Values sum) {
  return (Vectors<double>::Values)_mm512_fmadd_pd((__m512d)a, _mm512_set1_pd(b), (__m512d)sum);
}
#else
template <class V, class T>
V multiply_add(V a, T b, V sum) {
  return sum + a * b;
}
#endif

template <class T, Metric metric>
void tile(const T* panel_a, const T* panel_b, std::size_t n_features, T* out) {
  using Values = typename Vectors<T>::Values;
  using Bits = typename Vectors<T>::Bits;
  constexpr std::size_t width = kBytes / sizeof(T);
  for (std::size_t a = 0; a < kPanel; a += kRows) {
    for (std::size_t b = 0; b < kPanel; b += 2 * width) {
      Values sum[kRows][2] = {};
      for (std::size_t f = 0; f < n_features; ++f) {
        const T* left = panel_a + f * kPanel + a;
        const T* right = panel_b + f * kPanel + b;
        Values other[2];
        __builtin_memcpy(&other[0], right, sizeof(Values));
        __builtin_memcpy(&other[1], right + width, sizeof(Values));
#pragma GCC unroll 8
        for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
          for (std::size_t v = 0; v < 2; ++v) {
            if constexpr (metric == Metric::mismatch) {
              sum[r][v] += (Values)((Bits)(other[v] != left[r]) & Vectors<T>::kOne);
            } else if constexpr (metric == Metric::product) {
              sum[r][v] = multiply_add(other[v], left[r], sum[r][v]);
            } else {
              const Values d = other[v] - left[r];
              if constexpr (metric == Metric::squared) {
                sum[r][v] += d * d;
              } else {
                sum[r][v] += (Values)((Bits)d & Vectors<T>::kAbsolute);
              }
            }
          }
        }
      }
      // Unrolled like the loop above, or the sums would be kept in memory.
#pragma GCC unroll 8
      for (std::size_t r = 0; r < kRows; ++r) {
#pragma GCC unroll 2
        for (std::size_t v = 0; v < 2; ++v) {
          T* target = out + (a + r) * kPanel + b + v * width;
          Values total;
          __builtin_memcpy(&total, target, sizeof(Values));
          total += sum[r][v];
          __builtin_memcpy(target, &total, sizeof(Values));
        }
      }
    }
  }
}

template <Metric metric>
void weigh(const double* rows, const WeightedPairs& pairs, double* out) {
  using Values = Vectors<double>::Values;
  using Bits = Vectors<double>::Bits;
  constexpr std::size_t width = kBytes / sizeof(double);
  constexpr std::size_t n_sums = kWeighed / width < 8 ? kWeighed / width : 8;
  for (std::size_t start = 0; start < kWeighed; start += n_sums * width) {
    Values sum[n_sums];
    __builtin_memcpy(sum, out + start, sizeof(sum));
    for (std::size_t i = 0; i < pairs.count; ++i) {
      const double* left = rows + pairs.first[i] * kWeighed + start;
      const double* right = rows + pairs.second[i] * kWeighed + start;
      const double weight = pairs.weight[i];
#pragma GCC unroll 8
      for (std::size_t v = 0; v < n_sums; ++v) {
        Values a;
        Values b;
        __builtin_memcpy(&a, left + v * width, sizeof(Values));
        __builtin_memcpy(&b, right + v * width, sizeof(Values));
        if constexpr (metric == Metric::mismatch) {
          sum[v] += (Values)((Bits)(a != b) & Vectors<double>::kOne) * weight;
        } else if constexpr (metric == Metric::squared) {
          sum[v] += (a - b) * (a - b) * weight;
        } else {
          sum[v] += (Values)((Bits)(a - b) & Vectors<double>::kAbsolute) * weight;
        }
      }
    }
    __builtin_memcpy(out + start, sum, sizeof(sum));
  }
}

#else

template <class T, Metric metric>
void tile(const T* panel_a, const T* panel_b, std::size_t n_features, T* out) {
  for (std::size_t a = 0; a < kPanel; ++a) {
    T sum[kPanel] = {};
    for (std::size_t f = 0; f < n_features; ++f) {
      const T left = panel_a[f * kPanel + a];
      const T* right = panel_b + f * kPanel;
      for (std::size_t b = 0; b < kPanel; ++b) {
        const T d = right[b] - left;
        if constexpr (metric == Metric::mismatch) {
          sum[b] += d != T(0) ? T(1) : T(0);
        } else if constexpr (metric == Metric::product) {
          sum[b] += right[b] * left;
        } else if constexpr (metric == Metric::squared) {
          sum[b] += d * d;
        } else {
          sum[b] += d < T(0) ? -d : d;
        }
      }
    }
    for (std::size_t b = 0; b < kPanel; ++b) out[a * kPanel + b] += sum[b];
  }
}

template <Metric metric>
void weigh(const double* rows, const WeightedPairs& pairs, double* out) {
  for (std::size_t i = 0; i < pairs.count; ++i) {
    const double* left = rows + pairs.first[i] * kWeighed;
    const double* right = rows + pairs.second[i] * kWeighed;
    for (std::size_t f = 0; f < kWeighed; ++f) {
      const double d = left[f] - right[f];
      const double term = metric == Metric::mismatch  ? (d != 0.0 ? 1.0 : 0.0)
                          : metric == Metric::squared ? d * d
                          : d < 0.0                   ? -d
                                                      : d;
      out[f] += term * pairs.weight[i];
    }
  }
}

#endif

double reduce(double* lane) {
  for (std::size_t width = kLanes / 2; width > 0; width /= 2) {
    for (std::size_t l = 0; l < width; ++l) lane[l] += lane[l + width];
  }
  return lane[0];
}

template <class T>
double weigh_squared(const T* x, const std::uint32_t* first, const std::uint32_t* second, const double* weight,
                     std::size_t n_pairs) {
  const auto term = [&](std::size_t pair) {
    const double d = static_cast<double>(x[first[pair]]) - static_cast<double>(x[second[pair]]);
    return weight[pair] * (d * d);
  };
  double lane[kLanes] = {};
  std::size_t i = 0;
  for (; i + kLanes <= n_pairs; i += kLanes) {
    for (std::size_t l = 0; l < kLanes; ++l) lane[l] += term(i + l);
  }
  for (std::size_t l = 0; i + l < n_pairs; ++l) lane[l] += term(i + l);
  return reduce(lane);
}

template <class T>
constexpr DistanceKernelsOf<T> table() {
  return {tile<T, Metric::manhattan>, tile<T, Metric::squared>, tile<T, Metric::mismatch>, tile<T, Metric::product>,
          weigh_squared<T>};
}

}  // namespace

extern const DistanceKernels distance_kernels = {weigh<Metric::manhattan>, weigh<Metric::squared>,
                                                 weigh<Metric::mismatch>, table<float>(), table<double>()};

}  // namespace thresher::THRESHER_LEVEL
