#include "counting/three_way.hpp"

#include <algorithm>

#include "core/parallel.hpp"
#include "counting/measure_values.hpp"

namespace thresher {
namespace {

// Sums of L over every margin of one f x g x C table.
template <class Sum>
struct TripleSums {
  Sum whole{0}, f{0}, g{0}, c{0}, fg{0}, fc{0}, gc{0}, fgc{0};
};

template <class Sum>
double term_value(ThreeWayTerm term, const TripleSums<Sum>& s, double unit) {
  switch (term) {
    case ThreeWayTerm::joint: return bits_value(static_cast<double>(s.whole + s.fgc - s.fg - s.c), unit);
    case ThreeWayTerm::conditional: return bits_value(static_cast<double>(s.fgc + s.g - s.fg - s.gc), unit);
    case ThreeWayTerm::disr:
      return unit_ratio(static_cast<double>(s.whole + s.fgc - s.fg - s.c), static_cast<double>(s.whole - s.fgc));
    case ThreeWayTerm::interaction: break;
  }
  const Sum plain = s.whole + s.fg - s.f - s.g;
  const Sum given = s.fgc + s.c - s.fc - s.gc;
  return round_to_grid(static_cast<double>(plain - given) / unit);
}

// Margins of the table, all in one buffer.
template <class Count>
struct Margins {
  Margins(std::size_t f_levels, std::size_t g_levels, std::size_t n_classes)
      : f(f_levels), g(g_levels), c(n_classes), fg(f_levels * g_levels), fc(f_levels * n_classes), gc(g_levels * n_classes) {}
  std::vector<Count> f, g, c, fg, fc, gc;
};

template <class Count>
auto sum_logs(const XLogX& xlogx, const Count* counts, std::size_t n) {
  typename SumOf<Count>::type sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += log_term(xlogx, counts[i]);
  return sum;
}

template <class Count>
double triple_value(ThreeWayTerm term, const XLogX& xlogx, const Count* cells, std::size_t f_levels,
                    std::size_t g_levels, std::size_t n_classes) {
  Margins<Count> m(f_levels, g_levels, n_classes);
  Count total{0};
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
  if (!(total > 0)) return 0.0;
  TripleSums<typename SumOf<Count>::type> sums;
  sums.whole = log_term(xlogx, total);
  sums.f = sum_logs(xlogx, m.f.data(), m.f.size());
  sums.g = sum_logs(xlogx, m.g.data(), m.g.size());
  sums.c = sum_logs(xlogx, m.c.data(), m.c.size());
  sums.fg = sum_logs(xlogx, m.fg.data(), m.fg.size());
  sums.fc = sum_logs(xlogx, m.fc.data(), m.fc.size());
  sums.gc = sum_logs(xlogx, m.gc.data(), m.gc.size());
  sums.fgc = sum_logs(xlogx, cells, f_levels * g_levels * n_classes);
  return term_value(term, sums, static_cast<double>(total) * log_scale<Count>(xlogx));
}

}  // namespace

std::optional<ThreeWayTerm> three_way_term_named(std::string_view name) {
  if (name == "joint") return ThreeWayTerm::joint;
  if (name == "conditional") return ThreeWayTerm::conditional;
  if (name == "disr") return ThreeWayTerm::disr;
  if (name == "interaction") return ThreeWayTerm::interaction;
  return std::nullopt;
}

ThreeWayMeasure::ThreeWayMeasure(std::shared_ptr<const CodedTable> table, std::span<const std::int32_t> classes,
                                 std::size_t n_classes, ThreeWayTerm term, std::size_t n_threads)
    : table_(std::move(table)), classes_(classes.size()), n_classes_(n_classes), term_(term), n_threads_(n_threads) {
  if (classes.size() != table_->n_rows()) throw std::invalid_argument("y: one code per row is needed");
  for (std::size_t place = 0; place < classes_.size(); ++place) {
    classes_[place] = classes[table_->layout().row_at(place)];
    if (classes_[place] < 0 || static_cast<std::size_t>(classes_[place]) >= n_classes) {
      throw std::invalid_argument("y: code out of range");
    }
  }
}

template <class Count>
void ThreeWayMeasure::compute(std::uint32_t f, std::size_t g_levels, const ReferenceColumn& composite,
                              CountScratch& scratch, std::vector<Count>& cells, double* out) const {
  const RowLayout& layout = table_->layout();
  const std::size_t f_levels = table_->feature(f).levels;
  const std::size_t n_cells = f_levels * composite.n_levels();
  cells.assign(n_cells * (layout.n_parts() + 1) + 1, Count{0});
  count_cells(*table_, composite, f, scratch, cells.data());
  Count* used = cells.data() + n_cells * layout.n_parts();
  for (std::size_t r = 0; r < layout.n_replicates(); ++r) {
    std::fill_n(used, n_cells, Count{0});
    for (std::size_t part = 0; part < layout.n_parts(); ++part) {
      if (layout.has_parts() && part == r) continue;
      for (std::size_t i = 0; i < n_cells; ++i) used[i] += cells[part * n_cells + i];
    }
    out[r] = triple_value(term_, table_->xlogx(), used, f_levels, g_levels, n_classes_);
  }
}

void ThreeWayMeasure::values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) {
  const std::size_t g_levels = table_->feature(reference).levels;
  std::vector<std::uint8_t> g(table_->n_rows());
  table_->decode(reference, g.data());
  std::vector<std::int32_t> codes(g.size());
  const bool missing = table_->feature(reference).missing;
  for (std::size_t place = 0; place < codes.size(); ++place) {
    const bool absent = missing && g[place] == CodedTable::kNoCode;
    codes[place] = absent ? -1 : static_cast<std::int32_t>(g[place] * n_classes_) + classes_[place];
  }
  const auto composite = ReferenceColumn::from_places(*table_, std::move(codes), g_levels * n_classes_);
  const std::size_t grain = std::clamp<std::size_t>(65536 / (table_->n_rows() + 1), 1, 512);
  parallel_for(features.size(), grain, n_threads_, [&](std::size_t begin, std::size_t end) {
    CountScratch scratch;
    std::vector<std::uint32_t> cells;
    std::vector<std::int64_t> whole_cells;
    std::vector<double> real_cells;
    for (std::size_t i = begin; i < end; ++i) {
      double* values = out.data() + i * n_replicates();
      if (!table_->weights().real.empty()) {
        compute(features[i], g_levels, composite, scratch, real_cells, values);
      } else if (!table_->weights().whole.empty()) {
        compute(features[i], g_levels, composite, scratch, whole_cells, values);
      } else {
        compute(features[i], g_levels, composite, scratch, cells, values);
      }
    }
  });
}

}  // namespace thresher
