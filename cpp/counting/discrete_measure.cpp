#include "counting/discrete_measure.hpp"

#include <algorithm>
#include <numeric>

#include "core/parallel.hpp"

namespace thresher {
namespace {

// Features per piece of work: enough that handing one out costs little beside it.
std::size_t grain_for(const CodedTable& table) {
  return std::clamp<std::size_t>(65536 / (table.n_rows() + 1), 1, 512);
}

}  // namespace

MarginSums::MarginSums(const CodedTable& table) : n_replicates_(table.layout().n_replicates()) {
  sums_.resize(checked_product(table.n_features(), n_replicates_));
  for (std::size_t f = 0; f < table.n_features(); ++f) {
    sum(table, table.feature(f).counts, table.feature(f).levels, sums_.data() + f * n_replicates_);
  }
}

void MarginSums::sum(const CodedTable& table, const std::uint32_t* counts, std::size_t n_levels, std::int64_t* sums) {
  const XLogX& xlogx = table.xlogx();
  const std::size_t n_parts = table.n_parts();
  const std::size_t n_replicates = table.layout().n_replicates();
  std::fill_n(sums, n_replicates, std::int64_t{0});
  for (std::size_t level = 0; level < n_levels; ++level) {
    if (!table.layout().has_parts()) {
      sums[0] += xlogx(counts[level]);
      continue;
    }
    std::uint32_t total = 0;
    for (std::size_t part = 0; part < n_parts; ++part) total += counts[level * n_parts + part];
    for (std::size_t part = 0; part < n_parts; ++part) sums[part] += xlogx(total - counts[level * n_parts + part]);
  }
}

struct ReferenceValues::Scratch {
  CountScratch counting;
  std::vector<std::uint32_t> cells;
  std::vector<std::int64_t> whole_cells;
  std::vector<double> real_cells;
  std::vector<std::int64_t> margin;
};

ReferenceValues::ReferenceValues(const CodedTable& table, const MarginSums* margins, const ReferenceColumn& reference,
                                 std::size_t index, DiscreteMeasure measure)
    : table_(table), margins_(margins), reference_(reference), index_(index), measure_(measure) {
  const std::size_t n_replicates = table.layout().n_replicates();
  reference_margin_.resize(n_replicates);
  MarginSums::sum(table, reference.counts(), reference.n_levels(), reference_margin_.data());
  for (std::size_t r = 0; r < n_replicates; ++r) {
    const std::size_t rows = table.n_rows() - (table.layout().has_parts() ? table.layout().rows_in(r) : 0);
    whole_.push_back(table.xlogx()(rows));
    unit_.push_back(static_cast<double>(rows) * table.xlogx().scale());
  }
}

// Whole counts, nothing missing: only the joint sum is new.
void ReferenceValues::compute_information(std::uint32_t f, Scratch& scratch, double* out) const {
  const RowLayout& layout = table_.layout();
  const CodedFeature& feature = table_.feature(f);
  const XLogX& xlogx = table_.xlogx();
  const std::size_t n_cells = feature.levels * reference_.n_levels();
  scratch.cells.resize(std::max<std::size_t>(n_cells * (layout.n_parts() + 1), 1));
  count_cells(table_, reference_, f, scratch.counting, scratch.cells.data());
  const std::int64_t* margin = nullptr;
  if (margins_ != nullptr) {
    margin = margins_->of(f);
  } else {
    scratch.margin.resize(layout.n_replicates());
    MarginSums::sum(table_, feature.counts, feature.levels, scratch.margin.data());
    margin = scratch.margin.data();
  }
  std::uint32_t* total = scratch.cells.data() + n_cells * layout.n_parts();
  if (layout.has_parts()) {
    std::fill_n(total, n_cells, 0u);
    for (std::size_t part = 0; part < layout.n_parts(); ++part) {
      for (std::size_t c = 0; c < n_cells; ++c) total[c] += scratch.cells[part * n_cells + c];
    }
  }
  for (std::size_t r = 0; r < layout.n_replicates(); ++r) {
    const std::uint32_t* cells = scratch.cells.data() + r * n_cells;
    std::int64_t joint = 0;
    if (layout.has_parts()) {
      for (std::size_t c = 0; c < n_cells; ++c) joint += xlogx(total[c] - cells[c]);
    } else {
      for (std::size_t c = 0; c < n_cells; ++c) joint += xlogx(cells[c]);
    }
    const InformationSums<std::int64_t> sums = {whole_[r] + joint - margin[r] - reference_margin_[r],
                                                whole_[r] - margin[r], whole_[r] - reference_margin_[r], unit_[r]};
    out[r] = information_value(measure_, sums);
  }
}

// Any table: margins from the cells themselves.
template <class Count>
void ReferenceValues::compute_general(std::uint32_t f, Scratch& scratch, std::vector<Count>& cells, double* out) const {
  const RowLayout& layout = table_.layout();
  std::size_t a_levels = table_.feature(f).levels;
  std::size_t b_levels = reference_.n_levels();
  const std::size_t n_cells = a_levels * b_levels;
  const std::size_t n_parts = layout.n_parts();
  cells.assign(n_cells * (n_parts + 2) + a_levels + b_levels, Count{0});
  count_cells(table_, reference_, f, scratch.counting, cells.data());
  Count* used = cells.data() + n_parts * n_cells;
  Count* turned = used + n_cells;
  Count* a_sums = turned + n_cells;
  // Of two features, the one with the lower number gives the rows, so that a pair has one value.
  const bool turn = index_ < f;
  for (std::size_t r = 0; r < layout.n_replicates(); ++r) {
    std::fill_n(used, n_cells, Count{0});
    for (std::size_t part = 0; part < n_parts; ++part) {
      if (layout.has_parts() && part == r) continue;
      for (std::size_t c = 0; c < n_cells; ++c) used[c] += cells[part * n_cells + c];
    }
    if (turn) {
      for (std::size_t i = 0; i < a_levels; ++i)
        for (std::size_t j = 0; j < b_levels; ++j) turned[j * a_levels + i] = used[i * b_levels + j];
    }
    const std::size_t n_rows = turn ? b_levels : a_levels;
    const std::size_t n_columns = turn ? a_levels : b_levels;
    const Count* shown = turn ? turned : used;
    Count* row_sums = a_sums;
    Count* column_sums = a_sums + n_rows;
    std::fill_n(a_sums, a_levels + b_levels, Count{0});
    Count total{0};
    for (std::size_t i = 0; i < n_rows; ++i) {
      for (std::size_t j = 0; j < n_columns; ++j) {
        row_sums[i] += shown[i * n_columns + j];
        column_sums[j] += shown[i * n_columns + j];
      }
      total += row_sums[i];
    }
    out[r] = table_value(measure_, TableView<Count>{shown, row_sums, column_sums, n_rows, n_columns, total},
                         table_.xlogx());
  }
}

void ReferenceValues::compute(std::span<const std::uint32_t> features, double* out) const {
  Scratch scratch;
  const std::size_t n_replicates = table_.layout().n_replicates();
  for (std::size_t i = 0; i < features.size(); ++i, out += n_replicates) {
    const std::uint32_t f = features[i];
    if (!table_.weights().real.empty()) {
      compute_general(f, scratch, scratch.real_cells, out);
    } else if (!table_.weights().whole.empty()) {
      compute_general(f, scratch, scratch.whole_cells, out);
    } else if (measure_ == DiscreteMeasure::chi2 || reference_.has_missing() || table_.feature(f).missing) {
      compute_general(f, scratch, scratch.cells, out);
    } else {
      compute_information(f, scratch, out);
    }
  }
}

DiscretePairMeasure::DiscretePairMeasure(std::shared_ptr<const CodedTable> table, DiscreteMeasure measure,
                                         std::size_t n_threads)
    : table_(std::move(table)), measure_(measure), n_threads_(n_threads), margins_(*table_) {}

void DiscretePairMeasure::values(std::uint32_t reference, std::span<const std::uint32_t> features,
                                 std::span<double> out) {
  const ReferenceColumn column(*table_, reference);
  const ReferenceValues computer(*table_, &margins_, column, reference, measure_);
  const std::size_t n_replicates = this->n_replicates();
  parallel_for(features.size(), grain_for(*table_), n_threads_, [&](std::size_t begin, std::size_t end) {
    computer.compute(features.subspan(begin, end - begin), out.data() + begin * n_replicates);
  });
}

void discrete_relevance(const CodedTable& table, std::span<const std::int32_t> classes, std::size_t n_classes,
                        DiscreteMeasure measure, std::size_t n_threads, std::span<double> out) {
  const ReferenceColumn column(table, classes, n_classes);
  const ReferenceValues computer(table, nullptr, column, table.n_features(), measure);
  const std::size_t n_replicates = table.layout().n_replicates();
  const std::size_t n_features = table.n_features();
  parallel_for(n_features, grain_for(table), n_threads, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> features(end - begin);
    std::iota(features.begin(), features.end(), static_cast<std::uint32_t>(begin));
    std::vector<double> values(features.size() * n_replicates);
    computer.compute(features, values.data());
    for (std::size_t i = 0; i < features.size(); ++i) {
      for (std::size_t r = 0; r < n_replicates; ++r) out[r * n_features + begin + i] = values[i * n_replicates + r];
    }
  });
}

}  // namespace thresher
