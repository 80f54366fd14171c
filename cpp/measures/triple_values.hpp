// From the cells of one table of two features and the target, part by part, to its terms on every replicate.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/choices.hpp"
#include "core/part_sets.hpp"
#include "counting/pair_counter.hpp"
#include "measures/measure_values.hpp"

namespace thresher {

enum class ThreeWayTerm {
  joint,        // I(f,g;C)
  conditional,  // I(f;C|g)
  disr,         // I(f,g;C) / H(f,g,C)
  interaction,  // I(f;g) - I(f;g|C), which may be negative
};

inline constexpr Choice<ThreeWayTerm> kThreeWayTerms[] = {{"joint", ThreeWayTerm::joint},
                                                          {"conditional", ThreeWayTerm::conditional},
                                                          {"disr", ThreeWayTerm::disr},
                                                          {"interaction", ThreeWayTerm::interaction}};

// Sums of L over every margin of one f x g x C table.
template <class Sum>
struct TripleSums {
  Sum whole{}, f{}, g{}, c{}, fg{}, fc{}, gc{}, fgc{};
};

template <class Sum>
double term_value(ThreeWayTerm term, const TripleSums<Sum>& s, double unit) {
  switch (term) {
    case ThreeWayTerm::joint: return bits_value(leading(s.whole + s.fgc - s.fg - s.c), unit);
    case ThreeWayTerm::conditional: return bits_value(leading(s.fgc + s.g - s.fg - s.gc), unit);
    case ThreeWayTerm::disr: return unit_ratio(leading(s.whole + s.fgc - s.fg - s.c), leading(s.whole - s.fgc));
    case ThreeWayTerm::interaction: break;
  }
  const Sum plain = s.whole + s.fg - s.f - s.g;
  const Sum given = s.fgc + s.c - s.fc - s.gc;
  return round_to_grid(leading(plain - given) / unit);
}

// Margins of one table.
template <class Count>
struct Margins {
  Margins(std::size_t n_f, std::size_t n_g, std::size_t n_c)
      : f_levels(n_f),
        g_levels(n_g),
        n_classes(n_c),
        f(n_f),
        g(n_g),
        c(n_c),
        fg(n_f * n_g),
        fc(n_f * n_c),
        gc(n_g * n_c) {}

  void clear() {
    for (auto* margin : {&f, &g, &c, &fg, &fc, &gc}) std::fill(margin->begin(), margin->end(), Count{});
  }

  std::size_t f_levels, g_levels, n_classes;
  std::vector<Count> f, g, c, fg, fc, gc;
};

template <class Count>
double triple_value(ThreeWayTerm term, const XLogX& xlogx, const Count* cells, Margins<Count>& m) {
  const auto [f_levels, g_levels, n_classes] = std::array{m.f_levels, m.g_levels, m.n_classes};
  m.clear();
  Count total{};
  for (std::size_t i = 0; i < f_levels; ++i) {
    for (std::size_t j = 0; j < g_levels; ++j) {
      for (std::size_t k = 0; k < n_classes; ++k) {
        const Count count = cells[(i * g_levels + j) * n_classes + k];
        m.f[i] += count;
        m.g[j] += count;
        m.c[k] += count;
        m.fg[i * g_levels + j] += count;
        m.fc[i * n_classes + k] += count;
        m.gc[j * n_classes + k] += count;
        total += count;
      }
    }
  }
  if (!(leading(total) > 0.0)) return 0.0;
  TripleSums<decltype(log_term(xlogx, total))> sums;
  sums.whole = log_term(xlogx, total);
  sums.f = sum_logs(xlogx, m.f.data(), m.f.size());
  sums.g = sum_logs(xlogx, m.g.data(), m.g.size());
  sums.c = sum_logs(xlogx, m.c.data(), m.c.size());
  sums.fg = sum_logs(xlogx, m.fg.data(), m.fg.size());
  sums.fc = sum_logs(xlogx, m.fc.data(), m.fc.size());
  sums.gc = sum_logs(xlogx, m.gc.data(), m.gc.size());
  sums.fgc = sum_logs(xlogx, cells, f_levels * g_levels * n_classes);
  return term_value(term, sums, leading(total) * log_scale<Count>(xlogx));
}

// Replicates from `first` up to, not including, `last`.
struct ReplicateRange {
  std::size_t first, last;
};

// out[r - first] = the term of cells[part][level of f][level of g][class], summed over the parts of replicate r.
template <class Cell>
void triple_values(ThreeWayTerm term, const XLogX& xlogx, const PartSets& sets, ReplicateRange replicates,
                   std::span<const Cell> cells, std::size_t f_levels, std::size_t g_levels, std::size_t n_classes,
                   double* out) {
  const std::size_t n_cells = f_levels * g_levels * n_classes;
  std::vector<Cell> kept(n_cells), totals;
  Margins<Cell> margins(f_levels, g_levels, n_classes);
  // Integers below 2^32 may be subtracted; of many replicates that saves adding up nearly all parts for each.
  constexpr bool kSubtracts = std::is_same_v<Cell, std::uint32_t>;
  if constexpr (kSubtracts) {
    totals.assign(n_cells, 0);
    for (std::size_t i = 0; i < n_cells * sets.n_parts(); ++i) totals[i % n_cells] += cells[i];
  }
  for (std::size_t r = replicates.first; r < replicates.last; ++r) {
    if constexpr (kSubtracts) {
      sets.sum_rows(r, cells.data(), totals.data(), n_cells, kept.data());
    } else {
      sets.sum_rows(r, cells.data(), n_cells, kept.data());
    }
    out[r - replicates.first] = triple_value(term, xlogx, kept.data(), margins);
  }
}

}  // namespace thresher
