// Sorting many short columns at once.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.hpp"

namespace thresher {

// How many columns are sorted together: one 64-byte row of them.
template <class T>
inline constexpr std::size_t kSortLanes = 64 / sizeof(T);

struct SortKernels {
  // Sorts every lane of rows[n][lanes] ascending. No NaN. Of 0 and -0 either may appear.
  void (*float32)(float* rows, std::size_t n);
  void (*float64)(double* rows, std::size_t n);
  // positions[i] = how many of the n >= 1 sorted values are below x[i], for count values. NaN: any.
  void (*find32)(const float* sorted, std::size_t n, const float* x, std::size_t count, std::uint32_t* positions);
  void (*find64)(const double* sorted, std::size_t n, const double* x, std::size_t count, std::uint32_t* positions);
};

THRESHER_DECLARE_KERNELS(SortKernels, sort_kernels)

inline auto sort_lanes(const SortKernels& kernels, const float*) { return kernels.float32; }
inline auto sort_lanes(const SortKernels& kernels, const double*) { return kernels.float64; }

inline auto find_positions(const SortKernels& kernels, const float*) { return kernels.find32; }
inline auto find_positions(const SortKernels& kernels, const double*) { return kernels.find64; }

}  // namespace thresher
