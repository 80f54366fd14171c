#include "measures/three_way.hpp"

#include <algorithm>
#include <array>

#include "core/parallel.hpp"
#include "counting/triple_kernels.hpp"

namespace thresher {
namespace {

// A column as one bit per row and level, levels side by side.
class Lanes {
 public:
  Lanes(std::span<const std::size_t> level_of_place, std::size_t n_levels, std::size_t n_words)
      : counts_(n_levels + 7) {
    for (const std::size_t level : level_of_place) ++counts_[level];
    largest_ = *std::max_element(counts_.begin(), counts_.end());
    const std::size_t multiple = largest_ < kSmallCounts ? 8 : 4;
    n_lanes_ = (n_levels + multiple - 1) / multiple * multiple;
    counts_.resize(n_lanes_);
    words_.resize(n_words * n_lanes_);
    for (std::size_t place = 0; place < level_of_place.size(); ++place) {
      words_[place / 64 * n_lanes_ + level_of_place[place]] |= std::uint64_t{1} << (place % 64);
    }
  }

  LaneBlock block() const { return {words_.data(), counts_.data(), n_lanes_, largest_}; }

  std::int64_t sum_logs(const std::int64_t* logs) const {
    std::int64_t sum = 0;
    for (const std::uint64_t count : counts_) sum += logs[count];
    return sum;
  }

 private:
  std::size_t n_lanes_ = 0;
  std::uint64_t largest_ = 0;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> counts_;
};

}  // namespace

// The terms of packed features with one reference on plain rows: no parts, no weights, nothing missing, and few enough
// rows for the table of L. The sums are those of the general way, so the values are too.
class PlainTriples {
 public:
  PlainTriples(const CodedTable& table, std::span<const std::uint8_t> g, std::size_t g_levels,
               std::span<const std::int32_t> classes, std::size_t n_classes, ThreeWayTerm term)
      : table_(table),
        term_(term),
        n_words_((table.n_rows() + 63) / 64),
        logs_(table.xlogx().table()),
        joint_(lanes(g_levels * n_classes, [&](std::size_t i) { return g[i] * n_classes + code(classes[i]); })),
        by_g_(lanes(g_levels, [&](std::size_t i) { return std::size_t{g[i]}; })),
        by_class_(lanes(n_classes, [&](std::size_t i) { return code(classes[i]); })),
        unit_(static_cast<double>(table.n_rows()) * table.xlogx().scale()) {
    fixed_.whole = logs_[table.n_rows()];
    fixed_.g = by_g_.sum_logs(logs_);
    fixed_.c = by_class_.sum_logs(logs_);
    fixed_.gc = joint_.sum_logs(logs_);
    const std::size_t n_small = std::min(kSmallCounts, table.xlogx().table_size());
    std::copy_n(logs_, n_small, small_logs_.begin());
  }

  static bool can(const CodedTable& table, std::size_t reference, std::size_t n_classes) {
    return !table.layout().has_parts() && !table.is_weighted() && !table.feature(reference).missing &&
           table.n_rows() < table.xlogx().table_size() && table.feature(reference).levels * n_classes <= kMostLanes;
  }

  bool can(const CodedFeature& feature) const { return feature.packed && !feature.missing; }

  double value(std::uint32_t f) const {
    const PlaneBlock planes = table_.planes(f);
    const LogTables tables{logs_, small_logs_.data()};
    TripleSums<std::int64_t> sums = fixed_;
    sums.fgc = kernels_.sum_lanes(planes, joint_.block(), n_words_, tables);
    sums.fg = kernels_.sum_lanes(planes, by_g_.block(), n_words_, tables);
    if (term_ == ThreeWayTerm::interaction) {
      sums.fc = kernels_.sum_lanes(planes, by_class_.block(), n_words_, tables);
      const CodedFeature& feature = table_.feature(f);
      for (std::size_t level = 0; level < feature.levels; ++level) sums.f += logs_[feature.counts[level]];
    }
    return term_value(term_, sums, unit_);
  }

 private:
  static constexpr std::size_t kMostLanes = 1024;

  static std::size_t code(std::int32_t value) { return static_cast<std::size_t>(value); }

  template <class LevelOf>
  Lanes lanes(std::size_t n_levels, const LevelOf& level_of) const {
    std::vector<std::size_t> levels(table_.n_rows());
    for (std::size_t place = 0; place < levels.size(); ++place) levels[place] = level_of(place);
    return Lanes(levels, n_levels, n_words_);
  }

  const TripleKernels& kernels_ = THRESHER_DISPATCH(triple_kernels);
  const CodedTable& table_;
  ThreeWayTerm term_;
  std::size_t n_words_;
  const std::int64_t* logs_;
  std::array<std::int64_t, kSmallCounts> small_logs_{};
  Lanes joint_, by_g_, by_class_;
  double unit_;
  TripleSums<std::int64_t> fixed_;
};

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

template <class Cell>
void ThreeWayMeasure::compute(std::uint32_t f, std::size_t g_levels, const ReferenceColumn& composite,
                              CountScratch& scratch, std::vector<Cell>& cells, double* out) const {
  const RowLayout& layout = table_->layout();
  const std::size_t f_levels = table_->feature(f).levels;
  const std::size_t n_cells = f_levels * composite.n_levels();
  cells.assign(n_cells * layout.n_parts() + 1, Cell{0});
  count_cells(*table_, composite, f, scratch, cells.data());
  triple_values<Cell>(term_, table_->xlogx(), layout.sets(), {cells.data(), n_cells * layout.n_parts()}, f_levels,
                      g_levels, n_classes_, out);
}

ThreeWayMeasure::~ThreeWayMeasure() = default;

const PlainTriples* ThreeWayMeasure::plain_triples(std::uint32_t reference) {
  if (!PlainTriples::can(*table_, reference, n_classes_)) return nullptr;
  std::unique_ptr<PlainTriples>& triples = plain_[reference];
  if (triples == nullptr) {
    if (plain_.size() > kMostReferences) {
      plain_.clear();
      return plain_triples(reference);
    }
    std::vector<std::uint8_t> g(table_->n_rows());
    table_->decode(reference, g.data());
    const std::size_t g_levels = table_->feature(reference).levels;
    triples = std::make_unique<PlainTriples>(*table_, g, g_levels, classes_, n_classes_, term_);
  }
  return triples.get();
}

void ThreeWayMeasure::values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) {
  const PlainTriples* plain = plain_triples(reference);
  if (plain != nullptr &&
      std::all_of(features.begin(), features.end(), [&](std::uint32_t f) { return plain->can(table_->feature(f)); })) {
    const auto compute_range = [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) out[i] = plain->value(features[i]);
    };
    // Lazy searches ask for a handful at a time: not worth handing out.
    const std::size_t grain = std::clamp<std::size_t>(65536 / (table_->n_rows() + 1), 1, 512);
    if (features.size() <= grain) {
      compute_range(0, features.size());
    } else {
      parallel_for(features.size(), grain, n_threads_, compute_range);
    }
    return;
  }
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
    std::vector<DoubleDouble> real_cells;
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
