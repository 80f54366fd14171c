#include "core/xlogx.hpp"

#include <algorithm>
#include <bit>

#include "core/log2_table.hpp"

namespace thresher {
namespace {

constexpr DoubleDouble kTwoOverLn2 = {0x1.71547652b82fep+1, 0x1.777d0ffda0d24p-55};
constexpr DoubleDouble kThird = {0x1.5555555555555p-2, 0x1.5555555555555p-56};

struct Parts {
  double mantissa;  // in [1, 2)
  double exponent;
};

Parts split(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  return {std::bit_cast<double>((bits & 0x000fffffffffffffULL) | 0x3ff0000000000000ULL),
          static_cast<double>(static_cast<int>(bits >> 52) - 1023)};
}

// log2 of m in [1, 2): the nearest table point t, then log2(m/t) = 2/ln 2 atanh(z) with z = (m-t)/(m+t), |z| < 2^-9.
DoubleDouble log2_mantissa(double m) {
  const int index = static_cast<int>((m - 1.0) * 128.0 + 0.5);
  const double t = 1.0 + static_cast<double>(index) / 128.0;
  const double numerator = m - t;  // exact: the numbers are close
  const DoubleDouble denominator = two_sum(m, t);
  // z as a double-double: the quotient and the exact remainder's quotient.
  const double z_hi = numerator / denominator.hi;
  const DoubleDouble back = two_product(z_hi, denominator.hi);
  const double remainder = ((numerator - back.hi) - back.lo) - z_hi * denominator.lo;
  const DoubleDouble z = quick_two_sum(z_hi, remainder / denominator.hi);
  const DoubleDouble w = z * z;
  // atanh(z) = z + z (w/3 + w^2/5 + w^3/7 + ...); the terms after the first are small enough for plain doubles.
  const double v = w.hi;
  const double tail = v * v * (1.0 / 5.0 + v * (1.0 / 7.0 + v * (1.0 / 9.0 + v * (1.0 / 11.0 + v * (1.0 / 13.0)))));
  const DoubleDouble series = z + z * (w * kThird + tail);
  return kLog2Table[index] + series * kTwoOverLn2;
}

// round(count log2(count) 2^shift). Only powers of two could be halfway, and those are whole.
std::int64_t to_fixed(double count, DoubleDouble log2_count, double scale) {
  const DoubleDouble product = log2_count * count;
  const double hi = product.hi * scale;
  const double lo = product.lo * scale;
  const auto whole = static_cast<std::int64_t>(hi);
  const double rest = (hi - static_cast<double>(whole)) + lo + 0.5;
  auto rounded = static_cast<std::int64_t>(rest);
  if (static_cast<double>(rounded) > rest) --rounded;
  return whole + rounded;
}

double power_of_two(int exponent) { return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52); }

// Returns the smallest k with n log2 n <= 2^k; 1 for n <= 2, where there is nothing to measure.
int bits_of_n_log2_n(std::uint64_t n) {
  if (n <= 2) return 1;
  const auto size = static_cast<double>(n);
  const DoubleDouble product = log2_double_double(size) * size;
  int k = 1;
  for (double power = 2.0; power < product.hi || (power == product.hi && product.lo > 0.0); power *= 2.0) ++k;
  return k;
}

}  // namespace

DoubleDouble log2_double_double(double x) {
  const Parts parts = split(x);
  return log2_mantissa(parts.mantissa) + parts.exponent;
}

DoubleDouble xlogx_real(double x) { return x > 0.0 ? log2_double_double(x) * x : DoubleDouble{}; }

XLogX::XLogX(std::uint64_t n)
    : n_(n),
      shift_(60 - bits_of_n_log2_n(n)),
      scale_(power_of_two(shift_)),
      kept_(n > kLargestTabled ? std::min(n, kLargestKept) - kLargestTabled : 0) {
  const std::uint64_t last = std::max<std::uint64_t>(std::min(n, kLargestTabled), 1);
  table_.resize(last + 1);
  table_[0] = 0;
  // One logarithm per odd number: doubling changes the exponent alone, so these are the bits of compute().
  for (std::uint64_t odd = 1; odd <= last; odd += 2) {
    const Parts parts = split(static_cast<double>(odd));
    const DoubleDouble log2_m = log2_mantissa(parts.mantissa);
    double exponent = parts.exponent;
    for (std::uint64_t count = odd; count <= last; count *= 2, exponent += 1.0) {
      table_[count] = to_fixed(static_cast<double>(count), log2_m + exponent, scale_);
    }
  }
}

std::int64_t XLogX::look_further(std::uint64_t count) const {
  const std::uint64_t position = count - table_.size();
  if (position >= kept_.size()) return compute(count);
  std::int64_t value = kept_[position].load(std::memory_order_relaxed);
  if (value == 0) {
    value = compute(count);
    kept_[position].store(value, std::memory_order_relaxed);
  }
  return value;
}

std::int64_t XLogX::compute(std::uint64_t count) const {
  const auto value = static_cast<double>(count);
  return to_fixed(value, log2_double_double(value), scale_);
}

}  // namespace thresher
