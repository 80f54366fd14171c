#include "measures/three_way.hpp"

#include <algorithm>
#include <optional>

#include "core/parallel.hpp"
#include "measures/plain_triples.hpp"
#include "measures/short_replicates.hpp"

namespace thresher {
namespace {

// See ThreeWayMeasure::offers_replicates().
constexpr std::size_t kLookup = 4, kValue = 100, kCell = 10;
constexpr std::size_t kPairsPerValue = 2;

std::vector<std::uint64_t> all_rows(std::size_t n_rows) {
  std::vector<std::uint64_t> rows((n_rows + 63) / 64, ~std::uint64_t{0});
  if (n_rows % 64 != 0) rows.back() = (std::uint64_t{1} << n_rows % 64) - 1;
  return rows;
}

}  // namespace

// One replicate. What it is made from must outlive it.
class ThreeWayReplicate final : public PairMeasure {
 public:
  ThreeWayReplicate(const ThreeWayMeasure& whole, std::size_t number) : whole_(whole), number_(number) {
    if (!whole.has_plain_columns()) return;
    const CodedTable& table = *whole.table_;
    plain_.emplace(whole.features_.data(), whole.columns_->n_words(), whole.columns_->rows_of(table.layout(), number),
                   whole.classes_, whole.n_classes_, table.xlogx(), whole.term_);
  }

  std::size_t n_features() const override { return whole_.n_features(); }
  bool is_symmetric() const override { return whole_.is_symmetric(); }
  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override {
    if (plain_) {
      plain_->values(reference, {}, features, whole_.n_threads_, out.data());
    } else {
      whole_.compute(reference, features, {number_, number_ + 1}, out.data());
    }
  }

 private:
  const ThreeWayMeasure& whole_;
  std::size_t number_;
  std::optional<PlainTriples> plain_;
};

ThreeWayMeasure::ThreeWayMeasure(std::shared_ptr<const CodedTable> table, std::span<const std::int32_t> classes,
                                 std::size_t n_classes, ThreeWayTerm term, std::size_t n_threads)
    : table_(std::move(table)), classes_(classes.size()), n_classes_(n_classes), term_(term), n_threads_(n_threads) {
  if (classes.size() != table_->n_rows()) throw std::invalid_argument("y: one code per row is needed");
  for (std::size_t position = 0; position < classes_.size(); ++position) {
    classes_[position] = classes[table_->layout().row_at(position)];
    if (classes_[position] < 0 || static_cast<std::size_t>(classes_[position]) >= n_classes) {
      throw std::invalid_argument("y: code out of range");
    }
  }
  if (table_->layout().has_parts() || table_->is_weighted() || table_->n_rows() >= table_->xlogx().table_size()) return;
  plain_ = std::make_unique<PlainTriples>(table_->features(), table_->layout().plane_stride(),
                                          all_rows(table_->n_rows()), classes_, n_classes, table_->xlogx(), term);
}

ThreeWayMeasure::~ThreeWayMeasure() = default;

bool ThreeWayMeasure::has_plain_columns() const {
  const CodedTable& table = *table_;
  if (table.is_weighted() || table.has_bytes() || table.has_missing()) return false;
  if (table.n_rows() == 0 || table.n_rows() >= table.xlogx().table_size()) return false;
  return std::all_of(table.features(), table.features() + table.n_features(), [this](const CodedFeature& feature) {
    return feature.levels * n_classes_ <= PlainTriples::kMostLanes;
  });
}

// A replicate reads its rows for each of its pairs. All together read them once for a pair that any of them
// requests, but then every replicate gets a value, wanted or not. Estimates in words of eight lanes read, checked on a
// few shapes.
bool ThreeWayMeasure::offers_replicates() const {
  const RowLayout& layout = table_->layout();
  if (!layout.has_parts() || !has_plain_columns()) return false;
  std::size_t n_levels = 0;
  for (std::size_t f = 0; f < n_features(); ++f) n_levels += table_->feature(f).levels;
  const std::size_t levels = n_levels / (n_features() + 1) + 1;
  const std::size_t vectors = (levels * n_classes_ + 7) / 8 + (levels + 7) / 8;
  const std::size_t n_words = (table_->n_rows() + 63) / 64;
  const std::size_t alone = levels * vectors * (n_words + kLookup);
  const std::size_t value = kValue + levels * levels * n_classes_ * kCell;
  const std::size_t together = levels * vectors * layout.n_words() + n_replicates() * value;
  return n_replicates() * alone <= kPairsPerValue * together;
}

std::unique_ptr<PairMeasure> ThreeWayMeasure::replicate(std::size_t number) {
  if (!columns_ && has_plain_columns()) {
    columns_ = std::make_unique<const ShortColumns>(*table_);
    features_.assign(table_->features(), table_->features() + n_features());
    for (std::size_t f = 0; f < n_features(); ++f) features_[f].data = columns_->planes(f);
  }
  return std::make_unique<ThreeWayReplicate>(*this, number);
}

bool ThreeWayMeasure::can_plainly(std::uint32_t reference, std::span<const std::uint32_t> features) const {
  const CodedFeature& column = table_->feature(reference);
  return plain_ != nullptr && !column.missing && column.levels * n_classes_ <= PlainTriples::kMostLanes &&
         std::ranges::all_of(
             features, [this](std::uint32_t f) { return table_->feature(f).packed && !table_->feature(f).missing; });
}

void ThreeWayMeasure::values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) {
  if (!can_plainly(reference, features)) return compute(reference, features, {0, n_replicates()}, out.data());
  std::vector<std::uint8_t> codes;
  if (!table_->feature(reference).packed) {
    codes.resize(table_->n_rows());
    table_->decode(reference, codes.data());
  }
  plain_->values(reference, codes, features, n_threads_, out.data());
}

template <class Cell>
void ThreeWayMeasure::compute_one(std::uint32_t f, std::size_t g_levels, ReplicateRange replicates,
                                  const ReferenceColumn& composite, CountScratch& scratch, std::vector<Cell>& cells,
                                  double* out) const {
  const RowLayout& layout = table_->layout();
  const std::size_t f_levels = table_->feature(f).levels;
  const std::size_t n_cells = f_levels * composite.n_levels();
  cells.assign(n_cells * layout.n_parts() + 1, Cell{0});
  count_cells(*table_, composite, f, scratch, cells.data());
  triple_values<Cell>(term_, table_->xlogx(), layout.sets(), replicates, {cells.data(), n_cells * layout.n_parts()},
                      f_levels, g_levels, n_classes_, out);
}

void ThreeWayMeasure::compute(std::uint32_t reference, std::span<const std::uint32_t> features,
                              ReplicateRange replicates, double* out) const {
  const std::size_t g_levels = table_->feature(reference).levels;
  std::vector<std::uint8_t> g(table_->n_rows());
  table_->decode(reference, g.data());
  std::vector<std::int32_t> codes(g.size());
  const bool missing = table_->feature(reference).missing;
  for (std::size_t position = 0; position < codes.size(); ++position) {
    const bool absent = missing && g[position] == CodedTable::kNoCode;
    codes[position] = absent ? -1 : static_cast<std::int32_t>(g[position] * n_classes_) + classes_[position];
  }
  const auto composite = ReferenceColumn::from_positions(*table_, std::move(codes), g_levels * n_classes_);
  const std::size_t grain = std::clamp<std::size_t>(65536 / (table_->n_rows() + 1), 1, 512);
  parallel_for(features.size(), grain, n_threads_, [&](std::size_t begin, std::size_t end) {
    CountScratch scratch;
    std::vector<std::uint32_t> cells;
    std::vector<std::int64_t> whole_cells;
    std::vector<DoubleDouble> real_cells;
    for (std::size_t i = begin; i < end; ++i) {
      double* values = out + i * (replicates.last - replicates.first);
      if (!table_->weights().real.empty()) {
        compute_one(features[i], g_levels, replicates, composite, scratch, real_cells, values);
      } else if (!table_->weights().whole.empty()) {
        compute_one(features[i], g_levels, replicates, composite, scratch, whole_cells, values);
      } else {
        compute_one(features[i], g_levels, replicates, composite, scratch, cells, values);
      }
    }
  });
}

}  // namespace thresher
