#include "partial/ranks.hpp"

#include <algorithm>
#include <vector>

#include "partial/columns.hpp"

namespace thresher {
namespace {

template <class Value>
struct Entry {
  Value value;
  std::uint32_t row;
};

template <class Value, class Rank>
void rank_column(const Value* values, std::size_t n_rows, std::vector<Entry<Value>>& entries, Rank* ranks) {
  for (std::size_t row = 0; row < n_rows; ++row) entries[row] = {values[row], static_cast<std::uint32_t>(row)};
  std::sort(entries.begin(), entries.end(),
            [](const Entry<Value>& a, const Entry<Value>& b) { return a.value < b.value; });
  for (std::size_t begin = 0; begin < n_rows;) {
    std::size_t end = begin + 1;
    while (end < n_rows && !(entries[begin].value < entries[end].value)) ++end;
    const auto rank = static_cast<Rank>(static_cast<std::int64_t>(begin + end) - static_cast<std::int64_t>(n_rows));
    for (; begin < end; ++begin) ranks[entries[begin].row] = rank;
  }
}

}  // namespace

template <class Value, class Rank>
void rank_columns(const Value* values, std::size_t n_features, std::size_t n_rows, Rank* ranks, std::size_t n_threads,
                  Interrupt& interrupt) {
  for_features(n_features, n_rows, n_threads, interrupt, [&](std::size_t begin, std::size_t end) {
    std::vector<Entry<Value>> entries(n_rows);
    for (std::size_t feature = begin; feature < end; ++feature) {
      rank_column(values + feature * n_rows, n_rows, entries, ranks + feature * n_rows);
    }
  });
}

template void rank_columns(const float*, std::size_t, std::size_t, std::int16_t*, std::size_t, Interrupt&);
template void rank_columns(const float*, std::size_t, std::size_t, std::int32_t*, std::size_t, Interrupt&);
template void rank_columns(const double*, std::size_t, std::size_t, std::int16_t*, std::size_t, Interrupt&);
template void rank_columns(const double*, std::size_t, std::size_t, std::int32_t*, std::size_t, Interrupt&);

}  // namespace thresher
