#include "measures/discrete_measure.hpp"

#include <algorithm>
#include <numeric>

#include "core/parallel.hpp"
#include "counting/joint_kernels.hpp"
#include "measures/cell_values.hpp"
#include "measures/short_replicates.hpp"

namespace thresher {
namespace {

// Features per piece of work: enough that scheduling one costs little compared with it.
std::size_t grain_for(const CodedTable& table) { return std::clamp<std::size_t>(65536 / (table.n_rows() + 1), 1, 512); }

bool any_bytes(const CodedTable& table, std::span<const std::uint32_t> features) {
  return table.has_bytes() && std::any_of(features.begin(), features.end(), [&](std::uint32_t f) {
           return !table.feature(f).packed && !table.feature(f).listed;
         });
}

}  // namespace

MarginSums::MarginSums(const CodedTable& table) : n_replicates_(table.layout().n_replicates()) {
  sums_.resize(checked_product(table.n_features(), n_replicates_));
  largest_levels_.reserve(table.n_features());
  std::vector<std::uint32_t> kept(n_replicates_);
  for (std::size_t f = 0; f < table.n_features(); ++f) {
    std::int64_t* sums = sums_.data() + f * n_replicates_;
    largest_levels_.push_back(sum(table, table.feature(f).counts, table.feature(f).levels, kept, sums));
  }
}

std::uint32_t MarginSums::sum(const CodedTable& table, const std::uint32_t* counts, std::size_t n_levels,
                              std::span<std::uint32_t> kept, std::int64_t* sums) {
  const XLogX& xlogx = table.xlogx();
  const std::size_t n_parts = table.n_parts();
  std::fill_n(sums, kept.size(), std::int64_t{0});
  std::uint32_t largest = 0;
  if (!table.layout().has_parts()) {
    for (std::size_t level = 0; level < n_levels; ++level) {
      largest = std::max(largest, counts[level]);
      sums[0] += xlogx(counts[level]);
    }
    return largest;
  }
  for (std::size_t level = 0; level < n_levels; ++level) {
    const std::uint32_t* by_part = counts + level * n_parts;
    largest = std::max(largest, std::accumulate(by_part, by_part + n_parts, 0U));
    table.layout().sets().count(by_part, kept.data());
    for (std::size_t r = 0; r < kept.size(); ++r) sums[r] += xlogx(kept[r]);
  }
  return largest;
}

ReplicateRows::ReplicateRows(const CodedTable& table) {
  for (const std::uint32_t rows : table.layout().kept_rows()) {
    whole.push_back(table.xlogx()(rows));
    unit.push_back(static_cast<double>(rows) * table.xlogx().scale());
  }
}

struct ReferenceValues::Scratch {
  CountScratch counting;
  std::vector<std::uint32_t> cells;
  std::vector<std::int64_t> whole_cells;
  std::vector<DoubleDouble> real_cells;
  std::vector<std::uint32_t> totals, kept;
  std::vector<std::int64_t> whole, joint;
};

ReferenceValues::ReferenceValues(const CodedTable& table, const MarginSums& margins, const ReplicateRows& rows,
                                 const ReferenceColumn& reference, std::size_t index, DiscreteMeasure measure)
    : table_(table), margins_(margins), rows_(rows), reference_(reference), measure_(measure) {
  if (index < table.n_features()) {
    reference_margin_ = margins.of(index);
    largest_level_ = margins.largest_level(index);
  } else {
    own_margin_.resize(table.layout().n_replicates());
    std::vector<std::uint32_t> kept(own_margin_.size());
    largest_level_ = MarginSums::sum(table, reference.counts(), reference.n_levels(), kept, own_margin_.data());
    reference_margin_ = own_margin_.data();
  }
}

// The joint sums of one feature and the reference on every replicate, given; whole counts, nothing missing.
void ReferenceValues::store_information(std::uint32_t f, const std::int64_t* joint, double* out) const {
  const std::int64_t* margin = margins_.of(f);
  for (std::size_t r = 0; r < rows_.whole.size(); ++r) {
    const std::int64_t whole = rows_.whole[r];
    const InformationSums<std::int64_t> sums = {whole + joint[r] - margin[r] - reference_margin_[r], whole - margin[r],
                                                whole - reference_margin_[r], rows_.unit[r]};
    out[r] = information_value(measure_, sums);
  }
}

// Returns the joint sum of two lists without a common row: each row has one of the columns at its commonest level.
std::int64_t ReferenceValues::joint_of_apart(std::uint32_t f) const {
  const XLogX& xlogx = table_.xlogx();
  const std::size_t n = table_.n_rows();
  const std::size_t n_here = table_.feature(f).n_listed;
  const std::size_t n_there = reference_.listed()->n_listed;
  return margins_.of(f)[0] - xlogx(n - n_here) + reference_margin_[0] - xlogx(n - n_there) +
         xlogx(n - n_here - n_there);
}

// Joint sums from the table of counts.
void ReferenceValues::joint_of_cells(std::uint32_t f, Scratch& scratch) const {
  const RowLayout& layout = table_.layout();
  const XLogX& xlogx = table_.xlogx();
  const std::size_t n_cells = table_.feature(f).levels * reference_.n_levels();
  const std::size_t n_parts = layout.n_parts();
  scratch.cells.resize(n_cells * n_parts + 1);
  count_cells(table_, reference_, f, scratch.counting, scratch.cells.data());
  scratch.joint.assign(layout.n_replicates(), 0);
  if (!layout.has_parts()) {
    for (std::size_t c = 0; c < n_cells; ++c) scratch.joint[0] += xlogx(scratch.cells[c]);
    return;
  }
  scratch.totals.assign(n_cells, 0);
  for (std::size_t part = 0; part < n_parts; ++part) {
    const std::uint32_t* cells = scratch.cells.data() + part * n_cells;
    for (std::size_t c = 0; c < n_cells; ++c) scratch.totals[c] += cells[c];
  }
  scratch.whole.resize(n_cells);
  for (std::size_t c = 0; c < n_cells; ++c) scratch.whole[c] = xlogx(scratch.totals[c]);
  scratch.kept.resize(n_cells);
  for (std::size_t r = 0; r < layout.n_replicates(); ++r) {
    layout.sets().sum_rows(r, scratch.cells.data(), scratch.totals.data(), n_cells, scratch.kept.data());
    std::int64_t sum = 0;
    // A cell that loses nothing needs no logarithm.
    for (std::size_t c = 0; c < n_cells; ++c) {
      sum += scratch.kept[c] == scratch.totals[c] ? scratch.whole[c] : xlogx(scratch.kept[c]);
    }
    scratch.joint[r] = sum;
  }
}

// Any table: margins from the cells themselves.
template <class Cell>
void ReferenceValues::compute_general(std::uint32_t f, Scratch& scratch, std::vector<Cell>& cells, double* out) const {
  const RowLayout& layout = table_.layout();
  const std::size_t a_levels = table_.feature(f).levels;
  const std::size_t n_cells = a_levels * reference_.n_levels();
  const std::size_t n_parts = layout.n_parts();
  cells.assign(n_cells * n_parts + 1, Cell{0});
  count_cells(table_, reference_, f, scratch.counting, cells.data());
  table_values<Cell>(measure_, table_.xlogx(), layout.sets(), {cells.data(), n_cells * n_parts}, a_levels, out);
}

// Returns whether the joint kernels apply to the reference. Without parts they are for few rows.
bool ReferenceValues::suits_kernels() const {
  return is_information(measure_) && !table_.is_weighted() && table_.n_rows() > 0 &&
         (table_.layout().has_parts() || table_.n_rows() < table_.xlogx().table_size()) && reference_.has_planes() &&
         !reference_.has_missing() && reference_.n_levels() <= 63;
}

// Returns whether they apply to the feature, too: it is packed and complete, and every count is in the table of L.
bool ReferenceValues::is_looked_up(std::uint32_t f) const {
  return table_.feature(f).packed && !table_.feature(f).missing &&
         std::min(largest_level_, margins_.largest_level(f)) < table_.xlogx().table_size();
}

void ReferenceValues::compute_by_kernels(std::span<const std::uint32_t> features, double* out) const {
  const RowLayout& layout = table_.layout();
  const JointKernels& kernels = THRESHER_DISPATCH(joint_kernels);
  const JointReference reference = {reference_.planes(), reference_.counts(), table_.xlogx().table(), layout.n_words(),
                                    layout.n_parts(),    layout.part_words(), layout.one_word_parts()};
  const std::size_t n_replicates = layout.n_replicates();
  const SetMasks sets = layout.sets().masks();
  std::vector<std::uint32_t> part_scratch;
  std::vector<std::int64_t> set_sums;
  if (layout.has_parts()) {
    part_scratch.resize((layout.n_parts() + 1) * CodedTable::kMaxPackedLevels * reference_.n_levels() + sets.stride);
    set_sums.resize(2 * sets.stride);
  }
  std::vector<std::int64_t> many_sums;
  std::vector<double> many_units;
  constexpr std::size_t kBatch = 64;
  std::int64_t few_sums[kBatch];
  double few_units[kBatch];
  std::int64_t* sums = few_sums;
  double* units = few_units;
  if (n_replicates > 1) {
    many_sums.resize(std::min(kBatch, features.size()) * n_replicates);
    many_units.resize(many_sums.size());
    sums = many_sums.data();
    units = many_units.data();
  }
  const bool in_bits = measure_ == DiscreteMeasure::mi;
  for (std::size_t k = 0; k < std::min(kBatch, features.size()) && in_bits; ++k) {
    std::copy_n(rows_.unit.data(), n_replicates, units + k * n_replicates);
  }
  for (std::size_t first = 0; first < features.size(); first += kBatch) {
    const std::size_t n = std::min(kBatch, features.size() - first);
    const std::uint32_t* wanted = features.data() + first;
    double* values = out + first * n_replicates;
    if (!layout.has_parts()) {
      kernels.joint_sums(reference, table_.features(), wanted, n, sums);
    } else if (layout.sets().are_all_but_one()) {
      kernels.joint_part_sums(reference, table_.features(), wanted, n, part_scratch.data(), sums);
    } else {
      for (std::size_t k = 0; k < n; ++k) {
        kernels.joint_set_sums(reference, table_.feature(wanted[k]), sets, part_scratch.data(), set_sums.data());
        std::ranges::transform(layout.sets().positions(), sums + k * n_replicates,
                               [&](std::uint32_t position) { return set_sums[position]; });
      }
    }
    if (!in_bits) {
      for (std::size_t k = 0; k < n; ++k) {
        store_information(wanted[k], sums + k * n_replicates, values + k * n_replicates);
      }
      continue;
    }
    for (std::size_t k = 0; k < n; ++k) {
      const std::int64_t* margin = margins_.of(wanted[k]);
      for (std::size_t r = 0; r < n_replicates; ++r) {
        sums[k * n_replicates + r] += rows_.whole[r] - margin[r] - reference_margin_[r];
      }
    }
    kernels.bits_values(sums, units, n * n_replicates, values);
  }
}

void ReferenceValues::compute_one(std::uint32_t f, Scratch& scratch, double* out) const {
  if (!table_.weights().real.empty()) {
    compute_general(f, scratch, scratch.real_cells, out);
  } else if (!table_.weights().whole.empty()) {
    compute_general(f, scratch, scratch.whole_cells, out);
  } else if (!is_information(measure_) || reference_.has_missing() || table_.feature(f).missing) {
    compute_general(f, scratch, scratch.cells, out);
  } else if (!table_.layout().has_parts() && reference_.surely_misses(table_.feature(f))) {
    const std::int64_t joint = joint_of_apart(f);
    store_information(f, &joint, out);
  } else {
    joint_of_cells(f, scratch);
    store_information(f, scratch.joint.data(), out);
  }
}

void ReferenceValues::compute(std::span<const std::uint32_t> features, double* out) const {
  const std::size_t n_replicates = table_.layout().n_replicates();
  const bool by_kernels = suits_kernels();
  // On microarrays checking every feature would cost a sixth of the time.
  if (by_kernels && !table_.has_bytes() && !table_.has_missing() && table_.n_rows() < table_.xlogx().table_size()) {
    compute_by_kernels(features, out);
    return;
  }
  Scratch scratch;
  for (std::size_t i = 0; i < features.size();) {
    const std::size_t first = i;
    while (by_kernels && i < features.size() && is_looked_up(features[i])) ++i;
    if (first < i) {
      compute_by_kernels(features.subspan(first, i - first), out + first * n_replicates);
    } else {
      compute_one(features[i++], scratch, out + first * n_replicates);
    }
  }
}

DiscretePairMeasure::DiscretePairMeasure(std::shared_ptr<const CodedTable> table, DiscreteMeasure measure,
                                         std::size_t n_threads)
    : table_(std::move(table)),
      measure_(measure),
      n_threads_(n_threads),
      margins_(*table_),
      rows_(*table_),
      offers_replicates_(is_information(measure) && ShortColumns::suit(*table_)) {}

ReferenceColumn DiscretePairMeasure::column(std::uint32_t reference, std::span<const std::uint32_t> features) const {
  ReferenceColumn column(*table_, reference, any_bytes(*table_, features));
  // A bit for every row: little compared with that many features.
  if (features.size() > table_->n_rows() / 4096) column.mark_listed(*table_);
  return column;
}

void DiscretePairMeasure::values(std::uint32_t reference, std::span<const std::uint32_t> features,
                                 std::span<double> out) {
  const ReferenceColumn column = this->column(reference, features);
  const ReferenceValues computer(*table_, margins_, rows_, column, reference, measure_);
  const std::size_t grain = grain_for(*table_);
  if (n_threads_ == 1 || features.size() <= grain) {
    computer.compute(features, out.data());
    return;
  }
  const std::size_t n_replicates = this->n_replicates();
  parallel_for(features.size(), grain, n_threads_, [&](std::size_t begin, std::size_t end) {
    computer.compute(features.subspan(begin, end - begin), out.data() + begin * n_replicates);
  });
}

RequestHints DiscretePairMeasure::hints() const {
  return {.terms_at_once = offers_replicates_ ? ShortReplicate::kAtOnce : 1, .offers_replicates = offers_replicates_};
}

void DiscretePairMeasure::fill(std::span<const TermRequest> requests) {
  if (offers_replicates_) return PairMeasure::fill(requests);
  const std::size_t grain = grain_for(*table_);
  std::vector<std::size_t> begin = {0};
  for (const TermRequest& request : requests) begin.push_back(begin.back() + request.features.size());
  if (n_threads_ == 1 || begin.back() <= grain) {
    for (const TermRequest& request : requests) values(request.references[0], request.features, request.terms);
    return;
  }
  std::vector<ReferenceColumn> columns;
  for (const TermRequest& request : requests) {
    columns.push_back(column(request.references[0], request.features));
  }
  const std::size_t n_replicates = this->n_replicates();
  parallel_for(begin.back(), grain, n_threads_, [&](std::size_t first, std::size_t last) {
    std::size_t k = static_cast<std::size_t>(std::upper_bound(begin.begin(), begin.end(), first) - begin.begin() - 1);
    for (; first < last; ++k) {
      const TermRequest& request = requests[k];
      const std::size_t from = first - begin[k];
      const std::size_t n = std::min(last, begin[k + 1]) - first;
      const ReferenceValues computer(*table_, margins_, rows_, columns[k], request.references[0], measure_);
      computer.compute(request.features.subspan(from, n), request.terms.data() + from * n_replicates);
      first += n;
    }
  });
}

std::unique_ptr<PairMeasure> DiscretePairMeasure::replicate(std::size_t number) {
  if (!short_columns_) {
    if (!offers_replicates_) return nullptr;
    short_columns_ = std::make_shared<const ShortColumns>(*table_);
  }
  return std::make_unique<ShortReplicate>(*table_, *short_columns_, margins_, rows_, number, measure_);
}

void discrete_relevance(const CodedTable& table, std::span<const std::int32_t> classes, std::size_t n_classes,
                        DiscreteMeasure measure, std::size_t n_threads, std::span<double> out) {
  const ReferenceColumn column(table, classes, n_classes);
  const MarginSums margins(table);
  const ReplicateRows rows(table);
  const ReferenceValues computer(table, margins, rows, column, table.n_features(), measure);
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
