#include "core/lanes.hpp"
#include "moments/moment_kernels.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

void totals(const double* lanes, std::size_t count, double* out) {
  for (std::size_t c = 0; c < count; ++c) {
    out[c] = lanes_total(lanes + c * kTwinLanes) + lanes_total(lanes + c * kTwinLanes + kLanes);
  }
}

void split_totals(const double* lanes, std::size_t count, SplitSum* out) {
  for (std::size_t c = 0; c < count; ++c) {
    out[c] = {lanes_total(lanes + c * kTwinLanes), lanes_total(lanes + c * kTwinLanes + kLanes)};
  }
}

template <class T>
RangeSum range_sum(const T* x, const double* weight, std::size_t n) {
  const double first = static_cast<double>(x[0]);
  Lanes low = lanes_set(first);
  Lanes high = low;
  Lanes sum = lanes_set(0.0);
  const std::size_t whole = n - n % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    const Lanes value = lanes_load(x + i);
    low = lanes_min(low, value);
    high = lanes_max(high, value);
    sum = lanes_add(sum, weight == nullptr ? value : lanes_mul(value, lanes_load(weight + i)));
  }
  if (whole < n) {
    const std::size_t rest = n - whole;
    const Lanes value = lanes_load_tail(x + whole, rest, first);
    low = lanes_min(low, value);
    high = lanes_max(high, value);
    const Lanes counted = lanes_load_tail(x + whole, rest, 0.0);
    sum = lanes_add(sum, weight == nullptr ? counted : lanes_mul(counted, lanes_load_tail(weight + whole, rest, 0.0)));
  }
  double lows[kLanes];
  double highs[kLanes];
  lanes_store(lows, low);
  lanes_store(highs, high);
  RangeSum result{lows[0], highs[0], lanes_total(sum)};
  for (std::size_t l = 1; l < kLanes; ++l) {
    result.minimum = lows[l] < result.minimum ? lows[l] : result.minimum;
    result.maximum = highs[l] > result.maximum ? highs[l] : result.maximum;
  }
  return result;
}

template <class T>
CentredSums centred_sums(const T* x, const double* weight, std::size_t n, double mean) {
  const Lanes centre = lanes_set(mean);
  Lanes sum = lanes_set(0.0);
  Lanes squares = sum;
  const std::size_t whole = n - n % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    const Lanes value = lanes_sub(lanes_load(x + i), centre);
    const Lanes weighted = weight == nullptr ? value : lanes_mul(value, lanes_load(weight + i));
    sum = lanes_add(sum, weighted);
    squares = lanes_add(squares, lanes_mul(value, weighted));
  }
  if (whole < n) {
    const std::size_t rest = n - whole;
    const Lanes value = lanes_sub(lanes_load_tail(x + whole, rest, mean), centre);
    const Lanes weighted = weight == nullptr ? value : lanes_mul(value, lanes_load_tail(weight + whole, rest, 0.0));
    sum = lanes_add(sum, weighted);
    squares = lanes_add(squares, lanes_mul(value, weighted));
  }
  return {lanes_total(sum), lanes_total(squares)};
}

// The part of a value that is a multiple of 2^-53 of the split.
inline Vec upper_part(Vec value, Vec split) { return vec_sub(vec_add(split, value), split); }

template <class T>
ColumnSums column_sums(const T* x, const double* weight, std::size_t n, double centre, double split) {
  const Vec middle = vec_set(centre);
  const Vec border = vec_set(split);
  Lanes upper = lanes_set(0.0);
  Lanes lower = upper;
  alignas(64) double squares[kTwinLanes] = {};
  for (std::size_t start = 0; start < n; start += kTileRows) {
    const std::size_t end = n - start < kTileRows ? n : start + kTileRows;
    Lanes tile = lanes_set(0.0);
    for (std::size_t i = start; i < end; i += kLanes) {
      const bool whole = i + kLanes <= end;
      const Lanes value = whole ? lanes_load(x + i) : lanes_load_tail(x + i, end - i, centre);
      const Lanes counted = whole ? value : lanes_load_tail(x + i, end - i, 0.0);
      const Lanes times = weight == nullptr ? value
                          : whole           ? lanes_load(weight + i)
                                            : lanes_load_tail(weight + i, end - i, 0.0);
      for (std::size_t v = 0; v < kVecs; ++v) {
        const Vec distance = vec_sub(value.part[v], middle);
        if (weight == nullptr) {
          const Vec high = upper_part(counted.part[v], border);
          upper.part[v] = vec_add(upper.part[v], high);
          lower.part[v] = vec_add(lower.part[v], vec_sub(counted.part[v], high));
          tile.part[v] = vec_multiply_add(distance, distance, tile.part[v]);
        } else {
          const TwinVec product = vec_two_product(counted.part[v], times.part[v]);
          const Vec high = upper_part(product.hi, border);
          upper.part[v] = vec_add(upper.part[v], high);
          lower.part[v] = vec_add(lower.part[v], vec_add(vec_sub(product.hi, high), product.lo));
          tile.part[v] = vec_multiply_add(vec_mul(distance, times.part[v]), distance, tile.part[v]);
        }
      }
    }
    lanes_add_to(squares, tile);
  }
  return {{lanes_total(upper), lanes_total(lower)}, lanes_total(squares) + lanes_total(squares + kLanes)};
}

template <class T>
void centre(const T* x, const double* weight, std::size_t n, double mean, double* out) {
  if (weight == nullptr) {
    for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<double>(x[i]) - mean;
  } else {
    for (std::size_t i = 0; i < n; ++i) out[i] = (static_cast<double>(x[i]) - mean) * weight[i];
  }
  for (std::size_t i = n; i % kLanes != 0; ++i) out[i] = 0.0;
}

// Asks for the cache lines of `next` that match rows i .. i+15.
template <class T>
inline void prefetch_rows(const T* next, std::size_t i) {
#if defined(__GNUC__)
  constexpr std::size_t kLine = 64 / sizeof(T);
  for (std::size_t l = 0; l < kLanes; l += kLine) __builtin_prefetch(next + i + l, 0, 2);
#else
  (void)next;
  (void)i;
#endif
}

// Several columns at a time: each has its own chain of additions, and the reference is loaded once for all.
// `next`: where the columns after these lie; memory fetches them meanwhile.
template <class T, std::size_t columns>
void dot_group(const T* const* column, const T* const* next, const double* means, const double* reference,
               std::size_t n, double* lanes) {
  Lanes sums[columns];
  Lanes centres[columns];
  const T* x[columns];
  for (std::size_t c = 0; c < columns; ++c) {
    sums[c] = lanes_set(0.0);
    centres[c] = lanes_set(means[c]);
    x[c] = column[c];
  }
  const std::size_t whole = n - n % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t c = 0; c < columns; ++c) prefetch_rows(next[c], i);
    for (std::size_t v = 0; v < kVecs; ++v) {
      const Vec other = vec_load(reference + i + v * kWidth);
      for (std::size_t c = 0; c < columns; ++c) {
        const Vec value = vec_sub(vec_load(x[c] + i + v * kWidth), centres[c].part[v]);
        sums[c].part[v] = vec_multiply_add(value, other, sums[c].part[v]);
      }
    }
  }
  if (whole < n) {
    const Lanes other = lanes_load(reference + whole);
    for (std::size_t c = 0; c < columns; ++c) {
      const Lanes value = lanes_sub(lanes_load_tail(x[c] + whole, n - whole, means[c]), centres[c]);
      sums[c] = lanes_add(sums[c], lanes_mul(value, other));
    }
  }
  for (std::size_t c = 0; c < columns; ++c) lanes_add_to(lanes + c * kTwinLanes, sums[c]);
}

template <class T>
void dots(const T* const* columns, const double* means, std::size_t n_columns, const double* reference, std::size_t n,
          double* lanes) {
  const T* following[kColumns];
  std::size_t c = 0;
  for (; c + kColumns <= n_columns; c += kColumns) {
    // After the last columns come the first ones again, with the next rows.
    const bool more = c + 2 * kColumns <= n_columns;
    for (std::size_t k = 0; k < kColumns; ++k) following[k] = more ? columns[c + kColumns + k] : columns[k] + n;
    dot_group<T, kColumns>(columns + c, following, means + c, reference, n, lanes + c * kTwinLanes);
  }
  for (; c < n_columns; ++c) {
    dot_group<T, 1>(columns + c, c + 1 < n_columns ? columns + c + 1 : columns + c, means + c, reference, n,
                    lanes + c * kTwinLanes);
  }
}

// Where the sums of a tile go: to lanes that hold those of other tiles, or, the only tile, to its total.
template <bool resumed>
inline void finish_tile(const Lanes& sums, double* out) {
  if constexpr (resumed) {
    lanes_add_to(out, sums);
  } else {
    *out = lanes_total(sums);
  }
}
template <bool resumed>
constexpr std::size_t kStride = resumed ? kTwinLanes : 1;

// `centred`: whether any mean is other than zero.
template <class T, std::size_t columns, bool centred, bool resumed>
void direct_group(const T* const* column, const T* const* next, const double* means, const T* reference,
                  double reference_mean, std::size_t n, double* sums_out) {
  Lanes sums[columns];
  Vec centres[columns];
  const T* x[columns];
  for (std::size_t c = 0; c < columns; ++c) {
    sums[c] = lanes_set(0.0);
    centres[c] = vec_set(means[c]);
    x[c] = column[c];
  }
  const Vec middle = vec_set(reference_mean);
  const std::size_t whole = n - n % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t c = 0; c < columns && !resumed; ++c) prefetch_rows(next[c], i);
    for (std::size_t v = 0; v < kVecs; ++v) {
      Vec other = vec_load(reference + i + v * kWidth);
      if constexpr (centred) other = vec_sub(other, middle);
      for (std::size_t c = 0; c < columns; ++c) {
        Vec value = vec_load(x[c] + i + v * kWidth);
        if constexpr (centred) value = vec_sub(value, centres[c]);
        sums[c].part[v] = vec_multiply_add(value, other, sums[c].part[v]);
      }
    }
  }
  if (whole < n) {
    const Lanes other =
        lanes_sub(lanes_load_tail(reference + whole, n - whole, reference_mean), lanes_set(reference_mean));
    for (std::size_t c = 0; c < columns; ++c) {
      const Lanes value = lanes_sub(lanes_load_tail(x[c] + whole, n - whole, means[c]), lanes_set(means[c]));
      sums[c] = lanes_add(sums[c], lanes_mul(value, other));
    }
  }
  for (std::size_t c = 0; c < columns; ++c) finish_tile<resumed>(sums[c], sums_out + c * kStride<resumed>);
}

#if defined(__FMA__)
// The same for single precision about zero, four doubles at a time: converting eight takes longer than twice four.
template <std::size_t columns, bool resumed>
void direct_float_group(const float* const* column, const float* const* next, const float* reference, std::size_t n,
                        double* sums_out) {
  constexpr std::size_t kQuads = kLanes / 4;
  __m256d sums[columns][kQuads];
  const float* x[columns];
  for (std::size_t c = 0; c < columns; ++c) {
    x[c] = column[c];
    for (std::size_t q = 0; q < kQuads; ++q) sums[c][q] = _mm256_setzero_pd();
  }
  const std::size_t whole = n - n % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t c = 0; c < columns && !resumed; ++c) prefetch_rows(next[c], i);
    for (std::size_t q = 0; q < kQuads; ++q) {
      const __m256d other = _mm256_cvtps_pd(_mm_loadu_ps(reference + i + 4 * q));
      for (std::size_t c = 0; c < columns; ++c) {
        sums[c][q] = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm_loadu_ps(x[c] + i + 4 * q)), other, sums[c][q]);
      }
    }
  }
  for (std::size_t c = 0; c < columns; ++c) {
    alignas(64) double lanes[kLanes];
    for (std::size_t q = 0; q < kQuads; ++q) _mm256_storeu_pd(lanes + 4 * q, sums[c][q]);
    for (std::size_t i = whole; i < n; ++i) {
      lanes[i - whole] += static_cast<double>(x[c][i]) * static_cast<double>(reference[i]);
    }
    finish_tile<resumed>(lanes_load(lanes), sums_out + c * kStride<resumed>);
  }
}
#endif

// Groups of as many columns as the registers hold, then of two, then one by one.
template <class T, bool centred, bool resumed>
void direct_groups(const T* const* columns, const T* const* next, const double* means, std::size_t n_columns,
                   const T* reference, double reference_mean, std::size_t n, double* sums_out) {
  std::size_t c = 0;
  const auto group = [&]<std::size_t size>() {
    double* out = sums_out + c * kStride<resumed>;
#if defined(__FMA__)
    if constexpr (!centred && sizeof(T) == sizeof(float)) {
      direct_float_group<size, resumed>(columns + c, next + c, reference, n, out);
      c += size;
      return;
    }
#endif
    direct_group<T, size, centred, resumed>(columns + c, next + c, means + c, reference, reference_mean, n, out);
    c += size;
  };
  while (c + kColumns <= n_columns) group.template operator()<kColumns>();
  if constexpr (kColumns > 2) {
    while (c + 2 <= n_columns) group.template operator()<2>();
  }
  while (c < n_columns) group.template operator()<1>();
}

template <class T, bool resumed>
void direct_tile(const T* const* columns, const T* const* next, const double* means, std::size_t n_columns,
                 const T* reference, double reference_mean, std::size_t n, double* sums_out) {
  bool centred = reference_mean != 0.0;
  for (std::size_t c = 0; c < n_columns; ++c) centred = centred || means[c] != 0.0;
  if (centred) {
    direct_groups<T, true, resumed>(columns, next, means, n_columns, reference, reference_mean, n, sums_out);
  } else {
    direct_groups<T, false, resumed>(columns, next, means, n_columns, reference, reference_mean, n, sums_out);
  }
}

template <class T>
void direct_lanes(const T* const* columns, const double* means, std::size_t n_columns, const T* reference,
                  double reference_mean, std::size_t n, double* lanes) {
  direct_tile<T, true>(columns, columns, means, n_columns, reference, reference_mean, n, lanes);
}

template <class T>
void direct_dots(const T* const* columns, const T* const* next, const double* means, std::size_t n_columns,
                 const T* reference, double reference_mean, std::size_t n, double* sums) {
  if (n <= kTileRows) {
    return direct_tile<T, false>(columns, next, means, n_columns, reference, reference_mean, n, sums);
  }
  // Never more columns at once than a group has.
  for (std::size_t first = 0; first < n_columns; first += kColumns) {
    const std::size_t count = n_columns - first < kColumns ? n_columns - first : kColumns;
    alignas(64) double lanes[kColumns * kTwinLanes] = {};
    const T* here[kColumns];
    for (std::size_t row = 0; row < n; row += kTileRows) {
      const std::size_t rows = n - row < kTileRows ? n - row : kTileRows;
      for (std::size_t c = 0; c < count; ++c) {
        here[c] = columns[first + c] + row;
        for (std::size_t i = 0; i < rows; i += kLanes) prefetch_rows(next[first + c] + row, i);
      }
      direct_lanes(here, means + first, count, reference + row, reference_mean, rows, lanes);
    }
    totals(lanes, count, sums + first);
  }
}

template <class T>
void class_sums_any(const T* x, const double* weight, const ClassCodes& classes, std::size_t begin, std::size_t n,
                    double split, double* lanes) {
  for (std::size_t i = begin; i < n; ++i) {
    const auto code = static_cast<std::size_t>(classes.wide[i]);
    if (code + 1 == classes.n_classes) continue;
    double* sums = lanes + code * kTwinLanes + i % kLanes;
    double value = static_cast<double>(x[i]);
    if (weight != nullptr) {
      double products[kWidth];
      vec_store(products, vec_two_product(vec_set(value), vec_set(weight[i])).lo);
      value *= weight[i];
      sums[kLanes] += products[0];
    }
    const double high = (split + value) - split;
    sums[0] += high;
    sums[kLanes] += value - high;
  }
}

#if defined(__AVX2__)
// All classes but the last at once, each with its own lanes in registers.
template <class T, std::size_t n_sums>
void class_sums_few(const T* x, const double* weight, const std::uint8_t* codes, std::size_t n, double split,
                    double* lanes) {
  const Vec border = vec_set(split);
  Lanes upper[n_sums];
  Lanes lower[n_sums];
  for (std::size_t c = 0; c < n_sums; ++c) {
    upper[c] = lanes_load(lanes + c * kTwinLanes);
    lower[c] = lanes_load(lanes + c * kTwinLanes + kLanes);
  }
  for (std::size_t i = 0; i < n; i += kLanes) {
    const Lanes value = lanes_load(x + i);
    Lanes high;
    Lanes low;
    if (weight == nullptr) {
      for (std::size_t v = 0; v < kVecs; ++v) {
        high.part[v] = upper_part(value.part[v], border);
        low.part[v] = vec_sub(value.part[v], high.part[v]);
      }
    } else {
      const Lanes times = lanes_load(weight + i);
      for (std::size_t v = 0; v < kVecs; ++v) {
        const TwinVec product = vec_two_product(value.part[v], times.part[v]);
        high.part[v] = upper_part(product.hi, border);
        low.part[v] = vec_add(vec_sub(product.hi, high.part[v]), product.lo);
      }
    }
    for (std::size_t c = 0; c < n_sums; ++c) {
      upper[c] = lanes_add_where(upper[c], high, codes + i, static_cast<std::uint8_t>(c));
      lower[c] = lanes_add_where(lower[c], low, codes + i, static_cast<std::uint8_t>(c));
    }
  }
  for (std::size_t c = 0; c < n_sums; ++c) {
    lanes_store(lanes + c * kTwinLanes, upper[c]);
    lanes_store(lanes + c * kTwinLanes + kLanes, lower[c]);
  }
}

template <class T>
std::size_t class_sums_whole(const T* x, const double* weight, const ClassCodes& classes, std::size_t n, double split,
                             double* lanes) {
  if (classes.narrow == nullptr) return 0;
  const std::size_t whole = n - n % kLanes;
  const std::uint8_t* codes = classes.narrow;
  switch (classes.n_classes) {
    case 2: class_sums_few<T, 1>(x, weight, codes, whole, split, lanes); break;
    case 3: class_sums_few<T, 2>(x, weight, codes, whole, split, lanes); break;
    case 4: class_sums_few<T, 3>(x, weight, codes, whole, split, lanes); break;
    case 5: class_sums_few<T, 4>(x, weight, codes, whole, split, lanes); break;
    case 6: class_sums_few<T, 5>(x, weight, codes, whole, split, lanes); break;
    case 7: class_sums_few<T, 6>(x, weight, codes, whole, split, lanes); break;
    case 8: class_sums_few<T, 7>(x, weight, codes, whole, split, lanes); break;
    default: return 0;
  }
  return whole;
}
#else
template <class T>
std::size_t class_sums_whole(const T*, const double*, const ClassCodes&, std::size_t, double, double*) {
  return 0;
}
#endif

template <class T>
void class_sums(const T* x, const double* weight, const ClassCodes& classes, std::size_t n, double split,
                double* lanes) {
  const std::size_t done = class_sums_whole(x, weight, classes, n, split, lanes);
  class_sums_any(x, weight, classes, done, n, split, lanes);
}

template <class T>
constexpr TypedMomentKernels<T> kTyped{&range_sum<T>, &centred_sums<T>, &column_sums<T>,  &centre<T>,
                                       &dots<T>,      &direct_dots<T>,  &direct_lanes<T>, &class_sums<T>};

}  // namespace

extern const MomentKernels moment_kernels;
const MomentKernels moment_kernels{kTyped<float>, kTyped<double>, &totals, &split_totals};

}  // namespace thresher::THRESHER_LEVEL
