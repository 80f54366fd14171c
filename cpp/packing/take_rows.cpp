#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "packing/build.hpp"

namespace thresher {
namespace {

// Features per piece of work.
constexpr std::size_t kChunk = 64;

// Returns the position in the source of each row requested.
std::vector<std::size_t> positions_of(const RowLayout& layout, std::span<const std::int64_t> rows) {
  std::vector<std::size_t> position_of(layout.n_rows());
  for (std::size_t position = 0; position < position_of.size(); ++position)
    position_of[layout.row_at(position)] = position;
  std::vector<std::size_t> positions;
  positions.reserve(rows.size());
  for (const std::int64_t row : rows) {
    if (row < 0 || static_cast<std::size_t>(row) >= position_of.size()) throw std::invalid_argument("no such row");
    positions.push_back(position_of[static_cast<std::size_t>(row)]);
  }
  return positions;
}

// The rows requested, by their position in the source: those at position p are
// rows[begin[p]] .. rows[begin[p + 1] - 1].
struct TakenRows {
  TakenRows(std::span<const std::size_t> positions, std::size_t n_rows) : begin(n_rows + 1, 0), rows(positions.size()) {
    for (const std::size_t position : positions) ++begin[position + 1];
    for (std::size_t position = 0; position < n_rows; ++position) begin[position + 1] += begin[position];
    std::vector<std::uint32_t> next(begin.begin(), begin.end() - 1);
    for (std::size_t row = 0; row < positions.size(); ++row)
      rows[next[positions[row]]++] = static_cast<std::uint32_t>(row);
  }

  std::vector<CodedTable::Listed> of(const CodedFeature& feature) const {
    std::vector<CodedTable::Listed> taken;
    for (std::size_t i = 0; i < feature.n_listed; ++i) {
      const std::size_t position = feature.listed_positions()[i];
      for (std::size_t r = begin[position]; r < begin[position + 1]; ++r)
        taken.push_back({rows[r], feature.listed_codes()[i]});
    }
    std::ranges::sort(taken, {}, &CodedTable::Listed::position);
    return taken;
  }

  std::vector<std::uint32_t> begin, rows;
};

template <class T>
std::vector<T> gather(const std::vector<T>& values, std::span<const std::size_t> positions) {
  std::vector<T> taken;
  if (values.empty()) return taken;
  taken.reserve(positions.size());
  for (const std::size_t position : positions) taken.push_back(values[position]);
  return taken;
}

}  // namespace

CodedTable take_rows(const CodedTable& source, std::span<const std::int64_t> rows, std::size_t n_threads,
                     Interrupt& interrupt) {
  const std::vector<std::size_t> positions = positions_of(source.layout(), rows);
  Weights weights{gather(source.weights().whole, positions), gather(source.weights().real, positions)};
  const std::size_t n_features = source.n_features();
  CodedTable table(RowLayout(rows.size()), n_features, std::move(weights), source.xlogx().n());
  const TakenRows taken_rows(positions, source.n_rows());
  interrupt.check();
  parallel_for(n_features, kChunk, n_threads, [&](std::size_t first, std::size_t last) {
    std::vector<CodedTable::Shape> shapes;
    std::vector<std::vector<CodedTable::Listed>> lists(last - first);
    for (std::size_t f = first; f < last; ++f) {
      const CodedFeature& feature = source.feature(f);
      shapes.push_back({feature.levels, feature.missing});
      if (!feature.listed) continue;
      lists[f - first] = taken_rows.of(feature);
      shapes.back().n_listed = static_cast<std::uint32_t>(lists[f - first].size());
      shapes.back().rest = feature.rest;
    }
    table.allocate(first, shapes);
    std::vector<std::uint8_t> all(source.n_rows());
    std::vector<std::uint8_t> taken(positions.size());
    for (std::size_t f = first; f < last; ++f) {
      if (table.feature(f).listed) {
        table.store_list(f, lists[f - first]);
      } else {
        source.decode(f, all.data());
        for (std::size_t i = 0; i < taken.size(); ++i) taken[i] = all[positions[i]];
        table.store_codes(f, taken.data());
      }
      std::copy_n(source.feature(f).values, source.feature(f).levels, table.writable_values(f));
    }
  });
  table.finish();
  return table;
}

}  // namespace thresher
