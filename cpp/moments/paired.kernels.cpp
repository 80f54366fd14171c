#include <math.h>

#include "core/lanes.hpp"
#include "moments/paired_kernels.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

// Calls body(x, y, weight) with sixteen rows at a time; beyond the end values are missing.
template <class X, class Y, class Body>
inline void for_lanes(const X* x, const Y* y, const double* weight, std::size_t n, Body&& body) {
  const Lanes ones = lanes_set(1.0);
  const std::size_t whole = n - n % kLanes;
  for (std::size_t i = 0; i < whole; i += kLanes) {
    body(lanes_load(x + i), lanes_load(y + i), weight == nullptr ? ones : lanes_load(weight + i));
  }
  if (whole < n) {
    const std::size_t rest = n - whole;
    body(lanes_load_tail(x + whole, rest, NAN), lanes_load_tail(y + whole, rest, NAN),
         weight == nullptr ? ones : lanes_load_tail(weight + whole, rest, 0.0));
  }
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
      rows.part[v] = vec_add(rows.part[v], vec_if_present(p, q, w.part[v], zero));
      sum_x.part[v] = vec_add(sum_x.part[v], vec_if_present(p, q, vec_mul(p, w.part[v]), zero));
      sum_y.part[v] = vec_add(sum_y.part[v], vec_if_present(p, q, vec_mul(q, w.part[v]), zero));
      low_x.part[v] = vec_min(low_x.part[v], vec_if_present(p, q, p, top));
      high_x.part[v] = vec_max(high_x.part[v], vec_if_present(p, q, p, bottom));
      low_y.part[v] = vec_min(low_y.part[v], vec_if_present(p, q, q, top));
      high_y.part[v] = vec_max(high_y.part[v], vec_if_present(p, q, q, bottom));
    }
  });
  const auto smallest = [](const Lanes& lanes) {
    double each[kLanes];
    lanes_store(each, lanes);
    double least = each[0];
    for (std::size_t l = 1; l < kLanes; ++l) least = each[l] < least ? each[l] : least;
    return least;
  };
  const auto largest = [](const Lanes& lanes) {
    double each[kLanes];
    lanes_store(each, lanes);
    double most = each[0];
    for (std::size_t l = 1; l < kLanes; ++l) most = each[l] > most ? each[l] : most;
    return most;
  };
  return {lanes_total(rows), lanes_total(sum_x), lanes_total(sum_y), smallest(low_x),
          largest(high_x),   smallest(low_y),    largest(high_y)};
}

template <class X, class Y>
PairedSums sums(const X* x, const Y* y, const double* weight, std::size_t n, double centre_x, double centre_y) {
  Lanes sum_x = lanes_set(0.0);
  Lanes sum_y = sum_x;
  Lanes xx = sum_x;
  Lanes yy = sum_x;
  Lanes xy = sum_x;
  const Vec zero = vec_set(0.0);
  const Vec middle_x = vec_set(centre_x);
  const Vec middle_y = vec_set(centre_y);
  for_lanes(x, y, weight, n, [&](const Lanes& a, const Lanes& b, const Lanes& w) {
    for (std::size_t v = 0; v < kVecs; ++v) {
      const Vec p = a.part[v];
      const Vec q = b.part[v];
      const Vec s = vec_if_present(p, q, vec_sub(p, middle_x), zero);
      const Vec t = vec_if_present(p, q, vec_sub(q, middle_y), zero);
      const Vec ws = vec_mul(s, w.part[v]);
      const Vec wt = vec_mul(t, w.part[v]);
      sum_x.part[v] = vec_add(sum_x.part[v], ws);
      sum_y.part[v] = vec_add(sum_y.part[v], wt);
      xx.part[v] = vec_add(xx.part[v], vec_mul(s, ws));
      yy.part[v] = vec_add(yy.part[v], vec_mul(t, wt));
      xy.part[v] = vec_add(xy.part[v], vec_mul(s, wt));
    }
  });
  return {lanes_total(sum_x), lanes_total(sum_y), lanes_total(xx), lanes_total(yy), lanes_total(xy)};
}

}  // namespace

extern const PairedKernels paired_kernels;
const PairedKernels paired_kernels{{&range<float, float>, &sums<float, float>},
                                   {&range<float, double>, &sums<float, double>},
                                   {&range<double, double>, &sums<double, double>}};

}  // namespace thresher::THRESHER_LEVEL
