// c log2 c in fixed point: the one table behind every information measure.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/double_double.hpp"

namespace thresher {

// log2 of a positive, finite, normal double, good to about 100 bits.
DoubleDouble log2_double_double(double x);

// x log2 x, 0 at 0: for weights that are not integers.
DoubleDouble xlogx_real(double x);

// L(c) = round(c log2(c) 2^shift) as 64-bit integers, for counts c up to n.
//
// The shift is 60 - ceil(log2(n log2 n)), so sums of L over the cells of any table of n rows stay below 2^60.
// Integer sums do not depend on their order: neither rows nor threads nor vector width can change a value.
class XLogX {
 public:
  explicit XLogX(std::uint64_t n);

  std::int64_t operator()(std::uint64_t count) const {
    return count < table_.size() ? table_[count] : look_further(count);
  }

  std::uint64_t n() const { return n_; }
  int shift() const { return shift_; }
  // 2^shift.
  double scale() const { return scale_; }

  // Counts below this are looked up, others computed when first met; both give the same bits.
  std::size_t table_size() const { return table_.size(); }
  const std::int64_t* table() const { return table_.data(); }

 private:
  static constexpr std::uint64_t kLargestTabled = 16384;
  static constexpr std::uint64_t kLargestKept = std::uint64_t{1} << 20;

  std::int64_t look_further(std::uint64_t count) const;
  std::int64_t compute(std::uint64_t count) const;

  std::uint64_t n_;
  int shift_;
  double scale_;
  std::vector<std::int64_t> table_;
  // Of the counts beyond the table, 0 until met: the tables of tall columns contain few different ones. Threads that
  // meet the same count store the same value.
  mutable std::vector<std::atomic<std::int64_t>> kept_;
};

}  // namespace thresher
