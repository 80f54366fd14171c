#include "search/order.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include "core/memory.hpp"

namespace thresher {
namespace {

struct Entry {
  std::uint64_t key;  // falls as relevance rises, so that ascending keys are descending relevances
  std::uint32_t feature;
};

constexpr int kDigitBits = 11;
constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
constexpr int kFirstShift = 64 - 3 * kDigitBits;

}  // namespace

std::vector<std::uint32_t> order_by_relevance(std::span<const double> relevance,
                                              std::span<const std::uint8_t> candidates) {
  UninitialisedVector<Entry> entries;
  entries.reserve(relevance.size());
  std::array<std::array<std::uint32_t, kDigits>, 3> counts{};
  for (std::size_t f = 0; f < relevance.size(); ++f) {
    if (!candidates.empty() && candidates[f] == 0) continue;
    // Non-negative doubles order like their bits; adding 0 turns -0 into 0.
    const std::uint64_t key = ~std::bit_cast<std::uint64_t>(relevance[f] + 0.0);
    entries.push_back({key, static_cast<std::uint32_t>(f)});
    for (std::size_t digit = 0; digit < 3; ++digit) {
      ++counts[digit][(key >> (kFirstShift + kDigitBits * static_cast<int>(digit))) & (kDigits - 1)];
    }
  }

  // Three stable passes order by the upper 33 bits; the few runs that differ only below are sorted after.
  UninitialisedVector<Entry> other(entries.size());
  for (std::size_t digit = 0; digit < 3; ++digit) {
    const int shift = kFirstShift + kDigitBits * static_cast<int>(digit);
    std::uint32_t start = 0;
    for (auto& count : counts[digit]) {
      const std::uint32_t n = count;
      count = start;
      start += n;
    }
    for (const Entry& entry : entries) other[counts[digit][(entry.key >> shift) & (kDigits - 1)]++] = entry;
    entries.swap(other);
  }
  for (std::size_t begin = 0; begin < entries.size();) {
    const std::uint64_t upper = entries[begin].key >> kFirstShift;
    bool sorted = true;
    std::size_t end = begin + 1;
    for (; end < entries.size() && entries[end].key >> kFirstShift == upper; ++end) {
      sorted = sorted && entries[end - 1].key <= entries[end].key;
    }
    if (!sorted) {
      std::sort(entries.begin() + static_cast<std::ptrdiff_t>(begin),
                entries.begin() + static_cast<std::ptrdiff_t>(end),
                [](const Entry& a, const Entry& b) { return a.key != b.key ? a.key < b.key : a.feature < b.feature; });
    }
    begin = end;
  }

  std::vector<std::uint32_t> order(entries.size());
  for (std::size_t i = 0; i < entries.size(); ++i) order[i] = entries[i].feature;
  return order;
}

}  // namespace thresher
