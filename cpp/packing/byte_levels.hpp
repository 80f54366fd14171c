// The distinct values of a column of bytes.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "packing/coded_table.hpp"
#include "packing/pack_kernels.hpp"

namespace thresher {

// How bytes represent numbers.
enum class ByteKind {
  natural,    // unsigned bytes
  signed_,    // signed bytes
  converted,  // to_byte() of other numbers
};

inline std::uint8_t flip_of(ByteKind kind) { return kind == ByteKind::natural ? 0x00 : 0x80; }

// Distinct bytes in increasing order of their numbers: positions 0..255 are bytes after flip_of().
class ByteLevels {
 public:
  // Exact when all values are within 16 of each other; else is_exact() is false until every byte has been added.
  ByteLevels(ByteKind kind, std::uint8_t minimum, std::uint8_t maximum, unsigned present_modulo_16) : kind_(kind) {
    exact_ = maximum - minimum < 16 || minimum > maximum;
    other_ = kind == ByteKind::converted && minimum == 0;
    if (!exact_) return;
    for (unsigned value = minimum; value <= maximum; ++value) {
      if (((present_modulo_16 >> (value & 15)) & 1) != 0) set(value);
    }
  }

  bool is_exact() const { return exact_; }
  // Some number is not a byte: the column needs its type.
  bool has_other() const { return other_; }
  void add(std::uint8_t byte) { set(byte ^ flip_of(kind_)); }
  void add_all(const std::uint64_t* seen) {
    for (int k = 0; k < 4; ++k) seen_[static_cast<std::size_t>(k)] |= seen[k];
    exact_ = true;
  }
  void finish() { exact_ = true; }

  bool has_nan() const { return kind_ == ByteKind::converted && (seen_[3] >> 63) != 0; }
  std::size_t count() const {
    std::size_t n = 0;
    for (const std::uint64_t word : seen_) n += static_cast<std::size_t>(std::popcount(word));
    return n;
  }
  CodedTable::Shape shape(Missing missing) const {
    const bool left_out = has_nan() && missing == Missing::pairwise;
    return {static_cast<std::uint16_t>(count() - (left_out ? 1 : 0)), left_out};
  }

  // Calls body(level, byte, number) for every level; a NaN comes last, as a level or (left out) as none.
  template <class Body>
  void each(Body&& body) const {
    std::size_t level = 0;
    for (unsigned k = 0; k < 4; ++k) {
      for (std::uint64_t word = seen_[k]; word != 0; word &= word - 1) {
        const unsigned value = 64 * k + static_cast<unsigned>(std::countr_zero(word));
        const auto byte = static_cast<std::uint8_t>(value ^ flip_of(kind_));
        const bool nan = value == 255 && kind_ == ByteKind::converted;
        const double number =
            nan ? __builtin_nan("") : static_cast<double>(value) - static_cast<double>(flip_of(kind_));
        body(level++, byte, number);
      }
    }
  }

 private:
  void set(unsigned value) { seen_[value / 64] |= std::uint64_t{1} << (value % 64); }

  ByteKind kind_;
  bool exact_ = false;
  bool other_ = false;
  std::array<std::uint64_t, 4> seen_{};
};

}  // namespace thresher
