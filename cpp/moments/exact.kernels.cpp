#include <math.h>

#include "core/lanes.hpp"
#include "moments/exact_kernels.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

// body(load) for sixteen rows at a time: load(values, fill) are those from there, `fill` beyond the end.
template <class Body>
inline void for_rows(std::size_t n, Body&& body) {
  const std::size_t whole = n - n % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    body([i](const auto* values, double) { return lanes_load(values + i); });
  }
  if (whole < n) {
    body([=](const auto* values, double fill) { return lanes_load_tail(values + whole, n - whole, fill); });
  }
}

// Calls body(x, y, weight) with sixteen rows at a time; beyond the end values are missing.
template <class X, class Y, class Body>
inline void for_lanes(const X* x, const Y* y, const double* weight, std::size_t n, Body&& body) {
  for_rows(n, [&](const auto& load) {
    body(load(x, NAN), load(y, NAN), weight == nullptr ? lanes_set(1.0) : load(weight, 0.0));
  });
}

template <class X, class Y>
PairedRange range(const X* x, const Y* y, const double* weight, std::size_t n) {
  Lanes rows = lanes_set(0.0);
  Lanes sum_x = rows;
  Lanes sum_y = rows;
  Lanes low_x = lanes_set(HUGE_VAL);
  Lanes low_y = low_x;
  Lanes high_x = lanes_set(-HUGE_VAL);
  Lanes high_y = high_x;
  const Vec zero = vec_set(0.0);
  const Vec top = vec_set(HUGE_VAL);
  const Vec bottom = vec_set(-HUGE_VAL);
  for_lanes(x, y, weight, n, [&](const Lanes& a, const Lanes& b, const Lanes& w) {
    for (std::size_t v = 0; v < kVecs; ++v) {
      const Vec p = a.part[v];
      const Vec q = b.part[v];
      const VecMask present = vec_present(p, q);
      rows.part[v] = vec_add(rows.part[v], vec_select(present, w.part[v], zero));
      sum_x.part[v] = vec_add(sum_x.part[v], vec_select(present, vec_mul(p, w.part[v]), zero));
      sum_y.part[v] = vec_add(sum_y.part[v], vec_select(present, vec_mul(q, w.part[v]), zero));
      low_x.part[v] = vec_min(low_x.part[v], vec_select(present, p, top));
      high_x.part[v] = vec_max(high_x.part[v], vec_select(present, p, bottom));
      low_y.part[v] = vec_min(low_y.part[v], vec_select(present, q, top));
      high_y.part[v] = vec_max(high_y.part[v], vec_select(present, q, bottom));
    }
  });
  return {lanes_total(rows),  lanes_total(sum_x), lanes_total(sum_y), lanes_least(low_x),
          lanes_most(high_x), lanes_least(low_y), lanes_most(high_y)};
}

// All lanes in one sum.
DoubleDouble twin_total(const TwinVec& sum) {
  double hi[kWidth];
  double lo[kWidth];
  vec_store(hi, sum.hi);
  vec_store(lo, sum.lo);
  return twin_total(hi, lo, kWidth);
}

// Returns a product of two factors times a weight.
inline TwinVec weighted(const TwinVec& product, Vec times) {
  TwinVec out = vec_two_product(product.hi, times);
  out.lo = vec_add(out.lo, vec_mul(product.lo, times));
  return out;
}

template <class X, class Y>
PairedSums sums(const X* x, const Y* y, const double* weight, std::size_t n, double centre_x, double centre_y) {
  const Vec zero = vec_set(0.0);
  const Vec middle_x = vec_set(centre_x);
  const Vec middle_y = vec_set(centre_y);
  const TwinVec nothing{zero, zero};
  TwinVec rows = nothing, sum_x = nothing, sum_y = nothing, xx = nothing, yy = nothing, xy = nothing;
  for_lanes(x, y, weight, n, [&](const Lanes& a, const Lanes& b, const Lanes& w) {
    for (std::size_t v = 0; v < kVecs; ++v) {
      const Vec p = a.part[v];
      const Vec q = b.part[v];
      const VecMask present = vec_present(p, q);
      const Vec s = vec_select(present, vec_sub(p, middle_x), zero);
      const Vec t = vec_select(present, vec_sub(q, middle_y), zero);
      const Vec times = vec_select(present, w.part[v], zero);
      twin_add(rows, times);
      if (weight == nullptr) {
        twin_add(sum_x, s);
        twin_add(sum_y, t);
        twin_add(xx, vec_two_product(s, s));
        twin_add(yy, vec_two_product(t, t));
        twin_add(xy, vec_two_product(s, t));
        continue;
      }
      twin_add(sum_x, vec_two_product(s, times));
      twin_add(sum_y, vec_two_product(t, times));
      twin_add(xx, weighted(vec_two_product(s, s), times));
      twin_add(yy, weighted(vec_two_product(t, t), times));
      twin_add(xy, weighted(vec_two_product(s, t), times));
    }
  });
  return {twin_total(rows), twin_total(sum_x), twin_total(sum_y), twin_total(xx), twin_total(yy), twin_total(xy)};
}

// Sixteen lanes of sums of two doubles.
struct TwinLanes {
  TwinVec part[kVecs];

  TwinLanes() {
    for (TwinVec& own : part) own = {vec_set(0.0), vec_set(0.0)};
  }
  DoubleDouble total() {
    for (std::size_t v = 1; v < kVecs; ++v) twin_add(part[0], part[v]);
    return twin_total(part[0]);
  }
};

// Products of floats about 0 are exact, if they have no weights.
template <class X, class Y>
bool has_exact_products(const double* weight, double centre_x, double centre_y) {
  return sizeof(X) + sizeof(Y) == 2 * sizeof(float) && weight == nullptr && centre_x == 0.0 && centre_y == 0.0;
}

template <bool is_exact, class X, class Y>
DoubleDouble products_of(const X* x, const Y* y, const double* weight, std::size_t n, double centre_x,
                         double centre_y) {
  const Vec middle_x = vec_set(centre_x);
  const Vec middle_y = vec_set(centre_y);
  TwinLanes sums;
  for_rows(n, [&](const auto& load) {
    const Lanes a = load(x, centre_x);
    const Lanes b = load(y, centre_y);
    for (std::size_t v = 0; v < kVecs; ++v) {
      if constexpr (is_exact) {
        twin_add(sums.part[v], vec_mul(a.part[v], b.part[v]));
      } else {
        const TwinVec product = vec_two_product(vec_sub(a.part[v], middle_x), vec_sub(b.part[v], middle_y));
        twin_add(sums.part[v], weight == nullptr ? product : weighted(product, load(weight, 0.0).part[v]));
      }
    }
  });
  return sums.total();
}

template <class X, class Y>
DoubleDouble products(const X* x, const Y* y, const double* weight, std::size_t n, double centre_x, double centre_y) {
  if (has_exact_products<X, Y>(weight, centre_x, centre_y)) return products_of<true>(x, y, weight, n, 0.0, 0.0);
  return products_of<false>(x, y, weight, n, centre_x, centre_y);
}

template <bool is_exact, class T>
ClassSum column_of(const T* x, const double* weight, std::size_t n, double centre) {
  const Vec middle = vec_set(centre);
  TwinLanes rows, sum, squares;
  for_rows(n, [&](const auto& load) {
    const Lanes value = load(x, centre);
    for (std::size_t v = 0; v < kVecs; ++v) {
      if constexpr (is_exact) {
        twin_add(sum.part[v], value.part[v]);
        twin_add(squares.part[v], vec_mul(value.part[v], value.part[v]));
        continue;
      }
      const Vec distance = vec_sub(value.part[v], middle);
      const TwinVec square = vec_two_product(distance, distance);
      if (weight == nullptr) {
        twin_add(sum.part[v], distance);
        twin_add(squares.part[v], square);
        continue;
      }
      const Vec times = load(weight, 0.0).part[v];
      twin_add(rows.part[v], times);
      twin_add(sum.part[v], vec_two_product(distance, times));
      twin_add(squares.part[v], weighted(square, times));
    }
  });
  return {weight == nullptr ? DoubleDouble{static_cast<double>(n)} : rows.total(), sum.total(), squares.total()};
}

template <class T>
ClassSum column(const T* x, const double* weight, std::size_t n, double centre) {
  if (has_exact_products<T, T>(weight, centre, centre)) return column_of<true>(x, weight, n, centre);
  return column_of<false>(x, weight, n, centre);
}

inline void add_to(DoubleDouble& sum, double hi, double lo) {
  const double before = sum.hi;
  sum.hi += hi;
  const double added = sum.hi - before;
  sum.lo += ((before - (sum.hi - added)) + (hi - added)) + lo;
}

inline DoubleDouble product_of(double a, double b) {
#if defined(__FMA__)
  const double product = a * b;
  return {product, __builtin_fma(a, b, -product)};
#else
  double both[2 * kWidth];
  const TwinVec product = vec_two_product(vec_set(a), vec_set(b));
  vec_store(both, product.hi);
  vec_store(both + kWidth, product.lo);
  return {both[0], both[kWidth]};
#endif
}

template <class T>
void class_sums(const T* x, const std::int32_t* classes, const double* weight, std::size_t n, double centre,
                ClassSum* sums) {
  for (std::size_t i = 0; i < n; ++i) {
    const double value = static_cast<double>(x[i]);
    if (value != value) continue;
    ClassSum& sum = sums[classes[i]];
    const double s = value - centre;
    const DoubleDouble square = product_of(s, s);
    if (weight == nullptr) {
      add_to(sum.n, 1.0, 0.0);
      add_to(sum.x, s, 0.0);
      add_to(sum.xx, square.hi, square.lo);
      continue;
    }
    const DoubleDouble first = product_of(s, weight[i]);
    const DoubleDouble second = product_of(square.hi, weight[i]);
    add_to(sum.n, weight[i], 0.0);
    add_to(sum.x, first.hi, first.lo);
    add_to(sum.xx, second.hi, second.lo + square.lo * weight[i]);
  }
}

}  // namespace

extern const ExactKernels exact_kernels;
const ExactKernels exact_kernels{{&range<float, float>, &sums<float, float>, &products<float, float>},
                                 {&range<float, double>, &sums<float, double>, &products<float, double>},
                                 {&range<double, double>, &sums<double, double>, &products<double, double>},
                                 &column<float>,
                                 &column<double>,
                                 &class_sums<float>,
                                 &class_sums<double>};

}  // namespace thresher::THRESHER_LEVEL
