// 64 bytes compared with a value. Only for *.kernels.cpp.
#pragma once

#include <cstdint>

#if defined(__AVX512BW__) || defined(__SSE2__)
#include <immintrin.h>
#endif

namespace thresher::THRESHER_LEVEL {
namespace {

// Bit k = (bytes[k] == value), for 64 bytes.
inline std::uint64_t match_word(const std::uint8_t* bytes, std::uint8_t value) {
#if defined(__AVX512BW__)
  return _cvtmask64_u64(_mm512_cmpeq_epi8_mask(_mm512_loadu_si512(bytes), _mm512_set1_epi8(static_cast<char>(value))));
#elif defined(__SSE2__)
  const __m128i wanted = _mm_set1_epi8(static_cast<char>(value));
  std::uint64_t word = 0;
  for (int k = 0; k < 4; ++k) {
    const __m128i v = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + 16 * k));
    const auto bits = static_cast<std::uint64_t>(static_cast<unsigned>(_mm_movemask_epi8(_mm_cmpeq_epi8(v, wanted))));
    word |= bits << (16 * k);
  }
  return word;
#else
  std::uint64_t word = 0;
  for (int k = 0; k < 64; ++k) word |= static_cast<std::uint64_t>(bytes[k] == value) << k;
  return word;
#endif
}

}  // namespace
}  // namespace thresher::THRESHER_LEVEL
