// Sorting the columns of a feature-major matrix.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>
#include <vector>

#include "core/sort_kernels.hpp"

namespace thresher {

// The present values of one column, ascending, and on request the row each came from (equal values by row).
// Valid until the next column.
template <class T>
struct SortedColumn {
  std::span<const T> values;
  std::span<const std::uint32_t> rows;
};

// Visits columns in order, sorted. Short columns are sorted many at a time by a network, long ones by radix.
// Values that are NaN, or whose weight is 0, are left out. Keeps its memory.
template <class T>
class ColumnSorter {
 public:
  // `weights` may be empty; `with_rows` fills SortedColumn::rows.
  ColumnSorter(std::span<const double> weights, bool with_rows) : weights_(weights), with_rows_(with_rows) {
    for (const double weight : weights) some_zero_ |= weight == 0.0;
  }

  // body(feature, SortedColumn<T>) for features begin .. end-1 of a matrix with n rows.
  template <class Body>
  void visit(const T* base, std::size_t n, std::size_t begin, std::size_t end, Body&& body) {
    if (n > kNetworkRows) {
      for (std::size_t feature = begin; feature < end; ++feature) body(feature, sort_long(base + feature * n, n));
      return;
    }
    for (std::size_t feature = begin; feature < end; feature += kLanes) {
      const std::size_t count = std::min(kLanes, end - feature);
      sort_short(base + feature * n, n, count);
      for (std::size_t lane = 0; lane < count; ++lane) {
        const std::span<const T> values(columns_.data() + lane * n, present_[lane]);
        if (with_rows_) find_rows(own_.data() + lane * n, n, values);
        body(feature + lane, SortedColumn<T>{values, std::span(rows_).first(with_rows_ ? values.size() : 0)});
      }
    }
  }

 private:
  using Key = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;
  struct KeyedRow {
    Key key;
    std::uint32_t row;
  };

  static constexpr std::size_t kLanes = kSortLanes<T>;
  // Beyond this the block of a network no longer fits the second-level cache well.
  static constexpr std::size_t kNetworkRows = 2048;
  static constexpr int kSign = std::numeric_limits<Key>::digits - 1;

  bool used(T value, std::size_t row) const { return !std::isnan(value) && !(some_zero_ && weights_[row] == 0.0); }

  // Leaves the sorted values of up to kLanes columns in columns_[lane * n], present_[lane] of them.
  void sort_short(const T* base, std::size_t n, std::size_t count) {
    // A copy: values that change while they are sorted would not be found again.
    own_.assign(base, base + count * n);
    block_.resize(n * kLanes);
    columns_.resize(n * kLanes);
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      const T* x = own_.data() + (lane < count ? lane : 0) * n;
      std::size_t next = 0;
      if (some_zero_ || has_nan(x, n)) {
        for (std::size_t row = 0; row < n; ++row) {
          if (used(x[row], row)) block_[next++ * kLanes + lane] = x[row];
        }
      } else {
        for (; next < n; ++next) block_[next * kLanes + lane] = x[next];
      }
      present_[lane] = next;
      for (; next < n; ++next) block_[next * kLanes + lane] = std::numeric_limits<T>::infinity();
    }
    sort_lanes(THRESHER_DISPATCH(sort_kernels), block_.data())(block_.data(), n);
    for (std::size_t lane = 0; lane < count; ++lane) {
      for (std::size_t i = 0; i < n; ++i) columns_[lane * n + i] = block_[i * kLanes + lane];
    }
  }

  static bool has_nan(const T* x, std::size_t n) {
    unsigned any = 0;
    for (std::size_t i = 0; i < n; ++i) any |= x[i] != x[i] ? 1u : 0u;
    return any != 0;
  }

  // Every row looks up where its value begins and takes the next free position there.
  void find_rows(const T* x, std::size_t n, std::span<const T> values) {
    rows_.resize(n);
    if (values.empty()) return;
    taken_.assign(n, 0);
    positions_.resize(n);
    thresher::find_positions(THRESHER_DISPATCH(sort_kernels), x)(values.data(), values.size(), x, n, positions_.data());
    for (std::size_t row = 0; row < n; ++row) {
      if (values.size() < n && !used(x[row], row)) continue;
      const std::uint32_t position = positions_[row];
      rows_[position + taken_[position]++] = static_cast<std::uint32_t>(row);
    }
  }

  // Unsigned integers in the order of the numbers; minus zero is zero.
  static Key key_of(T value) {
    const Key bits = std::bit_cast<Key>(value + T{0});
    return (bits >> kSign) != 0 ? static_cast<Key>(~bits) : static_cast<Key>(bits | (Key{1} << kSign));
  }
  static T value_of(Key key) {
    return std::bit_cast<T>((key >> kSign) != 0 ? static_cast<Key>(key & ~(Key{1} << kSign)) : static_cast<Key>(~key));
  }

  SortedColumn<T> sort_long(const T* x, std::size_t n) {
    columns_.clear();
    if (with_rows_) {
      elements_.clear();
      for (std::size_t row = 0; row < n; ++row) {
        const T value = x[row];
        if (used(value, row)) elements_.push_back({key_of(value), static_cast<std::uint32_t>(row)});
      }
      radix_sort(elements_, element_scratch_, [](const KeyedRow& element) { return element.key; });
      rows_.clear();
      for (const KeyedRow& element : elements_) {
        columns_.push_back(value_of(element.key));
        rows_.push_back(element.row);
      }
    } else {
      keys_.clear();
      for (std::size_t row = 0; row < n; ++row) {
        const T value = x[row];
        if (used(value, row)) keys_.push_back(key_of(value));
      }
      radix_sort(keys_, key_scratch_, [](Key key) { return key; });
      for (const Key key : keys_) columns_.push_back(value_of(key));
    }
    return {columns_, with_rows_ ? std::span<const std::uint32_t>(rows_) : std::span<const std::uint32_t>()};
  }

  // Least significant digit first, eleven bits at a time; digits that all elements share are skipped.
  template <class Element, class KeyFunction>
  static void radix_sort(std::vector<Element>& elements, std::vector<Element>& scratch, KeyFunction key) {
    constexpr std::size_t kBits = 11;
    constexpr std::size_t kValues = std::size_t{1} << kBits;
    constexpr std::size_t kDigits = (sizeof(Key) * 8 + kBits - 1) / kBits;
    const std::size_t n = elements.size();
    if (n == 0) return;
    scratch.resize(n);
    std::vector<std::uint32_t> counts(kDigits * kValues, 0);
    for (const Element& element : elements) {
      const Key all = key(element);
      for (std::size_t digit = 0; digit < kDigits; ++digit) {
        ++counts[digit * kValues + ((all >> (kBits * digit)) & (kValues - 1))];
      }
    }
    for (std::size_t digit = 0; digit < kDigits; ++digit) {
      std::uint32_t* count = counts.data() + digit * kValues;
      const std::size_t shift = kBits * digit;
      if (count[(key(elements[0]) >> shift) & (kValues - 1)] == n) continue;
      std::uint32_t start = 0;
      for (std::size_t value = 0; value < kValues; ++value) {
        const std::uint32_t here = count[value];
        count[value] = start;
        start += here;
      }
      for (const Element& element : elements) scratch[count[(key(element) >> shift) & (kValues - 1)]++] = element;
      elements.swap(scratch);
    }
  }

  std::span<const double> weights_;
  bool with_rows_;
  bool some_zero_ = false;
  std::vector<T> own_;
  std::vector<T> block_;
  std::vector<T> columns_;
  std::size_t present_[kLanes] = {};
  std::vector<std::uint32_t> rows_;
  std::vector<std::uint32_t> positions_;
  std::vector<std::uint32_t> taken_;
  std::vector<Key> keys_;
  std::vector<Key> key_scratch_;
  std::vector<KeyedRow> elements_;
  std::vector<KeyedRow> element_scratch_;
};

}  // namespace thresher
