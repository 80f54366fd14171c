#include "packing/plane_kernels.hpp"

#include <cstring>

#include "core/common_bits.hpp"
#include "packing/match_word.hpp"

#if defined(__AVX512BW__)
#include <immintrin.h>
#endif

namespace thresher {
namespace THRESHER_LEVEL {
namespace {

void count_planes(PlaneBlock a, std::size_t n_words, std::uint32_t* counts) {
  for (std::size_t i = 0; i < a.n_planes; ++i) {
    const std::uint64_t* plane = a.words + i * a.stride;
    counts[i] = common_bits(plane, plane, n_words);
  }
}

void pack_codes(const std::uint8_t* codes, std::size_t n_rows, std::size_t n_planes, std::size_t stride,
                std::uint64_t* planes) {
  const std::size_t whole = n_rows / 64;
  for (std::size_t w = 0; w < whole; ++w) {
    for (std::size_t l = 0; l < n_planes; ++l)
      planes[l * stride + w] = match_word(codes + 64 * w, static_cast<std::uint8_t>(l));
  }
  const std::size_t rest = n_rows - 64 * whole;
  if (rest > 0) {
    std::uint8_t last[64] = {};
    std::memcpy(last, codes + 64 * whole, rest);
    const std::uint64_t used = (std::uint64_t{1} << rest) - 1;
    for (std::size_t l = 0; l < n_planes; ++l)
      planes[l * stride + whole] = match_word(last, static_cast<std::uint8_t>(l)) & used;
  }
}

void unpack_codes(PlaneBlock a, std::size_t n_rows, std::uint8_t rest, std::uint8_t* codes) {
  std::memset(codes, rest, n_rows);
  for (std::size_t l = 0; l < a.n_planes; ++l) {
    const std::uint64_t* plane = a.words + l * a.stride;
    for (std::size_t w = 0; 64 * w < n_rows; ++w) {
      std::uint8_t* out = codes + 64 * w;
#if defined(__AVX512BW__)
      const std::size_t here = n_rows - 64 * w;
      const std::uint64_t used = here < 64 ? (std::uint64_t{1} << here) - 1 : ~std::uint64_t{0};
      _mm512_mask_storeu_epi8(out, _cvtu64_mask64(plane[w] & used), _mm512_set1_epi8(static_cast<char>(l)));
#else
      const auto level = static_cast<std::uint8_t>(l);
      const std::size_t here = n_rows - 64 * w < 64 ? n_rows - 64 * w : 64;
      for (std::size_t k = 0; k < here; ++k) out[k] = ((plane[w] >> k) & 1) != 0 ? level : out[k];
#endif
    }
  }
}

}  // namespace

extern const PlaneKernels plane_kernels;
const PlaneKernels plane_kernels = {count_planes, pack_codes, unpack_codes};

}  // namespace THRESHER_LEVEL
}  // namespace thresher
