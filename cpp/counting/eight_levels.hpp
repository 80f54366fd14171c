// Joint sums against a reference of five to eight levels, whose counts are made side by side in one register.
#pragma once

#include <immintrin.h>

#include <cstddef>
#include <cstdint>

#include "counting/joint_kernels.hpp"

namespace thresher {
namespace {  // one copy per file: kernels are built with different flags

inline bool has_about_eight_levels(const JointReference& reference) {
  return reference.planes.n_planes >= 4 && reference.planes.n_planes <= 7;
}

// Words lo..lo+7 of a plane; what lies beyond n_words is 0.
inline __m512i words_of(const std::uint64_t* plane, std::size_t lo, std::size_t n_words) {
  const std::size_t n = n_words - lo;
  const auto mask = static_cast<__mmask8>(n < 8 ? (1u << n) - 1u : 0xffu);
  return _mm512_maskz_loadu_epi64(mask, plane + lo);
}

// Returns the sums of the lanes of eight vectors, side by side.
inline __m512i add_lanes(const __m512i* v) {
  __m512i two[4];
  for (int k = 0; k < 4; ++k)
    two[k] =
        _mm512_add_epi64(_mm512_unpacklo_epi64(v[2 * k], v[2 * k + 1]), _mm512_unpackhi_epi64(v[2 * k], v[2 * k + 1]));
  __m512i four[2];
  for (int k = 0; k < 2; ++k)
    four[k] = _mm512_add_epi64(_mm512_shuffle_i64x2(two[2 * k], two[2 * k + 1], 0x88),
                               _mm512_shuffle_i64x2(two[2 * k], two[2 * k + 1], 0xdd));
  return _mm512_add_epi64(_mm512_shuffle_i64x2(four[0], four[1], 0x88), _mm512_shuffle_i64x2(four[0], four[1], 0xdd));
}

// The reference with a plane for every level, the last one too, and empty ones up to eight; then no count has to be
// found by subtraction along a row. Columns of up to 64 W rows; W is 1, 2 or a multiple of 8.
template <int W>
class EightLevels {
 public:
  explicit EightLevels(const JointReference& reference) : L_(reference.xlogx), n_words_(reference.n_words) {
    const PlaneBlock planes = reference.planes;
    alignas(64) std::uint64_t words[8][kStride] = {};
    for (std::size_t w = 0; w < n_words_; ++w) {
      std::uint64_t others = 0;
      for (std::size_t j = 0; j < planes.n_planes; ++j) {
        words[j][w] = planes.words[j * planes.stride + w];
        others |= words[j][w];
      }
      words[planes.n_planes][w] = ~others & (reference.kept == nullptr ? ~std::uint64_t{0} : reference.kept[w]);
    }
    for (std::size_t k = 0; k < kRegisters; ++k) b_[k] = _mm512_load_si512(&words[0][0] + 8 * k);
    alignas(64) std::uint64_t counts[8] = {};
    for (std::size_t j = 0; j <= planes.n_planes; ++j) counts[j] = reference.counts[j];
    counts_ = _mm512_load_si512(counts);
  }

  // Returns the sum of L over the cells of a feature and the reference.
  std::int64_t joint_sum(const CodedFeature& feature, std::size_t stride) const {
    std::int64_t sum = 0;
    __m512i rests = counts_;
    for (std::size_t i = 0; i + 1 < feature.levels; ++i) {
      const __m512i counts = count(feature.data + i * stride);
      rests = _mm512_sub_epi64(rests, counts);
      sum += sum_of_logs(counts);
    }
    return sum + sum_of_logs(rests);
  }

 private:
  static constexpr std::size_t kStride = W;
  static constexpr std::size_t kRegisters = W;  // eight planes of W words

  // Rows in common with each plane.
  __m512i count(const std::uint64_t* a) const {
    if constexpr (W == 1) {
      return both(_mm512_set1_epi64(static_cast<std::int64_t>(a[0])), b_[0]);
    } else if constexpr (W == 2) {
      const __m512i two = _mm512_broadcast_i64x2(_mm_loadu_si128(reinterpret_cast<const __m128i*>(a)));
      const __m512i low = both(two, b_[0]), high = both(two, b_[1]);
      // Even words in order, and odd ones.
      const __m512i even = _mm512_setr_epi64(0, 2, 4, 6, 8, 10, 12, 14),
                    odd = _mm512_setr_epi64(1, 3, 5, 7, 9, 11, 13, 15);
      return _mm512_add_epi64(_mm512_permutex2var_epi64(low, even, high), _mm512_permutex2var_epi64(low, odd, high));
    } else {
      __m512i sums[8];
      for (std::size_t block = 0; block < W / 8; ++block) {
        const __m512i words = words_of(a, 8 * block, n_words_);
        for (std::size_t j = 0; j < 8; ++j) {
          const __m512i found = both(words, b_[j * (W / 8) + block]);
          sums[j] = block == 0 ? found : _mm512_add_epi64(sums[j], found);
        }
      }
      return add_lanes(sums);
    }
  }

  static __m512i both(__m512i a, __m512i b) { return _mm512_popcnt_epi64(_mm512_and_si512(a, b)); }

  std::int64_t sum_of_logs(__m512i counts) const {
    alignas(64) std::uint64_t c[8];
    _mm512_store_si512(c, counts);
    return ((L_[c[0]] + L_[c[1]]) + (L_[c[2]] + L_[c[3]])) + ((L_[c[4]] + L_[c[5]]) + (L_[c[6]] + L_[c[7]]));
  }

  const std::int64_t* L_;
  std::size_t n_words_;
  __m512i b_[kRegisters];
  __m512i counts_;
};

template <int W>
void eight_level_sums(const JointReference& reference, const CodedFeature* features, const std::uint32_t* wanted,
                      std::size_t n, std::int64_t* sums) {
  const EightLevels<W> eight(reference);
  for (std::size_t k = 0; k < n; ++k) sums[k] = eight.joint_sum(features[wanted[k]], reference.planes.stride);
}

}  // namespace
}  // namespace thresher
