#include "packing/listed_rows.hpp"

#include <algorithm>
#include <array>

namespace thresher {

void ListedRows::read(std::uint32_t feature) {
  rows_.clear();
  const CodedFeature& column = table_.feature(feature);
  if (column.listed) {
    for (std::size_t i = 0; i < column.n_listed; ++i) {
      const auto row = static_cast<std::uint32_t>(table_.layout().row_at(column.listed_positions()[i]));
      rows_.push_back({row, column.listed_codes()[i]});
    }
    return;
  }
  if (column.levels <= 1 && !column.missing) return;  // constant, and no list, as it takes no memory
  codes_.resize(table_.n_rows());
  table_.codes_of(feature, codes_.data());
  std::array<std::size_t, 256> counts{};
  for (const std::uint8_t code : codes_) ++counts[code];
  const auto rest = static_cast<std::uint8_t>(std::ranges::max_element(counts) - counts.begin());
  for (std::uint32_t row = 0; row < codes_.size(); ++row) {
    if (codes_[row] != rest) rows_.push_back({row, codes_[row]});
  }
}

}  // namespace thresher
