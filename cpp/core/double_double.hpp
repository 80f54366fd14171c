// Numbers as unevaluated sums of two doubles (about 106 bits), from plain IEEE additions and multiplications only,
// so that every processor, compiler and C library gives the same bits.
#pragma once

#include <cmath>
#include <concepts>

namespace thresher {

struct DoubleDouble {
  double hi = 0.0;
  double lo = 0.0;
};

inline double leading(double value) { return value; }
inline double leading(DoubleDouble value) { return value.hi; }
template <std::integral Whole>
double leading(Whole value) {
  return static_cast<double>(value);
}

// Returns a + b exactly.
inline DoubleDouble two_sum(double a, double b) {
  const double sum = a + b;
  const double b_part = sum - a;
  return {sum, (a - (sum - b_part)) + (b - b_part)};
}

// Returns a + b exactly, for |a| >= |b| or a == 0.
inline DoubleDouble quick_two_sum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

// Returns a * b exactly (Dekker and Veltkamp), for magnitudes that cannot overflow.
inline DoubleDouble two_product(double a, double b) {
  constexpr double kSplit = 134217729.0;  // 2^27 + 1
  const double a_scaled = kSplit * a;
  const double a_hi = a_scaled - (a_scaled - a);
  const double a_lo = a - a_hi;
  const double b_scaled = kSplit * b;
  const double b_hi = b_scaled - (b_scaled - b);
  const double b_lo = b - b_hi;
  const double product = a * b;
  return {product, ((a_hi * b_hi - product) + a_hi * b_lo + a_lo * b_hi) + a_lo * b_lo};
}

inline DoubleDouble operator+(DoubleDouble a, DoubleDouble b) {
  DoubleDouble high = two_sum(a.hi, b.hi);
  const DoubleDouble low = two_sum(a.lo, b.lo);
  high = quick_two_sum(high.hi, high.lo + low.hi);
  return quick_two_sum(high.hi, high.lo + low.lo);
}

inline DoubleDouble operator+(DoubleDouble a, double b) {
  const DoubleDouble high = two_sum(a.hi, b);
  return quick_two_sum(high.hi, high.lo + a.lo);
}

inline DoubleDouble& operator+=(DoubleDouble& a, DoubleDouble b) { return a = a + b; }
inline DoubleDouble& operator+=(DoubleDouble& a, double b) { return a = a + b; }

inline DoubleDouble operator*(DoubleDouble a, DoubleDouble b) {
  const DoubleDouble product = two_product(a.hi, b.hi);
  return quick_two_sum(product.hi, product.lo + (a.hi * b.lo + a.lo * b.hi));
}

inline DoubleDouble operator*(DoubleDouble a, double b) {
  const DoubleDouble product = two_product(a.hi, b);
  return quick_two_sum(product.hi, product.lo + a.lo * b);
}

inline DoubleDouble operator-(DoubleDouble a) { return {-a.hi, -a.lo}; }
inline DoubleDouble operator-(DoubleDouble a, DoubleDouble b) { return a + -b; }

// By two corrections of the quotient of the high words.
inline DoubleDouble operator/(DoubleDouble a, DoubleDouble b) {
  const double first = a.hi / b.hi;
  DoubleDouble rest = a - b * first;
  const double second = rest.hi / b.hi;
  rest = rest - b * second;
  return quick_two_sum(first, second) + rest.hi / b.hi;
}

// By one step of Newton's method from the root of the high word; 0 for 0.
inline DoubleDouble square_root(DoubleDouble a) {
  if (!(a.hi > 0.0)) return {};
  const double first = std::sqrt(a.hi);
  return quick_two_sum(first, (a - two_product(first, first)).hi / (2.0 * first));
}

}  // namespace thresher
