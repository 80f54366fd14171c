#include <cstring>

#include "packing/match_word.hpp"
#include "packing/pack_kernels.hpp"

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace thresher {
namespace THRESHER_LEVEL {
namespace {

// Returns a row of at most 64 bytes, copied where the tile is narrower so that loops always see 64.
inline const std::uint8_t* whole_row(const std::uint8_t* row, std::size_t n_columns, std::uint8_t* buffer) {
  if (n_columns == kTileColumns) return row;
  std::memcpy(buffer, row, n_columns);
  return buffer;
}

#if defined(__SSSE3__)

#if defined(__AVX512BW__)
using Bytes = __m512i;
inline Bytes load(const std::uint8_t* p) { return _mm512_loadu_si512(p); }
inline void store(std::uint8_t* p, Bytes v) { _mm512_storeu_si512(p, v); }
inline Bytes fill(std::uint8_t v) { return _mm512_set1_epi8(static_cast<char>(v)); }
inline Bytes minimum(Bytes a, Bytes b) { return _mm512_min_epu8(a, b); }
inline Bytes maximum(Bytes a, Bytes b) { return _mm512_max_epu8(a, b); }
inline Bytes both(Bytes a, Bytes b) { return _mm512_and_si512(a, b); }
inline Bytes either(Bytes a, Bytes b) { return _mm512_or_si512(a, b); }
inline Bytes differ(Bytes a, Bytes b) { return _mm512_xor_si512(a, b); }
inline Bytes look_up(Bytes table, Bytes at) { return _mm512_shuffle_epi8(table, at); }
inline Bytes table_of(__m128i v) { return _mm512_maskz_broadcast_i32x4(0xffff, v); }
#elif defined(__AVX2__)
using Bytes = __m256i;
inline Bytes load(const std::uint8_t* p) { return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)); }
inline void store(std::uint8_t* p, Bytes v) { _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), v); }
inline Bytes fill(std::uint8_t v) { return _mm256_set1_epi8(static_cast<char>(v)); }
inline Bytes minimum(Bytes a, Bytes b) { return _mm256_min_epu8(a, b); }
inline Bytes maximum(Bytes a, Bytes b) { return _mm256_max_epu8(a, b); }
inline Bytes both(Bytes a, Bytes b) { return _mm256_and_si256(a, b); }
inline Bytes either(Bytes a, Bytes b) { return _mm256_or_si256(a, b); }
inline Bytes differ(Bytes a, Bytes b) { return _mm256_xor_si256(a, b); }
inline Bytes look_up(Bytes table, Bytes at) { return _mm256_shuffle_epi8(table, at); }
inline Bytes table_of(__m128i v) { return _mm256_broadcastsi128_si256(v); }
#else
using Bytes = __m128i;
inline Bytes load(const std::uint8_t* p) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(p)); }
inline void store(std::uint8_t* p, Bytes v) { _mm_storeu_si128(reinterpret_cast<__m128i*>(p), v); }
inline Bytes fill(std::uint8_t v) { return _mm_set1_epi8(static_cast<char>(v)); }
inline Bytes minimum(Bytes a, Bytes b) { return _mm_min_epu8(a, b); }
inline Bytes maximum(Bytes a, Bytes b) { return _mm_max_epu8(a, b); }
inline Bytes both(Bytes a, Bytes b) { return _mm_and_si128(a, b); }
inline Bytes either(Bytes a, Bytes b) { return _mm_or_si128(a, b); }
inline Bytes differ(Bytes a, Bytes b) { return _mm_xor_si128(a, b); }
inline Bytes look_up(Bytes table, Bytes at) { return _mm_shuffle_epi8(table, at); }
inline Bytes table_of(__m128i v) { return v; }
#endif
constexpr std::size_t kVector = sizeof(Bytes);

struct Accumulated {
  Bytes min, max, low, high;

  void add(Bytes value, Bytes low_table, Bytes high_table) {
    min = minimum(min, value);
    max = maximum(max, value);
    const Bytes nibble = both(value, fill(0x0f));
    low = either(low, look_up(low_table, nibble));
    high = either(high, look_up(high_table, nibble));
  }
};

inline Bytes low_bits() { return table_of(_mm_setr_epi8(1, 2, 4, 8, 16, 32, 64, -128, 0, 0, 0, 0, 0, 0, 0, 0)); }
inline Bytes high_bits() { return table_of(_mm_setr_epi8(0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 4, 8, 16, 32, 64, -128)); }

inline void scan_whole_rows(ByteRows rows, std::uint8_t flip, ByteScan* scan) {
  const Bytes low_table = low_bits();
  const Bytes high_table = high_bits();
  const Bytes flips = fill(flip);
  for (std::size_t j = 0; j < kTileColumns; j += kVector) {
    Accumulated sum = {load(scan->minimum + j), load(scan->maximum + j), load(scan->low + j), load(scan->high + j)};
    const std::uint8_t* row = rows.first + j;
    for (std::size_t i = 0; i < rows.n_rows; ++i, row += rows.stride) {
      sum.add(differ(load(row), flips), low_table, high_table);
    }
    store(scan->minimum + j, sum.min);
    store(scan->maximum + j, sum.max);
    store(scan->low + j, sum.low);
    store(scan->high + j, sum.high);
  }
}

#else

inline void scan_whole_rows(ByteRows rows, std::uint8_t flip, ByteScan* scan) {
  const std::uint8_t* row = rows.first;
  for (std::size_t i = 0; i < rows.n_rows; ++i, row += rows.stride) {
    for (std::size_t j = 0; j < kTileColumns; ++j) {
      const auto value = static_cast<std::uint8_t>(row[j] ^ flip);
      scan->minimum[j] = value < scan->minimum[j] ? value : scan->minimum[j];
      scan->maximum[j] = value > scan->maximum[j] ? value : scan->maximum[j];
      const unsigned bit = 1u << (value & 15);
      scan->low[j] = static_cast<std::uint8_t>(scan->low[j] | bit);
      scan->high[j] = static_cast<std::uint8_t>(scan->high[j] | (bit >> 8));
    }
  }
}

#endif

void scan_rows(ByteRows rows, std::uint8_t flip, ByteScan* scan) {
  if (rows.n_columns == kTileColumns) {
    scan_whole_rows(rows, flip, scan);
    return;
  }
  constexpr std::size_t kBatch = 16;
  std::uint8_t buffer[kBatch * kTileColumns] = {};
  for (std::size_t first = 0; first < rows.n_rows; first += kBatch) {
    const std::size_t n = rows.n_rows - first < kBatch ? rows.n_rows - first : kBatch;
    const std::uint8_t* row = rows.first + static_cast<std::ptrdiff_t>(first) * rows.stride;
    for (std::size_t i = 0; i < n; ++i, row += rows.stride) std::memcpy(buffer + i * kTileColumns, row, rows.n_columns);
    scan_whole_rows({buffer, kTileColumns, n, kTileColumns}, flip, scan);
  }
}

// 64 words of 8 bytes from 8 vectors of 64: byte k of word j = bytes[k][j].
inline void interleave(const std::uint8_t* const* bytes, std::uint64_t* words) {
#if defined(__SSE2__)
  for (std::size_t j = 0; j < kTileColumns; j += 16) {
    __m128i v[8];
    for (int k = 0; k < 8; ++k) v[k] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes[k] + j));
    __m128i pair[8];
    for (int k = 0; k < 4; ++k) {
      pair[k] = _mm_unpacklo_epi8(v[2 * k], v[2 * k + 1]);
      pair[k + 4] = _mm_unpackhi_epi8(v[2 * k], v[2 * k + 1]);
    }
    for (int half = 0; half < 2; ++half) {
      const __m128i* p = pair + 4 * half;
      const __m128i a = _mm_unpacklo_epi16(p[0], p[1]);
      const __m128i b = _mm_unpackhi_epi16(p[0], p[1]);
      const __m128i c = _mm_unpacklo_epi16(p[2], p[3]);
      const __m128i d = _mm_unpackhi_epi16(p[2], p[3]);
      auto* out = reinterpret_cast<__m128i*>(words + j + 8 * static_cast<std::size_t>(half));
      _mm_storeu_si128(out, _mm_unpacklo_epi32(a, c));
      _mm_storeu_si128(out + 1, _mm_unpackhi_epi32(a, c));
      _mm_storeu_si128(out + 2, _mm_unpacklo_epi32(b, d));
      _mm_storeu_si128(out + 3, _mm_unpackhi_epi32(b, d));
    }
  }
#else
  for (std::size_t j = 0; j < kTileColumns; ++j) {
    std::uint64_t word = 0;
    for (int k = 0; k < 8; ++k) word |= static_cast<std::uint64_t>(bytes[k][j]) << (8 * k);
    words[j] = word;
  }
#endif
}

// One byte per column from 8 rows: bit i = (row i matches).
inline void match_rows(const std::uint8_t* const* rows, const std::uint8_t* values, std::uint8_t* bits) {
  const std::uint8_t* r0 = rows[0];
  const std::uint8_t* r1 = rows[1];
  const std::uint8_t* r2 = rows[2];
  const std::uint8_t* r3 = rows[3];
  const std::uint8_t* r4 = rows[4];
  const std::uint8_t* r5 = rows[5];
  const std::uint8_t* r6 = rows[6];
  const std::uint8_t* r7 = rows[7];
#if defined(__AVX512BW__)
  const __m512i value = _mm512_loadu_si512(values);
  __m512i sum = _mm512_setzero_si512();
  const std::uint8_t* const all[8] = {r0, r1, r2, r3, r4, r5, r6, r7};
  for (int i = 0; i < 8; ++i) {
    const __mmask64 same = _mm512_cmpeq_epi8_mask(_mm512_loadu_si512(all[i]), value);
    sum = _mm512_mask_add_epi8(sum, same, sum, _mm512_set1_epi8(static_cast<char>(1 << i)));
  }
  _mm512_store_si512(bits, sum);
#else
  for (std::size_t j = 0; j < kTileColumns; ++j) {
    const std::uint8_t v = values[j];
    unsigned byte = r0[j] == v ? 1u : 0u;
    byte |= r1[j] == v ? 2u : 0u;
    byte |= r2[j] == v ? 4u : 0u;
    byte |= r3[j] == v ? 8u : 0u;
    byte |= r4[j] == v ? 16u : 0u;
    byte |= r5[j] == v ? 32u : 0u;
    byte |= r6[j] == v ? 64u : 0u;
    byte |= r7[j] == v ? 128u : 0u;
    bits[j] = static_cast<std::uint8_t>(byte);
  }
#endif
}

void pack_rows(const std::uint8_t* const* rows, std::size_t n_rows, std::size_t n_columns, const std::uint8_t* values,
               std::size_t n_planes, std::size_t word_stride, std::uint64_t* words, std::uint32_t* counts) {
  alignas(64) std::uint8_t copies[kTileColumns * kTileColumns];
  const std::uint8_t* used[64];
  for (std::size_t i = 0; i < n_rows; ++i) used[i] = whole_row(rows[i], n_columns, copies + i * kTileColumns);
  // Rows that are not there repeat the first; their bits are cleared at the end.
  for (std::size_t i = n_rows; i < 64; ++i) used[i] = used[0];
  const std::size_t n_bytes = (n_rows + 7) / 8;
  const std::uint64_t there = n_rows == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << n_rows) - 1;
  alignas(64) std::uint8_t bits[8][kTileColumns];
  const std::uint8_t* const bytes[8] = {bits[0], bits[1], bits[2], bits[3], bits[4], bits[5], bits[6], bits[7]};
  if (n_bytes < 8) std::memset(bits, 0, sizeof bits);
  // Rows that no level has taken yet: also where values change while they are read, a row has one level.
  alignas(64) std::uint64_t open[kTileColumns];
  for (std::size_t j = 0; j < kTileColumns; ++j) open[j] = there;
  for (std::size_t l = 0; l < n_planes; ++l) {
    for (std::size_t k = 0; k < n_bytes; ++k) match_rows(used + 8 * k, values + l * kTileColumns, bits[k]);
    alignas(64) std::uint64_t line[kTileColumns];
    interleave(bytes, line);
    std::uint32_t* count = counts + l * kTileColumns;
    for (std::size_t j = 0; j < kTileColumns; ++j) {
      line[j] &= open[j];
      open[j] ^= line[j];
      count[j] += static_cast<std::uint32_t>(__builtin_popcountll(line[j]));
    }
    std::uint64_t* out = words + l * kTileColumns * word_stride;
    for (std::size_t j = 0; j < kTileColumns; ++j) out[j * word_stride] = line[j];
  }
}

void pack_column(const std::uint8_t* bytes, std::size_t n_rows, const std::uint8_t* values, std::size_t n_planes,
                 std::size_t stride, std::uint64_t* planes) {
  const std::size_t whole = n_rows / 64;
  for (std::size_t w = 0; w < whole; ++w) {
    std::uint64_t open = ~std::uint64_t{0};  // as in pack_rows
    for (std::size_t l = 0; l < n_planes; ++l) {
      const std::uint64_t word = match_word(bytes + 64 * w, values[l]) & open;
      planes[l * stride + w] = word;
      open ^= word;
    }
  }
  const std::size_t rest = n_rows - 64 * whole;
  if (rest == 0) return;
  std::uint8_t last[64] = {};
  std::memcpy(last, bytes + 64 * whole, rest);
  const std::uint64_t there = (std::uint64_t{1} << rest) - 1;
  for (std::size_t l = 0; l < n_planes; ++l) planes[l * stride + whole] = match_word(last, values[l]) & there;
}

void scan_column(const std::uint8_t* bytes, std::size_t n_rows, std::uint8_t flip, std::uint8_t* result) {
  ByteScan scan;
  std::memset(&scan, 0, sizeof scan);
  std::memset(scan.minimum, 255, sizeof scan.minimum);
  // 64 consecutive rows are treated as 64 columns; the lanes are joined at the end.
  scan_whole_rows({bytes, kTileColumns, n_rows / kTileColumns, kTileColumns}, flip, &scan);
  unsigned min = 255;
  unsigned max = 0;
  unsigned seen = 0;
  if (n_rows >= kTileColumns) {
    for (std::size_t j = 0; j < kTileColumns; ++j) {
      min = scan.minimum[j] < min ? scan.minimum[j] : min;
      max = scan.maximum[j] > max ? scan.maximum[j] : max;
      seen |= static_cast<unsigned>(scan.low[j]) | (static_cast<unsigned>(scan.high[j]) << 8);
    }
  }
  for (std::size_t i = n_rows / kTileColumns * kTileColumns; i < n_rows; ++i) {
    const unsigned value = static_cast<unsigned>(bytes[i] ^ flip);
    min = value < min ? value : min;
    max = value > max ? value : max;
    seen |= 1u << (value & 15);
  }
  result[0] = static_cast<std::uint8_t>(min);
  result[1] = static_cast<std::uint8_t>(max);
  result[2] = static_cast<std::uint8_t>(seen);
  result[3] = static_cast<std::uint8_t>(seen >> 8);
}

void join_columns(const std::uint8_t* const* columns, std::size_t n_rows, std::uint64_t* words) {
  std::size_t i = 0;
  for (; i + kTileColumns <= n_rows; i += kTileColumns) {
    const std::uint8_t* bytes[8];
    for (int k = 0; k < 8; ++k) bytes[k] = columns[k] + i;
    interleave(bytes, words + i);
  }
  for (; i < n_rows; ++i) {
    words[i] = 0;
    for (int k = 0; k < 8; ++k) words[i] |= static_cast<std::uint64_t>(columns[k][i]) << (8 * k);
  }
}

void part_columns(const std::uint64_t* words, const std::uint32_t* at, std::uint32_t first, std::size_t n_rows,
                  std::uint8_t* const* columns) {
  std::size_t i = 0;
#if defined(__SSE2__)
  for (; i + 8 <= n_rows; i += 8) {
    __m128i pair[4];
    for (std::size_t k = 0; k < 4; ++k) {
      const std::uint64_t* left = words + (at[i + 2 * k] - first);
      const std::uint64_t* right = words + (at[i + 2 * k + 1] - first);
      pair[k] = _mm_unpacklo_epi8(_mm_loadl_epi64(reinterpret_cast<const __m128i*>(left)),
                                  _mm_loadl_epi64(reinterpret_cast<const __m128i*>(right)));
    }
    const __m128i low[2] = {_mm_unpacklo_epi16(pair[0], pair[1]), _mm_unpacklo_epi16(pair[2], pair[3])};
    const __m128i high[2] = {_mm_unpackhi_epi16(pair[0], pair[1]), _mm_unpackhi_epi16(pair[2], pair[3])};
    const __m128i out[4] = {_mm_unpacklo_epi32(low[0], low[1]), _mm_unpackhi_epi32(low[0], low[1]),
                            _mm_unpacklo_epi32(high[0], high[1]), _mm_unpackhi_epi32(high[0], high[1])};
    for (int k = 0; k < 4; ++k) {
      _mm_storel_epi64(reinterpret_cast<__m128i*>(columns[2 * k] + i), out[k]);
      _mm_storel_epi64(reinterpret_cast<__m128i*>(columns[2 * k + 1] + i), _mm_unpackhi_epi64(out[k], out[k]));
    }
  }
#endif
  for (; i < n_rows; ++i) {
    const std::uint64_t word = words[at[i] - first];
    for (int k = 0; k < 8; ++k) columns[k][i] = static_cast<std::uint8_t>(word >> (8 * k));
  }
}

template <class T>
void to_bytes(const void* values, std::size_t n, std::uint8_t* out) {
  const T* from = static_cast<const T*>(values);
  for (std::size_t i = 0; i < n; ++i) out[i] = to_byte(from[i]);
}

}  // namespace

extern const PackKernels pack_kernels;
const PackKernels pack_kernels = {{to_bytes<std::int8_t>, to_bytes<std::int16_t>, to_bytes<std::int32_t>,
                                   to_bytes<std::int64_t>, to_bytes<std::uint8_t>, to_bytes<std::uint16_t>,
                                   to_bytes<std::uint32_t>, to_bytes<std::uint64_t>, to_bytes<float>, to_bytes<double>},
                                  scan_rows,
                                  pack_rows,
                                  pack_column,
                                  scan_column,
                                  join_columns,
                                  part_columns};

}  // namespace THRESHER_LEVEL
}  // namespace thresher
