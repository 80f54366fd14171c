#include "measures/rank_kernels.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

std::int64_t dot16(const std::int16_t* a, const std::int16_t* b, std::size_t n, std::size_t run) {
  std::int64_t total = 0;
  for (std::size_t begin = 0; begin < n; begin += run) {
    const std::size_t end = n - begin < run ? n : begin + run;
    std::int32_t sum = 0;
    for (std::size_t i = begin; i < end; ++i) sum += static_cast<std::int32_t>(a[i]) * static_cast<std::int32_t>(b[i]);
    total += sum;
  }
  return total;
}

std::int64_t dot32(const std::int32_t* a, const std::int32_t* b, std::size_t n) {
  std::int64_t total = 0;
  for (std::size_t i = 0; i < n; ++i) total += static_cast<std::int64_t>(a[i]) * b[i];
  return total;
}

WideSum dot32_wide(const std::int32_t* a, const std::int32_t* b, std::size_t n) {
  WideSum total{0, 0};
  for (std::size_t i = 0; i < n; ++i) {
    const std::int64_t product = static_cast<std::int64_t>(a[i]) * b[i];
    total.high += product >> 32;
    total.low += static_cast<std::uint64_t>(product) & 0xffffffffu;
  }
  total.high += static_cast<std::int64_t>(total.low >> 32);
  total.low &= 0xffffffffu;
  return total;
}

}  // namespace

extern const RankKernels rank_kernels;
const RankKernels rank_kernels{&dot16, &dot32, &dot32_wide};

}  // namespace thresher::THRESHER_LEVEL
