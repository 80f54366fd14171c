// Sorting one column of numbers at a time.
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

namespace thresher {

template <class T>
using KeyOf = std::conditional_t<std::is_same_v<T, float>, std::uint32_t, std::uint64_t>;

// Unsigned integers in the order of the numbers. Minus zero is zero.
template <class T>
KeyOf<T> ordered_key(T value) {
  using Key = KeyOf<T>;
  constexpr int kSign = std::numeric_limits<Key>::digits - 1;
  const Key bits = std::bit_cast<Key>(value + T{0});
  return (bits >> kSign) != 0 ? static_cast<Key>(~bits) : static_cast<Key>(bits | (Key{1} << kSign));
}

template <class T>
T value_of_key(KeyOf<T> key) {
  using Key = KeyOf<T>;
  constexpr int kSign = std::numeric_limits<Key>::digits - 1;
  return std::bit_cast<T>((key >> kSign) != 0 ? static_cast<Key>(key & ~(Key{1} << kSign)) : static_cast<Key>(~key));
}

template <class Key>
struct KeyedRow {
  Key key;
  std::uint32_t row;
};

// Least significant digit first, eight bits at a time; digits that all elements share are skipped.
template <class Element, class KeyFunction>
void radix_sort(std::vector<Element>& elements, std::vector<Element>& scratch, KeyFunction key) {
  using Key = decltype(key(elements[0]));
  constexpr std::size_t kDigits = sizeof(Key);
  const std::size_t n = elements.size();
  scratch.resize(n);
  std::vector<std::size_t> counts(kDigits * 256, 0);
  for (const Element& element : elements) {
    Key rest = key(element);
    for (std::size_t digit = 0; digit < kDigits; ++digit, rest = static_cast<Key>(rest >> 8)) ++counts[digit * 256 + (rest & 255)];
  }
  for (std::size_t digit = 0; digit < kDigits; ++digit) {
    std::size_t* count = counts.data() + digit * 256;
    const std::size_t shift = 8 * digit;
    if (count[(key(elements[0]) >> shift) & 255] == n) continue;
    std::size_t start = 0;
    for (std::size_t value = 0; value < 256; ++value) {
      const std::size_t here = count[value];
      count[value] = start;
      start += here;
    }
    for (const Element& element : elements) scratch[count[(key(element) >> shift) & 255]++] = element;
    elements.swap(scratch);
  }
}

// Keeps its memory from column to column. NaN must not occur.
template <class T>
class Sorter {
 public:
  using Key = KeyOf<T>;

  // The keys of the values, ascending. Valid until the next call.
  std::span<const Key> sort_keys(const T* x, std::size_t n) {
    keys_.resize(n);
    for (std::size_t i = 0; i < n; ++i) keys_[i] = ordered_key(x[i]);
    if (n < kRadix) {
      std::sort(keys_.begin(), keys_.end());
    } else {
      radix_sort(keys_, key_scratch_, [](Key key) { return key; });
    }
    return keys_;
  }

  // Keys with the rows they came from, ascending; equal keys in the order of rows.
  std::span<const KeyedRow<Key>> sort_rows(const T* x, std::size_t n) {
    rows_.resize(n);
    for (std::size_t i = 0; i < n; ++i) rows_[i] = {ordered_key(x[i]), static_cast<std::uint32_t>(i)};
    if (n < kRadix) {
      std::sort(rows_.begin(), rows_.end(), [](const KeyedRow<Key>& a, const KeyedRow<Key>& b) {
        return a.key != b.key ? a.key < b.key : a.row < b.row;
      });
    } else {
      radix_sort(rows_, row_scratch_, [](const KeyedRow<Key>& row) { return row.key; });
    }
    return rows_;
  }

 private:
  static constexpr std::size_t kRadix = 1024;

  std::vector<Key> keys_;
  std::vector<Key> key_scratch_;
  std::vector<KeyedRow<Key>> rows_;
  std::vector<KeyedRow<Key>> row_scratch_;
};

}  // namespace thresher
