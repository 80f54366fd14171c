#include "counting/triple_kernels.hpp"

#include "core/common_bits.hpp"

#if defined(__AVX512VPOPCNTDQ__)
#include <immintrin.h>
#endif

namespace thresher {
namespace THRESHER_LEVEL {
namespace {

inline PlaneBlock planes_of(PlaneTable table, std::uint32_t feature) {
  const CodedFeature& column = table.features[feature];
  return {column.data, column.levels == 0 ? std::size_t{0} : column.levels - std::size_t{1}, table.stride};
}

#if defined(__AVX512VPOPCNTDQ__)

// L of eight counts, from memory.
struct Gather {
  const std::int64_t* logs;

  explicit Gather(LogTables tables) : logs(tables.logs) {}

  __m512i operator()(__m512i count) const {
    return _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), __mmask8{0xff}, count, logs, 8);
  }
};

// L of eight counts below 16 N, from registers: several times quicker than from memory.
template <int N>
struct Permute {
  __m512i low[N], high[N];

  explicit Permute(LogTables tables) {
    for (int i = 0; i < N; ++i) {
      low[i] = _mm512_loadu_si512(tables.small_logs + 16 * i);
      high[i] = _mm512_loadu_si512(tables.small_logs + 16 * i + 8);
    }
  }

  __m512i operator()(__m512i count) const {
    // A permutation looks at the low four bits alone.
    __m512i value = _mm512_permutex2var_epi64(low[0], count, high[0]);
    for (int i = 1; i < N; ++i) {
      const __mmask8 beyond = _mm512_cmpge_epu64_mask(count, _mm512_set1_epi64(16 * i));
      value = _mm512_mask_mov_epi64(value, beyond, _mm512_permutex2var_epi64(low[i], count, high[i]));
    }
    return value;
  }
};

template <class Lookup>
inline __m512i sum_eights(PlaneBlock feature, LaneBlock lanes, std::size_t n_words, const Lookup& lookup) {
  __m512i total = _mm512_setzero_si512();
  for (std::size_t first = 0; first + 8 <= lanes.n_lanes; first += 8) {
    __m512i rest = _mm512_loadu_si512(lanes.counts + first);
    for (std::size_t plane = 0; plane < feature.n_planes; ++plane) {
      const std::uint64_t* bits = feature.words + plane * feature.stride;
      const std::uint64_t* lane = lanes.words + first;
      __m512i count = _mm512_setzero_si512();
      for (std::size_t w = 0; w < n_words; ++w, lane += lanes.n_lanes) {
        const __m512i word = _mm512_set1_epi64(static_cast<long long>(bits[w]));
        count = _mm512_add_epi64(count, _mm512_popcnt_epi64(_mm512_and_si512(word, _mm512_loadu_si512(lane))));
      }
      rest = _mm512_sub_epi64(rest, count);
      total = _mm512_add_epi64(total, lookup(count));
    }
    total = _mm512_add_epi64(total, lookup(rest));
  }
  return total;
}

inline __m256i sum_last_four(PlaneBlock feature, LaneBlock lanes, std::size_t n_words, const std::int64_t* logs) {
  const auto gather = [logs](__m256i index) {
    return _mm256_mmask_i64gather_epi64(_mm256_setzero_si256(), __mmask8{0x0f}, index, logs, 8);
  };
  const auto load = [](const std::uint64_t* words) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
  };
  const std::size_t first = lanes.n_lanes - 4;
  __m256i rest = load(lanes.counts + first);
  __m256i total = _mm256_setzero_si256();
  for (std::size_t plane = 0; plane < feature.n_planes; ++plane) {
    const std::uint64_t* bits = feature.words + plane * feature.stride;
    const std::uint64_t* lane = lanes.words + first;
    __m256i count = _mm256_setzero_si256();
    for (std::size_t w = 0; w < n_words; ++w, lane += lanes.n_lanes) {
      const __m256i word = _mm256_set1_epi64x(static_cast<long long>(bits[w]));
      count = _mm256_add_epi64(count, _mm256_popcnt_epi64(_mm256_and_si256(word, load(lane))));
    }
    rest = _mm256_sub_epi64(rest, count);
    total = _mm256_add_epi64(total, gather(count));
  }
  return _mm256_add_epi64(total, gather(rest));
}

template <class Lookup>
void sum_each(PlaneTable table, const std::uint32_t* wanted, std::size_t n, LaneBlock lanes, LogTables tables,
              std::int64_t* sums) {
  const Lookup lookup(tables);
  for (std::size_t k = 0; k < n; ++k) {
    const PlaneBlock feature = planes_of(table, wanted[k]);
    const __m512i eights = sum_eights(feature, lanes, table.n_words, lookup);
    alignas(64) std::int64_t parts[8];
    _mm512_store_si512(parts, eights);
    sums[k] = ((parts[0] + parts[1]) + (parts[2] + parts[3])) + ((parts[4] + parts[5]) + (parts[6] + parts[7]));
    if (lanes.n_lanes % 8 == 0) continue;
    const __m256i four = sum_last_four(feature, lanes, table.n_words, tables.logs);
    _mm256_store_si256(reinterpret_cast<__m256i*>(parts), four);
    sums[k] += (parts[0] + parts[1]) + (parts[2] + parts[3]);
  }
}

void sum_lanes(PlaneTable table, const std::uint32_t* wanted, std::size_t n, LaneBlock lanes, LogTables tables,
               std::int64_t* sums) {
  if (lanes.largest < 16) {
    sum_each<Permute<1>>(table, wanted, n, lanes, tables, sums);
  } else if (lanes.largest < 32) {
    sum_each<Permute<2>>(table, wanted, n, lanes, tables, sums);
  } else if (lanes.largest < kSmallCounts) {
    sum_each<Permute<4>>(table, wanted, n, lanes, tables, sums);
  } else {
    sum_each<Gather>(table, wanted, n, lanes, tables, sums);
  }
}

#else

constexpr std::size_t kLaneBlock = 4;

// count[l] = bits set in both the plane and lane l.
inline void count_lanes(const std::uint64_t* bits, const std::uint64_t* lane, std::size_t n_lanes, std::size_t n_words,
                        std::uint64_t* count) {
#if defined(__aarch64__)
  uint64x2_t sums[2] = {vdupq_n_u64(0), vdupq_n_u64(0)};
  for (std::size_t w = 0; w < n_words;) {
    const std::size_t end = n_words - w < kByteSteps ? n_words : w + kByteSteps;
    uint8x16_t bytes[2] = {vdupq_n_u8(0), vdupq_n_u8(0)};
    for (; w < end; ++w, lane += n_lanes) {
      const uint64x2_t word = vdupq_n_u64(bits[w]);
      for (int k = 0; k < 2; ++k) {
        bytes[k] = vaddq_u8(bytes[k], count_in_bytes(vandq_u64(word, vld1q_u64(lane + 2 * k))));
      }
    }
    for (int k = 0; k < 2; ++k) sums[k] = vpadalq_u32(sums[k], vpaddlq_u16(vpaddlq_u8(bytes[k])));
  }
  for (int k = 0; k < 2; ++k) vst1q_u64(count + 2 * k, sums[k]);
#else
  for (std::size_t l = 0; l < kLaneBlock; ++l) count[l] = 0;
  for (std::size_t w = 0; w < n_words; ++w, lane += n_lanes) {
    for (std::size_t l = 0; l < kLaneBlock; ++l) count[l] += popcount(bits[w] & lane[l]);
  }
#endif
}

std::int64_t sum_one(PlaneBlock feature, LaneBlock lanes, std::size_t n_words, const std::int64_t* logs) {
  std::int64_t total = 0;
  for (std::size_t first = 0; first < lanes.n_lanes; first += kLaneBlock) {
    std::uint64_t rest[kLaneBlock];
    for (std::size_t l = 0; l < kLaneBlock; ++l) rest[l] = lanes.counts[first + l];
    for (std::size_t plane = 0; plane < feature.n_planes; ++plane) {
      const std::uint64_t* bits = feature.words + plane * feature.stride;
      std::uint64_t count[kLaneBlock];
      count_lanes(bits, lanes.words + first, lanes.n_lanes, n_words, count);
      for (std::size_t l = 0; l < kLaneBlock; ++l) {
        rest[l] -= count[l];
        total += logs[count[l]];
      }
    }
    for (std::size_t l = 0; l < kLaneBlock; ++l) total += logs[rest[l]];
  }
  return total;
}

void sum_lanes(PlaneTable table, const std::uint32_t* wanted, std::size_t n, LaneBlock lanes, LogTables tables,
               std::int64_t* sums) {
  for (std::size_t k = 0; k < n; ++k) sums[k] = sum_one(planes_of(table, wanted[k]), lanes, table.n_words, tables.logs);
}

#endif

}  // namespace

extern const TripleKernels triple_kernels;
const TripleKernels triple_kernels = {sum_lanes};

}  // namespace THRESHER_LEVEL
}  // namespace thresher
