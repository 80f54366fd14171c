#include "measures/exact_fallback.hpp"

#include <cmath>
#include <utility>
#include <vector>

#include "measures/range.hpp"
#include "moments/moment_request.hpp"

namespace thresher {
namespace {

// body(begin, count, weights) for every run of rows kept.
template <class Body>
void for_kept_segments(const SegmentLayout& layout, std::size_t replicate, Body&& body) {
  const auto segments = layout.segments();
  const double* weights = layout.weights();
  const std::size_t n = layout.n_segments();
  for (std::size_t s = 0; s < n; ++s) {
    if (!layout.sets().keeps(replicate, s)) continue;
    const std::size_t begin = segments[s];
    while (s + 1 < n && layout.sets().keeps(replicate, s + 1)) ++s;
    body(begin, segments[s + 1] - begin, weights == nullptr ? nullptr : weights + begin);
  }
}

// Returns the rows kept, times a power of two.
template <class T>
std::vector<double> scaled_rows(const T* x, const SegmentLayout& layout, std::size_t replicate, int scale) {
  std::vector<double> out;
  for_kept_segments(layout, replicate, [&](std::size_t begin, std::size_t count, const double*) {
    for (std::size_t i = 0; i < count; ++i) out.push_back(std::ldexp(static_cast<double>(x[begin + i]), scale));
  });
  return out;
}

template <class T>
std::vector<T> kept_rows_of(const T* values, const SegmentLayout& layout, std::size_t replicate) {
  std::vector<T> out;
  for_kept_segments(layout, replicate, [&](std::size_t begin, std::size_t count, const double*) {
    out.insert(out.end(), values + begin, values + begin + count);
  });
  return out;
}

template <class X, class Y>
void add_sums(const X* x, const Y* y, const SegmentLayout& layout, std::size_t replicate, PairSums& total) {
  const auto& kernels = typed(THRESHER_DISPATCH(exact_kernels), x, y);
  for_kept_segments(layout, replicate, [&](std::size_t begin, std::size_t count, const double* weights) {
    const PairedSums sums = kernels.sums(x + begin, y + begin, weights, count, total.centre_x, total.centre_y);
    for (const auto member :
         {&PairedSums::n, &PairedSums::x, &PairedSums::y, &PairedSums::xx, &PairedSums::yy, &PairedSums::xy}) {
      total.*member = total.*member + sums.*member;
    }
  });
}

// Returns whether sums about 0 do not overflow, and leave enough digits about the mean.
bool is_good(DoubleDouble squares, DoubleDouble sum, DoubleDouble n) {
  return squares.hi < 1e280 && squares.hi > 1e-250 && squares.hi - sum.hi * (sum.hi / n.hi) > 1e-6 * squares.hi;
}

template <class X, class Y>
PairSums sums_of_pair(const X* x, const Y* y, const SegmentLayout& layout, std::size_t replicate) {
  const auto& kernels = typed(THRESHER_DISPATCH(exact_kernels), x, y);
  PairSums plain;
  add_sums(x, y, layout, replicate, plain);
  if (is_good(plain.xx, plain.x, plain.n) && is_good(plain.yy, plain.y, plain.n)) return plain;
  Range of_x, of_y;
  double n = 0.0, sum_x = 0.0, sum_y = 0.0;
  for_kept_segments(layout, replicate, [&](std::size_t begin, std::size_t count, const double* weights) {
    const PairedRange range = kernels.range(x + begin, y + begin, weights, count);
    of_x.add(range.low_x, range.high_x);
    of_y.add(range.low_y, range.high_y);
    n += range.rows;
    sum_x += range.sum_x;
    sum_y += range.sum_y;
  });
  PairSums total;
  if (!(n > 0.0)) return total;
  const int scale_x = of_x.scale();
  const int scale_y = of_y.scale();
  if (scale_x != 0 || scale_y != 0) {
    const auto a = scaled_rows(x, layout, replicate, scale_x);
    const auto b = scaled_rows(y, layout, replicate, scale_y);
    std::vector<double> weights;
    if (layout.weights() != nullptr) weights = kept_rows_of(layout.weights(), layout, replicate);
    const SegmentLayout all(a.size(), {}, PartSets(), weights);
    total = sums_of_pair(a.data(), b.data(), all, 0);
    total.scale_x = scale_x;
    total.scale_y = scale_y;
    return total;
  }
  total.centre_x = of_x.centre(sum_x / n);
  total.centre_y = of_y.centre(sum_y / n);
  add_sums(x, y, layout, replicate, total);
  return total;
}

template <class T>
ClassSums sums_by_class(const T* x, const std::int32_t* classes, std::size_t n_classes, const SegmentLayout& layout,
                        std::size_t replicate) {
  const ExactKernels& kernels = THRESHER_DISPATCH(exact_kernels);
  Range range;
  double n = 0.0, sum = 0.0;
  for_kept_segments(layout, replicate, [&](std::size_t begin, std::size_t count, const double* weights) {
    const PairedRange own = typed(kernels, x, x).range(x + begin, x + begin, weights, count);
    range.add(own.low_x, own.high_x);
    n += own.rows;
    sum += own.sum_x;
  });
  ClassSums total{std::vector<ClassSum>(n_classes)};
  if (!(n > 0.0)) return total;
  if (const int scale = range.scale(); scale != 0) {
    const auto values = scaled_rows(x, layout, replicate, scale);
    const auto labels = kept_rows_of(classes, layout, replicate);
    std::vector<double> weights;
    if (layout.weights() != nullptr) weights = kept_rows_of(layout.weights(), layout, replicate);
    total = sums_by_class(values.data(), labels.data(), n_classes,
                          SegmentLayout(values.size(), {}, PartSets(), weights), 0);
    total.scale = scale;
    return total;
  }
  total.centre = range.centre(sum / n);
  for_kept_segments(layout, replicate, [&](std::size_t begin, std::size_t count, const double* weights) {
    class_kernel(kernels, x)(x + begin, classes + begin, weights, count, total.centre, total.classes.data());
  });
  return total;
}

}  // namespace

PairSums pair_sums(NumericColumn x, NumericColumn y, const SegmentLayout& layout, std::size_t replicate) {
  // A target is always in double precision, a feature in that of its table.
  if (x.float64 != nullptr && y.float32 != nullptr) {
    PairSums sums = sums_of_pair(y.float32, x.float64, layout, replicate);
    std::swap(sums.x, sums.y);
    std::swap(sums.xx, sums.yy);
    std::swap(sums.centre_x, sums.centre_y);
    std::swap(sums.scale_x, sums.scale_y);
    return sums;
  }
  if (x.float32 != nullptr && y.float32 != nullptr) return sums_of_pair(x.float32, y.float32, layout, replicate);
  if (x.float32 != nullptr) return sums_of_pair(x.float32, y.float64, layout, replicate);
  return sums_of_pair(x.float64, y.float64, layout, replicate);
}

ClassSums class_sums(NumericColumn x, const std::int32_t* classes, std::size_t n_classes, const SegmentLayout& layout,
                     std::size_t replicate) {
  return visit_type(x,
                    [&](const auto* values) { return sums_by_class(values, classes, n_classes, layout, replicate); });
}

double ExactFallback::centre(std::uint32_t feature) const {
  return Range{table_.minimum()[feature], table_.maximum()[feature]}.centre(table_.mean()[feature]);
}

const ClassSum* ExactFallback::sums(std::uint32_t feature) {
  std::call_once(is_read_[feature], [&] {
    if (Range{table_.minimum()[feature], table_.maximum()[feature]}.scale() != 0) return;
    const std::size_t n_segments = table_.layout().n_segments();
    auto own = std::make_unique<ClassSum[]>(n_segments);
    for (std::size_t s = 0; s < n_segments; ++s) own[s] = segment_sums(table_, feature, s, centre(feature));
    sums_[feature] = std::move(own);
  });
  return sums_[feature].get();
}

double ExactFallback::value(NumericKind kind, std::uint32_t x, std::uint32_t y, std::size_t replicate) {
  const ClassSum* of_x = sums(x);
  const ClassSum* of_y = sums(y);
  if (of_x != nullptr && of_y != nullptr) {
    PairSums sums;
    sums.centre_x = centre(x);
    sums.centre_y = centre(y);
    for (std::size_t s = 0; s < table_.layout().n_segments(); ++s) {
      if (!table_.layout().sets().keeps(replicate, s)) continue;
      sums.n += of_x[s].n;
      sums.x += of_x[s].x;
      sums.y += of_y[s].x;
      sums.xx += of_x[s].xx;
      sums.yy += of_y[s].xx;
      sums.xy += segment_products(table_, x, y, s, sums.centre_x, sums.centre_y);
    }
    if (is_good(sums.xx, sums.x, sums.n) && is_good(sums.yy, sums.y, sums.n)) return sums.value(kind);
  }
  return pair_sums(table_.column(x), table_.column(y), table_.layout(), replicate).value(kind);
}

}  // namespace thresher
