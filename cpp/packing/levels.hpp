// The distinct values of one column and their codes.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "packing/coded_table.hpp"

namespace thresher {

// Sorted distinct values of a column, NaN apart.
template <class T>
class Levels {
 public:
  // Throws TooManyLevels as soon as the column has too many values.
  Levels(std::size_t column, Missing missing) : column_(column), missing_(missing) {}

  void add(T value) {
    if (value == last_ && n_ > 0) return;
    if (value != value) {
      if (missing_ == Missing::error) throw ColumnError(column_, "has missing values");
      has_nan_ = true;
      return;
    }
    const T* position = std::lower_bound(begin(), end(), value);
    last_ = value;
    if (position != end() && *position == value) return;
    insert(static_cast<std::size_t>(position - begin()), value == T{0} ? T{0} : value);
    check();
  }

  void check() const {
    if (count() > CodedTable::kMaxLevels) throw TooManyLevels(column_);
  }

  // A value that was not there when levels were found, because another thread writes into the array, gets some level.
  std::uint8_t code(T value) const {
    if (value != value) {
      if (!has_nan_) return 0;
      return missing_ == Missing::category ? static_cast<std::uint8_t>(n_) : CodedTable::kNoCode;
    }
    const auto position = static_cast<std::size_t>(std::lower_bound(begin(), end(), value) - begin());
    if (position < n_) return static_cast<std::uint8_t>(position);
    return n_ == 0 && shape().missing ? CodedTable::kNoCode : static_cast<std::uint8_t>(n_ == 0 ? 0 : n_ - 1);
  }

  // Levels and, for pairwise missing, the position that kNoCode takes.
  std::size_t count() const { return n_ + (has_nan_ ? 1 : 0); }
  CodedTable::Shape shape() const {
    const bool left_out = has_nan_ && missing_ == Missing::pairwise;
    return {static_cast<std::uint16_t>(left_out ? n_ : count()), left_out};
  }

  void write_values(double* out) const {
    for (const T* value = begin(); value != end(); ++value) *out++ = static_cast<double>(*value);
    if (has_nan_ && missing_ == Missing::category) *out = __builtin_nan("");
  }

 private:
  // Most columns have few values: these need no allocation.
  static constexpr std::size_t kFew = 12;

  const T* begin() const { return many_.empty() ? few_.data() : many_.data(); }
  const T* end() const { return begin() + n_; }
  void insert(std::size_t position, T value) {
    if (n_ == kFew && many_.empty()) many_.assign(few_.begin(), few_.end());
    if (many_.empty()) {
      std::copy_backward(few_.begin() + position, few_.begin() + n_, few_.begin() + n_ + 1);
      few_[position] = value;
    } else {
      many_.insert(many_.begin() + static_cast<std::ptrdiff_t>(position), value);
    }
    ++n_;
  }

  std::size_t column_;
  Missing missing_;
  std::size_t n_ = 0;
  std::array<T, kFew> few_;
  std::vector<T> many_;
  T last_{};
  bool has_nan_ = false;
};

}  // namespace thresher
