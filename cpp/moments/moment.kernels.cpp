#include "core/lanes.hpp"
#include "moments/moment_kernels.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

void totals(const double* lanes, std::size_t count, double* out) {
  for (std::size_t c = 0; c < count; ++c) {
    double own[kTwinLanes];
    for (std::size_t l = 0; l < kTwinLanes; ++l) own[l] = lanes[c * kTwinLanes + l];
    out[c] = twin_total(own, own + kTwinLanes / 2, kTwinLanes / 2).hi;
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
  return {lanes_least(low), lanes_most(high), lanes_total(sum)};
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

// Lanes add up one run of rows, then the sums of the runs: that errs less than in one go.
inline bool is_next_run(std::size_t row) { return row % kRunRows == 0 && row > 0; }

template <std::size_t count>
inline void add_run(Lanes (&before)[count], Lanes (&sums)[count]) {
  for (std::size_t c = 0; c < count; ++c) {
    before[c] = lanes_add(before[c], sums[c]);
    sums[c] = lanes_set(0.0);
  }
}

// Returns the part of a value that is a multiple of 2^-53 of the split.
[[maybe_unused]] inline Vec upper_part(Vec value, Vec split) {
  return vec_sub(vec_add_by_product(value, split), split);
}

template <class T, bool weighted>
ColumnSums sums_in_tiles(const T* x, const double* weight, std::size_t n, double middle, std::size_t tile) {
  const double first = static_cast<double>(x[0]);
  const Lanes centre = lanes_set(middle);
  Lanes low = lanes_set(first);
  Lanes high = low;
  alignas(64) double lanes[2 * kTwinLanes] = {};
  for (std::size_t start = 0; start < n; start += tile) {
    const std::size_t end = n - start < tile ? n : start + tile;
    const Lanes nothing = lanes_set(0.0);
    Lanes sums[2] = {nothing, nothing};  // of distances, and of their squares
    Lanes before[2] = {nothing, nothing};
    // load(values, fill): a vector of lanes from there.
    const auto add = [&](std::size_t i, const auto& load) {
      const Lanes value = load(x + i, first);
      low = lanes_min(low, value);
      high = lanes_max(high, value);
      const Lanes distance = lanes_sub(load(x + i, middle), centre);
      Lanes counted = distance;
      if constexpr (weighted) counted = lanes_mul(distance, load(weight + i, 0.0));
      sums[0] = lanes_add(sums[0], counted);
      for (std::size_t v = 0; v < kVecs; ++v) {
        sums[1].part[v] = vec_multiply_add(counted.part[v], distance.part[v], sums[1].part[v]);
      }
    };
    const std::size_t whole = end - end % kLanes;
    for (std::size_t i = start; i < whole; i += kLanes) {
      if (is_next_run(i - start)) add_run(before, sums);
      add(i, [](const auto* from, double) { return lanes_load(from); });
    }
    if (whole < end) {
      add(whole, [&](const auto* from, double fill) { return lanes_load_tail(from, end - whole, fill); });
    }
    add_run(before, sums);
    if (n <= tile) return {lanes_least(low), lanes_most(high), {lanes_total(before[0]), lanes_total(before[1])}};
    for (std::size_t k = 0; k < 2; ++k) four_add_to(lanes + k * kTwinLanes, lanes_four(before[k]));
  }
  double both[2];
  totals(lanes, 2, both);
  return {lanes_least(low), lanes_most(high), {both[0], both[1]}};
}

template <class T>
ColumnSums column_sums(const T* x, const double* weight, std::size_t n, double centre, std::size_t tile) {
  return weight == nullptr ? sums_in_tiles<T, false>(x, weight, n, centre, tile)
                           : sums_in_tiles<T, true>(x, weight, n, centre, tile);
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

// Prefetches the cache lines of `next` that match rows i .. i+15.
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

// Several columns at a time: each has its own chain of additions, and the reference is loaded once for all. A tile is
// no longer than a run.
// `next`: where the columns after these are stored; they are prefetched.
template <class T, std::size_t columns>
void dot_group(const T* const* column, const T* const* next, const double* means, const double* reference,
               std::size_t n, std::size_t tile, double* lanes) {
  Vec centres[columns];
  const T* x[columns];
  for (std::size_t c = 0; c < columns; ++c) {
    centres[c] = vec_set(means[c]);
    x[c] = column[c];
  }
  for (std::size_t start = 0; start < n; start += tile) {
    const std::size_t end = n - start < tile ? n : start + tile;
    const std::size_t whole = end - end % kLanes;
    Lanes sums[columns];
    for (std::size_t c = 0; c < columns; ++c) sums[c] = lanes_set(0.0);
    for (std::size_t i = start; i < whole; i += kLanes) {
      for (std::size_t c = 0; c < columns; ++c) prefetch_rows(next[c], i);
      for (std::size_t v = 0; v < kVecs; ++v) {
        const Vec other = vec_load(reference + i + v * kWidth);
        for (std::size_t c = 0; c < columns; ++c) {
          const Vec value = vec_sub(vec_load(x[c] + i + v * kWidth), centres[c]);
          sums[c].part[v] = vec_multiply_add(value, other, sums[c].part[v]);
        }
      }
    }
    if (whole < end) {
      const Lanes other = lanes_load(reference + whole);
      for (std::size_t c = 0; c < columns; ++c) {
        const Lanes value = lanes_sub(lanes_load_tail(x[c] + whole, end - whole, means[c]), lanes_set(means[c]));
        sums[c] = lanes_add(sums[c], lanes_mul(value, other));
      }
    }
    for (std::size_t c = 0; c < columns; ++c) four_add_to(lanes + c * kTwinLanes, lanes_four(sums[c]));
  }
}

template <class T>
void dots(const T* const* columns, const double* means, std::size_t n_columns, const double* reference, std::size_t n,
          std::size_t tile, double* lanes) {
  const T* following[kColumns];
  tile = tile < kRunRows ? tile : kRunRows;
  std::size_t c = 0;
  for (; c + kColumns <= n_columns; c += kColumns) {
    // After the last columns come the first ones again, with the next rows.
    const bool more = c + 2 * kColumns <= n_columns;
    for (std::size_t k = 0; k < kColumns; ++k) following[k] = more ? columns[c + kColumns + k] : columns[k] + n;
    dot_group<T, kColumns>(columns + c, following, means + c, reference, n, tile, lanes + c * kTwinLanes);
  }
  for (; c < n_columns; ++c) {
    dot_group<T, 1>(columns + c, c + 1 < n_columns ? columns + c + 1 : columns + c, means + c, reference, n, tile,
                    lanes + c * kTwinLanes);
  }
}

// Where the products of a tile go: to their total, or to lanes that contain those of other tiles. Columns that are
// needed soon are prefetched, or not.
enum class Way { total, lanes, lanes_fetching };
template <Way way>
constexpr std::size_t kStride = way == Way::total ? 1 : kTwinLanes;

template <Way way>
inline void finish_tile(const Four& sums, double* out) {
  if constexpr (way == Way::total) {
    *out = four_total(sums);
  } else {
    four_add_to(out, sums);
  }
}

// `centred`: whether any mean is other than zero.
template <class T, std::size_t columns, bool centred, Way way>
void direct_group(const T* const* column, const T* const* next, const double* means, const T* reference,
                  double reference_mean, std::size_t n, double* sums_out) {
  Vec centres[columns];
  const T* x[columns];
  for (std::size_t c = 0; c < columns; ++c) {
    centres[c] = vec_set(means[c]);
    x[c] = column[c];
  }
  const Vec middle = vec_set(reference_mean);
  const std::size_t whole = n - n % kLanes;
  Lanes sums[columns];
  Lanes before[columns];
  const bool in_runs = way != Way::lanes && n > kRunRows;
  for (std::size_t c = 0; c < columns; ++c) sums[c] = lanes_set(0.0);
  for (std::size_t c = 0; c < columns && in_runs; ++c) before[c] = lanes_set(0.0);
  for (std::size_t i = 0; i < whole; i += kLanes) {
    if (in_runs && is_next_run(i)) add_run(before, sums);
    for (std::size_t c = 0; c < columns && way != Way::lanes; ++c) prefetch_rows(next[c], i);
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
  if (in_runs) add_run(sums, before);
  for (std::size_t c = 0; c < columns; ++c) finish_tile<way>(lanes_four(sums[c]), sums_out + c * kStride<way>);
}

#if defined(__FMA__)
inline Four quad_total(const __m256d (&sums)[4]) {
  return _mm256_add_pd(_mm256_add_pd(sums[0], sums[2]), _mm256_add_pd(sums[1], sums[3]));
}

// The same for single precision about zero, four doubles at a time: converting eight takes longer than twice four.
template <std::size_t columns, Way way>
void direct_float_group(const float* const* column, const float* const* next, const float* reference, std::size_t n,
                        double* sums_out) {
  constexpr std::size_t kQuads = kLanes / 4;
  const float* x[columns];
  for (std::size_t c = 0; c < columns; ++c) x[c] = column[c];
  const std::size_t whole = n - n % kLanes;
  __m256d sums[columns][kQuads];
  Four before[columns];
  for (std::size_t c = 0; c < columns; ++c) {
    before[c] = _mm256_setzero_pd();
    for (std::size_t q = 0; q < kQuads; ++q) sums[c][q] = _mm256_setzero_pd();
  }
  for (std::size_t i = 0; i < whole; i += kLanes) {
    for (std::size_t c = 0; c < columns && way != Way::lanes && is_next_run(i); ++c) {
      before[c] = _mm256_add_pd(before[c], quad_total(sums[c]));
      for (std::size_t q = 0; q < kQuads; ++q) sums[c][q] = _mm256_setzero_pd();
    }
    for (std::size_t c = 0; c < columns && way != Way::lanes; ++c) prefetch_rows(next[c], i);
    for (std::size_t q = 0; q < kQuads; ++q) {
      const __m256d other = _mm256_cvtps_pd(_mm_loadu_ps(reference + i + 4 * q));
      for (std::size_t c = 0; c < columns; ++c) {
        sums[c][q] = _mm256_fmadd_pd(_mm256_cvtps_pd(_mm_loadu_ps(x[c] + i + 4 * q)), other, sums[c][q]);
      }
    }
  }
  Lanes rest = lanes_set(0.0);
  if (whole < n) rest = lanes_load_tail(reference + whole, n - whole, 0.0);
  for (std::size_t c = 0; c < columns; ++c) {
    Four total = quad_total(sums[c]);
    if (way != Way::lanes) total = _mm256_add_pd(before[c], total);
    if (whole < n) {
      total = _mm256_add_pd(total, lanes_four(lanes_mul(lanes_load_tail(x[c] + whole, n - whole, 0.0), rest)));
    }
    finish_tile<way>(total, sums_out + c * kStride<way>);
  }
}
#endif

// Groups of as many columns as fit the registers, then of two, then one by one.
template <class T, bool centred, Way way>
void direct_groups(const T* const* columns, const T* const* next, const double* means, std::size_t n_columns,
                   const T* reference, double reference_mean, std::size_t n, double* sums_out) {
  std::size_t c = 0;
  const auto group = [&]<std::size_t size>() {
    double* out = sums_out + c * kStride<way>;
#if defined(__FMA__)
    if constexpr (!centred && sizeof(T) == sizeof(float)) {
      direct_float_group<size, way>(columns + c, next + c, reference, n, out);
      c += size;
      return;
    }
#endif
    direct_group<T, size, centred, way>(columns + c, next + c, means + c, reference, reference_mean, n, out);
    c += size;
  };
  while (c + kColumns <= n_columns) group.template operator()<kColumns>();
  if constexpr (kColumns > 2) {
    while (c + 2 <= n_columns) group.template operator()<2>();
  }
  while (c < n_columns) group.template operator()<1>();
}

template <class T, Way way>
void direct_sums(const T* const* columns, const T* const* next, const double* means, std::size_t n_columns,
                 const T* reference, double reference_mean, std::size_t n, double* sums_out) {
  bool centred = reference_mean != 0.0;
  for (std::size_t c = 0; c < n_columns; ++c) centred = centred || means[c] != 0.0;
  if (centred) {
    direct_groups<T, true, way>(columns, next, means, n_columns, reference, reference_mean, n, sums_out);
  } else {
    direct_groups<T, false, way>(columns, next, means, n_columns, reference, reference_mean, n, sums_out);
  }
}

template <class T>
void direct_lanes(const T* const* columns, const double* means, std::size_t n_columns, const T* reference,
                  double reference_mean, std::size_t n, double* lanes) {
  direct_sums<T, Way::lanes>(columns, columns, means, n_columns, reference, reference_mean, n, lanes);
}

template <class T>
void direct_dots(const T* const* columns, const T* const* next, const double* means, std::size_t n_columns,
                 const T* reference, double reference_mean, std::size_t n, std::size_t tile, double* sums) {
  if (n <= tile) {
    return direct_sums<T, Way::total>(columns, next, means, n_columns, reference, reference_mean, n, sums);
  }
  // Never more columns at once than a group has.
  for (std::size_t c = 0; c < n_columns; c += kColumns) {
    const std::size_t count = n_columns - c < kColumns ? n_columns - c : kColumns;
    alignas(64) double lanes[kColumns * kTwinLanes] = {};
    for (std::size_t row = 0; row < n; row += tile) {
      const T* here[kColumns];
      const T* soon[kColumns];
      for (std::size_t k = 0; k < count; ++k) {
        here[k] = columns[c + k] + row;
        soon[k] = next[c + k] + row;
      }
      direct_sums<T, Way::lanes_fetching>(here, soon, means + c, count, reference + row, reference_mean,
                                          n - row < tile ? n - row : tile, lanes);
    }
    totals(lanes, count, sums + c);
  }
}

template <class T>
void class_sums_any(const T* x, const double* weight, const ClassCodes& classes, std::size_t n, double split,
                    double* lanes, SplitSum* out) {
  for (std::size_t i = 0; i < classes.n_classes * kSplitLanes; ++i) lanes[i] = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    const std::size_t code = classes.narrow != nullptr ? classes.narrow[i] : static_cast<std::size_t>(classes.wide[i]);
    double value = static_cast<double>(x[i]);
    double rest = 0.0;
    if (weight != nullptr) {
      double products[kWidth];
      vec_store(products, vec_two_product(vec_set(value), vec_set(weight[i])).lo);
      value *= weight[i];
      rest = products[0];
    }
    const double high = (split + value) - split;
    const auto add_to = [&](std::size_t slot) {
      double* sums = lanes + slot * kSplitLanes + i % kLanes;
      sums[0] += high;
      sums[kLanes] += (value - high) + rest;
    };
    if (code + 1 != classes.n_classes) add_to(code);
    add_to(classes.n_classes - 1);
  }
  for (std::size_t c = 0; c < classes.n_classes; ++c) {
    const double* own = lanes + c * kSplitLanes;
    out[c] = {lanes_total(lanes_load(own)), lanes_total(lanes_load(own + kLanes))};
  }
}

#if defined(__AVX2__)
// All classes at once, each with its own lanes in registers.
template <class T, std::size_t n_sums, bool weighted>
void class_sums_few(const T* x, const double* weight, const std::uint8_t* codes, std::size_t n, double split,
                    SplitSum* out) {
  const Vec border = vec_set(split);
  Lanes upper[n_sums + 1];  // the last of all rows
  Lanes lower[n_sums + 1];
  for (std::size_t c = 0; c <= n_sums; ++c) {
    for (std::size_t v = 0; v < kVecs; ++v) upper[c].part[v] = lower[c].part[v] = vec_set(0.0);
  }
  // load(values): a vector of lanes from there.
  const auto add = [&](std::size_t i, const auto& load) {
    const Lanes value = load(x + i);
    Lanes high, low;
    if constexpr (weighted) {
      const Lanes times = load(weight + i);
      for (std::size_t v = 0; v < kVecs; ++v) {
        const TwinVec product = vec_two_product(value.part[v], times.part[v]);
        high.part[v] = upper_part(product.hi, border);
        low.part[v] = vec_add(vec_sub(product.hi, high.part[v]), product.lo);
      }
    } else {
      for (std::size_t v = 0; v < kVecs; ++v) {
        high.part[v] = upper_part(value.part[v], border);
        low.part[v] = vec_sub(value.part[v], high.part[v]);
      }
    }
    for (std::size_t c = 0; c < n_sums; ++c) {
      lanes_add_where(upper[c], high, codes + i, static_cast<std::uint8_t>(c));
      lanes_add_where(lower[c], low, codes + i, static_cast<std::uint8_t>(c));
    }
    for (std::size_t v = 0; v < kVecs; ++v) {
      upper[n_sums].part[v] = vec_add_by_product(high.part[v], upper[n_sums].part[v]);
      lower[n_sums].part[v] = vec_add_by_product(low.part[v], lower[n_sums].part[v]);
    }
  };
  const std::size_t whole = n - n % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) add(i, [](const auto* from) { return lanes_load(from); });
  if (whole < n) add(whole, [&](const auto* from) { return lanes_load_tail(from, n - whole, 0.0); });
  for (std::size_t c = 0; c <= n_sums; ++c) out[c] = {lanes_total(upper[c]), lanes_total(lower[c])};
}

template <class T>
bool class_sums_vectors(const T* x, const double* weight, const ClassCodes& classes, std::size_t n, double split,
                        SplitSum* out) {
  if (classes.narrow == nullptr) return false;
  const auto sums_of = [&]<std::size_t n_classes>() {
    const auto few =
        weight == nullptr ? class_sums_few<T, n_classes - 1, false> : class_sums_few<T, n_classes - 1, true>;
    few(x, weight, classes.narrow, n, split, out);
    return true;
  };
  switch (classes.n_classes) {
    case 2: return sums_of.template operator()<2>();
    case 3: return sums_of.template operator()<3>();
    case 4: return sums_of.template operator()<4>();
    case 5: return sums_of.template operator()<5>();
    case 6: return sums_of.template operator()<6>();
    case 7: return sums_of.template operator()<7>();
    case 8: return sums_of.template operator()<8>();
    default: return false;
  }
}
#else
template <class T>
bool class_sums_vectors(const T*, const double*, const ClassCodes&, std::size_t, double, SplitSum*) {
  return false;
}
#endif

template <class T>
void class_sums(const T* x, const double* weight, const ClassCodes& classes, std::size_t n, double split, double* lanes,
                SplitSum* out) {
  if (!class_sums_vectors(x, weight, classes, n, split, out)) {
    class_sums_any(x, weight, classes, n, split, lanes, out);
  }
}

template <class T>
constexpr TypedMomentKernels<T> kTyped{&range_sum<T>, &centred_sums<T>, &column_sums<T>,  &centre<T>,
                                       &dots<T>,      &direct_dots<T>,  &direct_lanes<T>, &class_sums<T>};

}  // namespace

extern const MomentKernels moment_kernels;
const MomentKernels moment_kernels{kTyped<float>, kTyped<double>, &totals};

}  // namespace thresher::THRESHER_LEVEL
