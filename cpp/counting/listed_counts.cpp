#include "counting/listed_counts.hpp"

#include <algorithm>

#include "counting/row_codes.hpp"

namespace thresher {
namespace {

// Codes from planes, as those of row_codes.hpp.
class PlaneCodes {
 public:
  PlaneCodes(const RowLayout& layout, PlaneBlock planes) : layout_(layout), planes_(planes) {}
  std::size_t at(std::size_t position, std::size_t part) const {
    const std::size_t bit = position - layout_.row_begin(part);
    const std::uint64_t* word = planes_.words + layout_.word_begin(part) + bit / 64;
    std::size_t plane = 0;
    while (plane < planes_.n_planes && (word[plane * planes_.stride] >> bit % 64 & 1) == 0) ++plane;
    return plane;
  }

 private:
  const RowLayout& layout_;
  PlaneBlock planes_;
};

// A column's levels, its rows per level and part, and the distance of its levels in the table.
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
    for (; i < list.n_listed && list.listed_positions()[i] < layout.row_end(part); ++i) {
      const std::size_t level = codes.at(list.listed_positions()[i], part);
      if (level >= other.n_levels) continue;
      --rest[level * other.stride];
      const std::size_t own = list.listed_codes()[i];
      if (own < list.levels) ++cells[own * list_stride + level * other.stride];
    }
  }
}

// The weights of a table, how much there is in each part, and at each level of a reference.
template <class Weight, class Count>
struct Weighted {
  const Weight* weights;
  const Count* totals;
  const Count* margins;
};

Weighted<std::int64_t, std::int64_t> weighted(const CodedTable& table, const ReferenceColumn& reference,
                                              const std::int64_t*) {
  return {table.weights().whole.data(), table.whole_totals().data(), reference.whole_margins().data()};
}
Weighted<double, DoubleDouble> weighted(const CodedTable& table, const ReferenceColumn& reference,
                                        const DoubleDouble*) {
  return {table.weights().real.data(), table.real_totals().data(), reference.real_margins().data()};
}

// Subtracts `some` from `all`, which leaves `n_left` rows. Returns whether it has the digits of a sum over these.
bool take_away(std::int64_t all, std::int64_t some, std::size_t, std::int64_t& left) {
  left = all - some;
  return true;
}
bool take_away(DoubleDouble all, DoubleDouble some, std::size_t n_left, DoubleDouble& left) {
  constexpr double kLeast = 1.0 / 1024.0;
  left = n_left == 0 ? DoubleDouble{} : all - some;
  return n_left == 0 || left.hi >= kLeast * all.hi;
}

// Two lists are merged; all rows that neither has are at both levels `rest`.
template <class Weight, class Count>
bool merge_lists(const RowLayout& layout, const CodedFeature& a, const CodedFeature& b,
                 const Weighted<Weight, Count>& given, Count* cells) {
  std::size_t i = 0, j = 0;
  for (std::size_t part = 0; part < layout.n_parts(); ++part, cells += a.levels * b.levels) {
    std::fill_n(cells, a.levels * b.levels, Count{0});
    const std::size_t end = layout.row_end(part);
    std::size_t n_left = layout.rows_in(part);
    Count moved{0};
    while (true) {
      const std::size_t a_position = i < a.n_listed ? a.listed_positions()[i] : end;
      const std::size_t b_position = j < b.n_listed ? b.listed_positions()[j] : end;
      const std::size_t position = std::min(a_position, b_position);
      if (position >= end) break;
      const std::size_t a_code = a_position == position ? a.listed_codes()[i++] : a.rest;
      const std::size_t b_code = b_position == position ? b.listed_codes()[j++] : b.rest;
      moved += given.weights[position];
      --n_left;
      if (a_code < a.levels && b_code < b.levels) cells[a_code * b.levels + b_code] += given.weights[position];
    }
    if (!take_away(given.totals[part], moved, n_left, cells[a.rest * b.levels + b.rest])) return false;
  }
  return true;
}

// A list against codes of all rows, whose sums are known.
template <class Codes, class Weight, class Count>
bool move_listed(const RowLayout& layout, const CodedFeature& list, Codes codes, const ReferenceColumn& reference,
                 const Weighted<Weight, Count>& given, Count* cells) {
  const std::size_t n_levels = reference.n_levels();
  const std::size_t n_parts = layout.n_parts();
  std::vector<Count> moved(n_levels);
  std::vector<std::uint32_t> n_left(n_levels);
  for (std::size_t part = 0, i = 0; part < n_parts; ++part, cells += list.levels * n_levels) {
    std::fill_n(cells, list.levels * n_levels, Count{0});
    std::ranges::fill(moved, Count{0});
    for (std::size_t level = 0; level < n_levels; ++level) n_left[level] = reference.counts()[level * n_parts + part];
    for (; i < list.n_listed && list.listed_positions()[i] < layout.row_end(part); ++i) {
      const std::size_t position = list.listed_positions()[i];
      const std::size_t level = codes.at(position, part);
      if (level >= n_levels) continue;
      moved[level] += given.weights[position];
      --n_left[level];
      const std::size_t own = list.listed_codes()[i];
      if (own < list.levels) cells[own * n_levels + level] += given.weights[position];
    }
    for (std::size_t level = 0; level < n_levels; ++level) {
      if (!take_away(given.margins[part * n_levels + level], moved[level], n_left[level],
                     cells[list.rest * n_levels + level]))
        return false;
    }
  }
  return true;
}

// From the rows listed where that is as good as the sums over all rows, else from these.
template <class Count>
void count_weighted(const CodedTable& table, const ReferenceColumn& reference, std::size_t f, Count* cells) {
  const RowLayout& layout = table.layout();
  const CodedFeature& feature = table.feature(f);
  const auto given = weighted(table, reference, cells);
  bool done = false;
  if (feature.listed && reference.listed() != nullptr) {
    done = merge_lists(layout, feature, *reference.listed(), given, cells);
  } else if (feature.listed) {
    with_codes(reference, [&](auto codes) { done = move_listed(layout, feature, codes, reference, given, cells); });
  }
  if (done) return;
  with_codes(reference, [&](auto others) {
    const auto count = [&](auto codes) {
      count_rows(layout, codes, feature.levels, others, reference.n_levels(), cells,
                 [&](std::size_t position) { return given.weights[position]; });
    };
    feature.listed ? count(ListedCodes(feature)) : count(PlainCodes(feature.bytes()));
  });
}

}  // namespace

void count_listed(const CodedTable& table, const ReferenceColumn& reference, std::size_t f, std::uint32_t* cells) {
  const RowLayout& layout = table.layout();
  const CodedFeature& feature = table.feature(f);
  const CodedFeature* other = reference.listed();
  const std::size_t b_levels = reference.n_levels();
  // Of two lists the shorter one is walked.
  if (feature.listed && (other == nullptr || feature.n_listed <= other->n_listed)) {
    const auto count = [&](auto codes) {
      count_list(layout, feature, b_levels, {b_levels, reference.counts(), 1}, codes, cells);
    };
    const bool has_codes = other != nullptr || reference.bytes() != nullptr || reference.wide() != nullptr;
    return has_codes ? with_codes(reference, count) : count(PlaneCodes(layout, reference.planes()));
  }
  const auto count = [&](auto codes) {
    count_list(layout, *other, 1, {feature.levels, feature.counts, b_levels}, codes, cells);
  };
  if (feature.listed) return count(ListedCodes(feature));
  feature.packed ? count(PlaneCodes(layout, table.planes(f))) : count(PlainCodes(feature.bytes()));
}

void count_listed(const CodedTable& table, const ReferenceColumn& reference, std::size_t f, std::int64_t* cells) {
  count_weighted(table, reference, f, cells);
}

void count_listed(const CodedTable& table, const ReferenceColumn& reference, std::size_t f, DoubleDouble* cells) {
  count_weighted(table, reference, f, cells);
}

}  // namespace thresher
