#include "counting/listed_counts.hpp"

#include <algorithm>

namespace thresher {
namespace {

// Codes of one column at ascending places. What is no level is a number beyond the last one.
class PlaneCodes {
 public:
  PlaneCodes(const RowLayout& layout, PlaneBlock planes) : layout_(layout), planes_(planes) {}
  std::size_t at(std::size_t place, std::size_t part) const {
    const std::size_t bit = place - layout_.row_begin(part);
    const std::uint64_t* word = planes_.words + layout_.word_begin(part) + bit / 64;
    std::size_t plane = 0;
    while (plane < planes_.n_planes && (word[plane * planes_.stride] >> bit % 64 & 1) == 0) ++plane;
    return plane;
  }

 private:
  const RowLayout& layout_;
  PlaneBlock planes_;
};

template <class Code>
class PlainCodes {
 public:
  explicit PlainCodes(const Code* codes) : codes_(codes) {}
  // A missing wide code is negative and becomes very large.
  std::size_t at(std::size_t place, std::size_t) const { return static_cast<std::size_t>(codes_[place]); }

 private:
  const Code* codes_;
};

class ListedCodes {
 public:
  explicit ListedCodes(const CodedFeature& feature) : feature_(feature) {}
  std::size_t at(std::size_t place, std::size_t) {
    const std::uint32_t* places = feature_.listed_places();
    while (next_ < feature_.n_listed && places[next_] < place) ++next_;
    return next_ < feature_.n_listed && places[next_] == place ? feature_.listed_codes()[next_] : feature_.rest;
  }

 private:
  const CodedFeature& feature_;
  std::size_t next_ = 0;
};

// A column's levels, its rows per level and part, and how far apart its levels lie in the table.
struct Side {
  std::size_t n_levels;
  const std::uint32_t* counts;
  std::size_t stride;
};

// Every row begins at the level that most rows of the list have; those listed are moved to theirs.
template <class Codes>
void count_list(const RowLayout& layout, const CodedFeature& list, std::size_t list_stride, const Side& other,
                Codes codes, std::uint32_t* cells) {
  const std::size_t n_cells = list.levels * other.n_levels;
  const std::size_t n_parts = layout.n_parts();
  for (std::size_t part = 0, i = 0; part < n_parts; ++part, cells += n_cells) {
    std::fill_n(cells, n_cells, 0U);
    std::uint32_t* rest = cells + list.rest * list_stride;
    for (std::size_t level = 0; level < other.n_levels; ++level)
      rest[level * other.stride] = other.counts[level * n_parts + part];
    for (; i < list.n_listed && list.listed_places()[i] < layout.row_end(part); ++i) {
      const std::size_t level = codes.at(list.listed_places()[i], part);
      if (level >= other.n_levels) continue;
      --rest[level * other.stride];
      const std::size_t own = list.listed_codes()[i];
      if (own < list.levels) ++cells[own * list_stride + level * other.stride];
    }
  }
}

}  // namespace

void count_listed(const CodedTable& table, const ReferenceColumn& reference, std::size_t f, std::uint32_t* cells) {
  const RowLayout& layout = table.layout();
  const CodedFeature& feature = table.feature(f);
  const std::size_t b_levels = reference.n_levels();
  const auto count = [&](auto codes) {
    if (feature.listed) {
      count_list(layout, feature, b_levels, {b_levels, reference.counts(), 1}, codes, cells);
    } else {
      count_list(layout, *reference.listed(), 1, {feature.levels, feature.counts, b_levels}, codes, cells);
    }
  };
  if (!feature.listed) {
    return feature.packed ? count(PlaneCodes(layout, table.planes(f))) : count(PlainCodes(feature.bytes()));
  }
  if (reference.listed() != nullptr) return count(ListedCodes(*reference.listed()));
  if (reference.bytes() != nullptr) return count(PlainCodes(reference.bytes()));
  if (reference.wide() != nullptr) return count(PlainCodes(reference.wide()));
  count(PlaneCodes(layout, reference.planes()));
}

}  // namespace thresher
