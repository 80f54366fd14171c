// Bits that are set in both of two runs of words. Only for *.kernels.cpp.
#pragma once

#include <cstddef>
#include <cstdint>

#if defined(__aarch64__)
#include <arm_neon.h>
#endif

namespace thresher::THRESHER_LEVEL {
namespace {

inline std::uint32_t popcount(std::uint64_t word) { return static_cast<std::uint32_t>(__builtin_popcountll(word)); }

#if defined(__aarch64__)
// How many counts of bits in a byte can be added in a byte.
constexpr std::size_t kByteSteps = 31;

inline uint8x16_t count_in_bytes(uint64x2_t words) { return vcntq_u8(vreinterpretq_u8_u64(words)); }
#endif

inline std::uint32_t common_bits(const std::uint64_t* a, const std::uint64_t* b, std::size_t n_words) {
  std::uint32_t total = 0;
  std::size_t w = 0;
#if defined(__aarch64__)
  // On its own every word would go to a vector register, be counted, be added up, and come back.
  for (std::size_t left = n_words / 2; left > 0;) {
    const std::size_t steps = left < kByteSteps ? left : kByteSteps;
    uint8x16_t bytes = vdupq_n_u8(0);
    for (std::size_t step = 0; step < steps; ++step, w += 2) {
      bytes = vaddq_u8(bytes, count_in_bytes(vandq_u64(vld1q_u64(a + w), vld1q_u64(b + w))));
    }
    total += vaddlvq_u8(bytes);
    left -= steps;
  }
#endif
  for (; w < n_words; ++w) total += popcount(a[w] & b[w]);
  return total;
}

}  // namespace
}  // namespace thresher::THRESHER_LEVEL
