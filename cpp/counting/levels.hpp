// The distinct values of one column and the codes they give.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "counting/coded_table.hpp"

namespace thresher {

// Sorted distinct values of a column, NaN apart.
template <class T>
class Levels {
 public:
  // Throws ColumnError as soon as the column has too many values.
  Levels(std::size_t column, Missing missing) : column_(column), missing_(missing) {}

  void add(T value) {
    if (value == last_ && !values_.empty()) return;
    if (value != value) {
      if (missing_ == Missing::error) throw ColumnError(column_, "has missing values");
      has_nan_ = true;
      return;
    }
    const auto place = std::lower_bound(values_.begin(), values_.end(), value);
    last_ = value;
    if (place != values_.end() && *place == value) return;
    values_.insert(place, value == T{0} ? T{0} : value);
    check();
  }

  void check() const {
    if (count() > CodedTable::kMaxLevels) throw ColumnError(column_, "has more than 256 levels");
  }

  std::uint8_t code(T value) const {
    if (value != value) {
      return missing_ == Missing::category ? static_cast<std::uint8_t>(values_.size()) : CodedTable::kNoCode;
    }
    return static_cast<std::uint8_t>(std::lower_bound(values_.begin(), values_.end(), value) - values_.begin());
  }

  // Levels and, for pairwise missing, the place that kNoCode takes.
  std::size_t count() const { return values_.size() + (has_nan_ ? 1 : 0); }
  CodedTable::Shape shape() const {
    const bool left_out = has_nan_ && missing_ == Missing::pairwise;
    return {static_cast<std::uint16_t>(left_out ? values_.size() : count()), left_out};
  }
  bool has_nan() const { return has_nan_; }
  const std::vector<T>& values() const { return values_; }

  void write_values(double* out) const {
    for (const T value : values_) *out++ = static_cast<double>(value);
    if (has_nan_ && missing_ == Missing::category) *out = __builtin_nan("");
  }

 private:
  std::size_t column_;
  Missing missing_;
  std::vector<T> values_;
  T last_{};
  bool has_nan_ = false;
};

}  // namespace thresher
