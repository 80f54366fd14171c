#include "counting/joint_kernels.hpp"

#include "core/common_bits.hpp"

#if defined(__GNUC__) && !defined(__clang__)
// GCC 12 warns of the deliberately undefined registers inside its own intrinsics.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#if defined(__AVX512VPOPCNTDQ__)
#include "counting/eight_levels.hpp"
#endif

namespace thresher {
namespace THRESHER_LEVEL {

extern const CountKernels count_kernels;

namespace {

// Bits set in both; W words, or n_words where W is 0.
template <int W>
inline std::uint32_t count_both(const std::uint64_t* a, const std::uint64_t* b, [[maybe_unused]] std::size_t n_words) {
  if constexpr (W == 1) {
    return popcount(a[0] & b[0]);
  } else if constexpr (W == 2) {
    return common_bits(a, b, 2);
  } else {
#if defined(__AVX512VPOPCNTDQ__)
    __m512i sum = _mm512_setzero_si512();
    std::size_t w = 0;
    for (; w + 8 <= n_words; w += 8) {
      const __m512i both = _mm512_and_si512(_mm512_loadu_si512(a + w), _mm512_loadu_si512(b + w));
      sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(both));
    }
    if (w < n_words) {
      const auto mask = static_cast<__mmask8>((1u << (n_words - w)) - 1u);
      const __m512i both =
          _mm512_and_si512(_mm512_maskz_loadu_epi64(mask, a + w), _mm512_maskz_loadu_epi64(mask, b + w));
      sum = _mm512_add_epi64(sum, _mm512_popcnt_epi64(both));
    }
    const __m256i half = _mm256_add_epi64(_mm512_castsi512_si256(sum), _mm512_maskz_extracti64x4_epi64(0xf, sum, 1));
    const __m128i quarter = _mm_add_epi64(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si64(quarter) + _mm_extract_epi64(quarter, 1));
#else
    return common_bits(a, b, n_words);
#endif
  }
}

// L summed over a table: both(i, j) gives the cells of levels that have planes, and those of the last levels follow
// from the rows per level. NA, NB: planes of the feature and of the reference, 0 where not known beforehand.
template <int NA, int NB, class Both>
inline std::int64_t sum_cells(std::size_t n_a_planes, std::size_t n_b_planes, const std::uint32_t* a_counts,
                              const std::uint32_t* b_counts, const std::int64_t* L, Both both) {
  const std::size_t a_planes = NA > 0 ? static_cast<std::size_t>(NA) : n_a_planes;
  const std::size_t b_planes = NB > 0 ? static_cast<std::size_t>(NB) : n_b_planes;
  // With the number known the rests stay in registers.
  std::uint32_t rests[NB > 0 ? NB + 1 : 64];
  for (std::size_t j = 0; j <= b_planes; ++j) rests[j] = b_counts[j];
  std::int64_t sum = 0;
  for (std::size_t i = 0; i < a_planes; ++i) {
    std::uint32_t rest = a_counts[i];
    for (std::size_t j = 0; j < b_planes; ++j) {
      const std::uint32_t count = both(i, j);
      rest -= count;
      rests[j] -= count;
      sum += L[count];
    }
    rests[b_planes] -= rest;
    sum += L[rest];
  }
  for (std::size_t j = 0; j <= b_planes; ++j) sum += L[rests[j]];
  return sum;
}

template <int W, int NA, int NB>
inline std::int64_t joint_sum(const JointReference& reference, const CodedFeature& feature) {
  const std::size_t stride = reference.planes.stride;
  const std::uint64_t* a = feature.data;
  const std::uint64_t* b = reference.planes.words;
  const std::size_t n_words = reference.n_words;
  return sum_cells<NA, NB>(
      feature.levels - 1u, reference.planes.n_planes, feature.counts, reference.counts, reference.xlogx,
      [=](std::size_t i, std::size_t j) { return count_both<W>(a + i * stride, b + j * stride, n_words); });
}

template <int W, int NB>
void joint_sums_of(const JointReference& reference, const CodedFeature* features, const std::uint32_t* wanted,
                   std::size_t n, std::int64_t* sums) {
  for (std::size_t k = 0; k < n; ++k) {
    const CodedFeature& feature = features[wanted[k]];
    switch (feature.levels) {
      case 2: sums[k] = joint_sum<W, 1, NB>(reference, feature); break;
      case 3: sums[k] = joint_sum<W, 2, NB>(reference, feature); break;
      case 4: sums[k] = joint_sum<W, 3, NB>(reference, feature); break;
      case 8: sums[k] = joint_sum<W, 7, NB>(reference, feature); break;
      default: sums[k] = joint_sum<W, 0, NB>(reference, feature); break;
    }
  }
}

template <int W>
void joint_sums_in(const JointReference& reference, const CodedFeature* features, const std::uint32_t* wanted,
                   std::size_t n, std::int64_t* sums) {
  switch (reference.planes.n_planes) {
    case 1: joint_sums_of<W, 1>(reference, features, wanted, n, sums); break;
    case 2: joint_sums_of<W, 2>(reference, features, wanted, n, sums); break;
    case 3: joint_sums_of<W, 3>(reference, features, wanted, n, sums); break;
    case 7: joint_sums_of<W, 7>(reference, features, wanted, n, sums); break;
    default: joint_sums_of<W, 0>(reference, features, wanted, n, sums); break;
  }
}

void joint_sums(const JointReference& reference, const CodedFeature* features, const std::uint32_t* wanted,
                std::size_t n, std::int64_t* sums) {
#if defined(__AVX512VPOPCNTDQ__)
  if (has_about_eight_levels(reference)) {
    if (reference.n_words == 1) return eight_level_sums<1>(reference, features, wanted, n, sums);
    if (reference.n_words == 2) return eight_level_sums<2>(reference, features, wanted, n, sums);
    if (reference.n_words <= 8) return eight_level_sums<8>(reference, features, wanted, n, sums);
    if (reference.n_words <= 16) return eight_level_sums<16>(reference, features, wanted, n, sums);
  }
#endif
  switch (reference.n_words) {
    case 1: joint_sums_in<1>(reference, features, wanted, n, sums); break;
    case 2: joint_sums_in<2>(reference, features, wanted, n, sums); break;
    default: joint_sums_in<0>(reference, features, wanted, n, sums); break;
  }
}

// Adds one cell, given part by part, to the sum of every replicate.
inline void add_cell(const std::uint32_t* cell, std::size_t n_parts, const std::int64_t* L, std::int64_t* sums) {
  std::uint32_t total = 0;
  for (std::size_t part = 0; part < n_parts; ++part) total += cell[part];
  const std::int64_t* from_total = L + total;
  for (std::size_t part = 0; part < n_parts; ++part) sums[part] += *(from_total - cell[part]);
}

// All cells of a table, part by part: add(cell) for each. both(i, j, cell) counts those of levels that have planes, and
// those of the last levels follow. scratch: (planes of the reference + 3) * n_parts counts.
template <class Both, class Add>
inline void for_cells(const JointReference& reference, const CodedFeature& feature, std::uint32_t* scratch, Both both,
                      Add add) {
  const std::size_t n_parts = reference.n_parts;
  const std::size_t b_planes = reference.planes.n_planes;
  std::uint32_t* cell = scratch;
  std::uint32_t* rest = scratch + n_parts;
  std::uint32_t* rests = scratch + 2 * n_parts;  // one per plane of the reference, then the last level
  for (std::size_t m = 0; m < (b_planes + 1) * n_parts; ++m) rests[m] = reference.counts[m];
  for (std::size_t i = 0; i + 1 < feature.levels; ++i) {
    for (std::size_t part = 0; part < n_parts; ++part) rest[part] = feature.counts[i * n_parts + part];
    for (std::size_t j = 0; j < b_planes; ++j) {
      both(i, j, cell);
      std::uint32_t* rest_j = rests + j * n_parts;
      for (std::size_t part = 0; part < n_parts; ++part) {
        rest[part] -= cell[part];
        rest_j[part] -= cell[part];
      }
      add(cell);
    }
    std::uint32_t* last = rests + b_planes * n_parts;
    for (std::size_t part = 0; part < n_parts; ++part) last[part] -= rest[part];
    add(rest);
  }
  for (std::size_t j = 0; j <= b_planes; ++j) add(rests + j * n_parts);
}

// Counts of one cell where every part is one word.
struct WordCells {
  const std::uint64_t* a;
  const std::uint64_t* b;
  std::size_t stride, n_parts;

  void operator()(std::size_t i, std::size_t j, std::uint32_t* cell) const {
    const std::uint64_t* left = a + i * stride;
    const std::uint64_t* right = b + j * stride;
    for (std::size_t part = 0; part < n_parts; ++part) cell[part] = popcount(left[part] & right[part]);
  }
};

// Parts of one word.
void joint_word_sums(const JointReference& reference, const CodedFeature* features, const std::uint32_t* wanted,
                     std::size_t n, std::uint32_t* scratch, std::int64_t* sums) {
  const std::size_t n_parts = reference.n_parts;
  const std::int64_t* L = reference.xlogx;
  for (std::size_t k = 0; k < n; ++k, sums += n_parts) {
    const CodedFeature& feature = features[wanted[k]];
    for (std::size_t r = 0; r < n_parts; ++r) sums[r] = 0;
    const WordCells both = {feature.data, reference.planes.words, reference.planes.stride, n_parts};
    for_cells(reference, feature, scratch, both, [=](const std::uint32_t* cell) { add_cell(cell, n_parts, L, sums); });
  }
}

// counts[part * pairs of planes + pair].
inline void count_parts(const JointReference& reference, PlaneBlock a, std::uint32_t* counts) {
  const std::size_t n_pairs = a.n_planes * reference.planes.n_planes;
  for (std::size_t part = 0; part < reference.n_parts; ++part) {
    const WordRange words = reference.part_words[part];
    const PlaneBlock left = {a.words + words.begin, a.n_planes, a.stride};
    const PlaneBlock right = {reference.planes.words + words.begin, reference.planes.n_planes, a.stride};
    count_kernels.count_pairs(left, right, words.end - words.begin, counts + part * n_pairs);
  }
}

void joint_set_sums(const JointReference& reference, const CodedFeature& feature, const SetMasks& sets,
                    std::uint32_t* scratch, std::int64_t* sums) {
  const std::size_t n_parts = reference.n_parts;
  const std::size_t b_planes = reference.planes.n_planes;
  const std::int64_t* L = reference.xlogx;
  std::uint32_t* kept = scratch;
  scratch += sets.stride;
  for (std::size_t s = 0; s < 2 * sets.stride; ++s) sums[s] = 0;
  const auto add = [=, &sets](const std::uint32_t* cell) {
    std::uint32_t total = 0;
    for (std::size_t part = 0; part < n_parts; ++part) total += cell[part];
    count_on_sets(sets, cell, kept);
    std::int64_t* rests = sums + sets.stride;
    for (std::size_t s = 0; s < sets.stride; ++s) {
      sums[s] += L[kept[s]];
      rests[s] += L[total - kept[s]];
    }
  };
  if (reference.one_word_parts) {
    const WordCells both = {feature.data, reference.planes.words, reference.planes.stride, n_parts};
    return for_cells(reference, feature, scratch, both, add);
  }
  const std::size_t n_pairs = (feature.levels - 1u) * b_planes;
  std::uint32_t* counts = scratch;
  count_parts(reference, {feature.data, feature.levels - 1u, reference.planes.stride}, counts);
  for_cells(
      reference, feature, counts + n_parts * n_pairs,
      [=](std::size_t i, std::size_t j, std::uint32_t* cell) {
        for (std::size_t part = 0; part < n_parts; ++part) cell[part] = counts[part * n_pairs + i * b_planes + j];
      },
      add);
}

// out[part * n + m] = the sum of in[m * n_parts + part] over all other parts.
inline void turn_without_parts(const std::uint32_t* in, std::size_t n, std::size_t n_parts, std::uint32_t* out) {
  for (std::size_t m = 0; m < n; ++m) {
    std::uint32_t total = 0;
    for (std::size_t part = 0; part < n_parts; ++part) total += in[m * n_parts + part];
    for (std::size_t part = 0; part < n_parts; ++part) out[part * n + m] = total - in[m * n_parts + part];
  }
}

// counts[part * pairs of planes + pair] on all rows but those of the part; `totals` has one count per pair.
inline void count_without_parts(const JointReference& reference, PlaneBlock a, std::uint32_t* totals,
                                std::uint32_t* counts) {
  const std::size_t n_pairs = a.n_planes * reference.planes.n_planes;
  count_parts(reference, a, counts);
  for (std::size_t pair = 0; pair < n_pairs; ++pair) totals[pair] = 0;
  for (std::size_t part = 0; part < reference.n_parts; ++part)
    for (std::size_t pair = 0; pair < n_pairs; ++pair) totals[pair] += counts[part * n_pairs + pair];
  for (std::size_t part = 0; part < reference.n_parts; ++part)
    for (std::size_t pair = 0; pair < n_pairs; ++pair)
      counts[part * n_pairs + pair] = totals[pair] - counts[part * n_pairs + pair];
}

void joint_part_sums(const JointReference& reference, const CodedFeature* features, const std::uint32_t* wanted,
                     std::size_t n, std::uint32_t* scratch, std::int64_t* sums) {
  if (reference.one_word_parts) return joint_word_sums(reference, features, wanted, n, scratch, sums);
  const std::size_t n_parts = reference.n_parts;
  const std::size_t b_planes = reference.planes.n_planes;
  std::uint32_t* b_counts = scratch;
  turn_without_parts(reference.counts, b_planes + 1, n_parts, b_counts);
  for (std::size_t k = 0; k < n; ++k) {
    const CodedFeature& feature = features[wanted[k]];
    const std::size_t a_planes = feature.levels - 1u;
    std::uint32_t* a_counts = b_counts + n_parts * (b_planes + 1);
    std::uint32_t* totals = a_counts + n_parts * a_planes;
    std::uint32_t* counts = totals + a_planes * b_planes;
    turn_without_parts(feature.counts, a_planes, n_parts, a_counts);
    count_without_parts(reference, {feature.data, a_planes, reference.planes.stride}, totals, counts);
    for (std::size_t r = 0; r < n_parts; ++r) {
      const std::uint32_t* both = counts + r * a_planes * b_planes;
      sums[k * n_parts + r] =
          sum_cells<0, 0>(a_planes, b_planes, a_counts + r * a_planes, b_counts + r * (b_planes + 1), reference.xlogx,
                          [=](std::size_t i, std::size_t j) { return both[i * b_planes + j]; });
    }
  }
}

void count_levels(const CodedFeature* features, std::size_t n, const std::uint64_t* mask, std::size_t n_words,
                  std::uint32_t n_rows, std::uint32_t* counts) {
  for (std::size_t f = 0; f < n; ++f) {
    const std::uint64_t* plane = features[f].data;
    std::uint32_t rest = n_rows;
    for (std::size_t level = 0; level + 1 < features[f].levels; ++level, plane += n_words) {
      const std::uint32_t count = common_bits(plane, mask, n_words);
      *counts++ = count;
      rest -= count;
    }
    if (features[f].levels > 0) *counts++ = rest;
  }
}

void bits_values(const std::int64_t* sums, const double* units, std::size_t n, double* values) {
  for (std::size_t k = 0; k < n; ++k) {
    const auto sum = static_cast<double>(sums[k] > 0 ? sums[k] : 0);
    const double unit = units[k] > 0.0 ? units[k] : 1.0;
    values[k] = (sum / unit + 6144.0) - 6144.0;
  }
}

}  // namespace

extern const JointKernels joint_kernels;
const JointKernels joint_kernels = {joint_sums, joint_set_sums, joint_part_sums, count_levels, bits_values};

}  // namespace THRESHER_LEVEL
}  // namespace thresher
