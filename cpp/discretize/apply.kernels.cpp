#include "discretize/apply_kernels.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

// Up to this many cuts are compared one by one; more are searched by halves.
constexpr std::size_t kLinear = 16;

template <class T>
void apply(const T* x, std::size_t n, const double* cuts, std::size_t n_cuts, std::uint8_t* out) {
  if (n_cuts <= kLinear) {
    for (std::size_t i = 0; i < n; ++i) {
      const double value = static_cast<double>(x[i]);
      unsigned code = value != value ? 255u : 0u;
      for (std::size_t k = 0; k < n_cuts; ++k) code += value > cuts[k] ? 1u : 0u;
      out[i] = static_cast<std::uint8_t>(code);
    }
    return;
  }
  for (std::size_t i = 0; i < n; ++i) {
    const double value = static_cast<double>(x[i]);
    const double* base = cuts;
    std::size_t length = n_cuts;
    while (length > 1) {
      const std::size_t half = length / 2;
      base += value > base[half - 1] ? half : 0;
      length -= half;
    }
    const std::size_t code = static_cast<std::size_t>(base - cuts) + (value > *base ? 1u : 0u);
    out[i] = value != value ? std::uint8_t{255} : static_cast<std::uint8_t>(code);
  }
}

}  // namespace

extern const ApplyKernels apply_kernels;
const ApplyKernels apply_kernels{&apply<float>, &apply<double>};

}  // namespace thresher::THRESHER_LEVEL
