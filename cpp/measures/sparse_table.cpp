#include "measures/sparse_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/parallel.hpp"
#include "core/prefetch.hpp"
#include "measures/association.hpp"
#include "measures/class_column.hpp"
#include "measures/exact_fallback.hpp"

namespace thresher {
namespace {

constexpr std::size_t kFeaturesPerTask = 64;

// Sums in double-double, rounded at the end.
void add_to(DoubleDouble& sum, double value) {
  const DoubleDouble added = two_sum(sum.hi, value);
  sum = {added.hi, sum.lo + added.lo};
}

// A column against which others are measured: a target, or a feature of the table.
struct SparseReference {
  const PackedMoments* moments;      // by replicate
  std::span<const double> weighted;  // weight times distance from the centre, row by row
  const double* target = nullptr;
  std::uint32_t feature = 0;  // if there is no target
};

// The values of one column and a reference on every replicate.
class SparseAssociation {
 public:
  SparseAssociation(const SparseTable& table, NumericKind kind, std::span<const PackedMoments> moments,
                    const SparseReference& reference)
      : table_(table),
        kind_(kind),
        moments_(moments),
        reference_(reference),
        cross_(table.layout().n_segments() > 1 ? table.layout().n_segments() : 0),
        rounded_(cross_.size()) {}

  void operator()(std::uint32_t feature, double* out) {
    const PackedMoments* own = moments_.data() + feature * table_.n_replicates();
    prefetch(own);
    add_products(feature, out);
    const auto kept_rows = table_.layout().kept_rows();
    for (std::size_t r = 0; r < table_.n_replicates(); ++r) {
      const PackedMoments& other = reference_.moments[r];
      out[r] = sure_value(kind_, out[r], kept_rows[r], own[r].kept_sum, own[r].norm, own[r].error,
                          other.kept_sum / kept_rows[r], other.norm, other.error);
      if (std::isnan(out[r])) out[r] = value_from_rows(feature, r);
    }
  }

 private:
  void add_products(std::uint32_t feature, double* out) {
    const PartSets& sets = table_.layout().sets();
    if (cross_.empty()) {
      DoubleDouble cross;
      table_.for_stored(
          feature, [&](auto position, auto, double value) { add_to(cross, value * reference_.weighted[position]); });
      const double rounded = cross.hi + cross.lo;
      sets.sum(&rounded, out);
      return;
    }
    std::fill(cross_.begin(), cross_.end(), DoubleDouble{});
    table_.for_stored(feature, [&](auto position, auto segment, double value) {
      add_to(cross_[segment], value * reference_.weighted[position]);
    });
    for (std::size_t s = 0; s < cross_.size(); ++s) rounded_[s] = cross_[s].hi + cross_[s].lo;
    sets.sum(rounded_.data(), out);
  }

  double value_from_rows(std::uint32_t feature, std::size_t replicate) {
    const std::vector<double> dense = table_.dense_column(feature);
    const double* other = reference_.target;
    if (other == nullptr) {
      if (dense_reference_.empty()) dense_reference_ = table_.dense_column(reference_.feature);
      other = dense_reference_.data();
    }
    return pair_sums({nullptr, dense.data()}, {nullptr, other}, table_.layout(), replicate).value(kind_);
  }

  const SparseTable& table_;
  NumericKind kind_;
  std::span<const PackedMoments> moments_;
  const SparseReference& reference_;
  std::vector<DoubleDouble> cross_;  // by segment, if there are several
  std::vector<double> rounded_, dense_reference_;
};

std::vector<PackedMoments> packed_moments(const SparseTable& table, NumericKind kind) {
  if (kind == NumericKind::cosine) return packed(table.uncentred(), table.n_replicates());
  return packed(table.centred(), table.n_replicates());
}

// The stored values of a column with their classes.
class SparseClasses {
 public:
  SparseClasses(const SparseTable& table, const ClassLayout& classes)
      : table_(table), classes_(classes), stored_(table) {}

  const SparseTable& table() const { return table_; }
  const ColumnMoments& moments() const { return table_.centred(); }
  ColumnRows rows(std::size_t feature) {
    const ColumnRows rows = stored_.read(feature);
    const std::size_t size = stored_.size();
    if (classes_.narrow.empty()) {
      wide_.resize(size);
      for (std::size_t i = 0; i < size; ++i) wide_[i] = classes_.labels[stored_.position(i)];
    } else {
      narrow_.resize(size + kMomentLanes);
      for (std::size_t i = 0; i < size; ++i) narrow_[i] = classes_.narrow[stored_.position(i)];
    }
    return rows;
  }
  ClassCodes codes(std::size_t i) const {
    return {wide_.data() + i, narrow_.empty() ? nullptr : narrow_.data() + i, classes_.n_classes};
  }
  NumericColumn all_rows(std::size_t feature) {
    dense_ = table_.dense_column(feature);
    return {nullptr, dense_.data()};
  }
  double centre(std::size_t feature, std::size_t replicate) const {
    return moments().kept_sum[feature * table_.n_replicates() + replicate] / table_.layout().kept_rows()[replicate];
  }
  double exact_centre(std::size_t) const { return 0.0; }
  bool has_sums() const { return true; }

 private:
  const SparseTable& table_;
  const ClassLayout& classes_;
  StoredColumn stored_;
  std::vector<std::int32_t> wide_;
  std::vector<std::uint8_t> narrow_;
  std::vector<double> dense_;
};

}  // namespace

SparseTable::SparseTable(CscView matrix, std::span<const std::int32_t> parts, PartSets sets,
                         std::span<const double> weights)
    : matrix_(matrix),
      layout_(matrix.n_rows, parts, std::move(sets), weights),
      rows_(total_rows(layout_)),
      n_used_(layout_.n_rows()),
      position_(matrix.n_rows, std::numeric_limits<std::uint32_t>::max()),
      segment_(n_used_),
      minimum_(matrix.n_features),
      maximum_(matrix.n_features),
      kept_constant_(matrix.n_features * layout_.n_replicates()) {
  if (layout_.order().empty()) {
    std::iota(position_.begin(), position_.end(), 0u);
  } else {
    for (std::uint32_t i = 0; i < n_used_; ++i) position_[layout_.order()[i]] = i;
  }
  const auto segments = layout_.segments();
  for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
    std::fill(segment_.begin() + static_cast<std::ptrdiff_t>(segments[s]),
              segment_.begin() + static_cast<std::ptrdiff_t>(segments[s + 1]), static_cast<std::uint32_t>(s));
  }
  centred_.resize(n_features(), n_replicates());
  StoredColumn stored(*this);
  ColumnReader reader(layout_);
  for (std::size_t feature = 0; feature < n_features(); ++feature) read_column(feature, stored, reader);
}

std::vector<double> SparseTable::dense_column(std::size_t feature) const {
  std::vector<double> dense(n_used_);
  for_stored(feature, [&](std::size_t position, std::size_t, double value) { dense[position] = value; });
  return dense;
}

ColumnRows StoredColumn::read(std::size_t feature) {
  const CscView& matrix = table_.matrix();
  const auto first = static_cast<std::size_t>(matrix.starts[feature]);
  const double* weights = table_.layout().weights();
  const double* values = matrix.values.data() + first;
  if (table_.is_plain()) {
    rows_ = matrix.rows.data() + first;
    segments_[1] = static_cast<std::size_t>(matrix.starts[feature + 1]) - first;
  } else {
    std::fill(segments_.begin(), segments_.end(), 0);
    table_.for_stored(feature, [&](std::size_t, std::size_t segment, double) { ++segments_[segment + 1]; });
    std::partial_sum(segments_.begin(), segments_.end(), segments_.begin());
    values_.resize(size());
    positions_.resize(size());
    next_.assign(segments_.begin(), segments_.end());
    table_.for_stored(feature, [&](std::size_t position, std::size_t segment, double value) {
      const std::size_t at = next_[segment]++;
      values_[at] = value;
      positions_[at] = static_cast<std::uint32_t>(position);
    });
    values = values_.data();
  }
  if (weights != nullptr) {
    weights_.resize(size());
    for (std::size_t i = 0; i < size(); ++i) weights_[i] = weights[position(i)];
    weights = weights_.data();
  }
  return {{nullptr, values}, segments_, weights};
}

void SparseTable::read_column(std::size_t feature, StoredColumn& stored, ColumnReader& reader) {
  const ColumnRows rows = stored.read(feature);
  reader.read(rows, 0.0);
  minimum_[feature] = reader.minimum();
  maximum_[feature] = reader.maximum();
  const std::size_t at = feature * n_replicates();
  reader.kept_constants(kept_constant_.data() + at);
  reader.set_moments(true, feature, centred_);
  for (std::size_t r = 0; r < n_replicates(); ++r) {
    if (kept_constant_[at + r] != 0) set_undefined(centred_, at + r);
  }
}

ColumnMoments SparseTable::uncentred() const {
  ColumnMoments moments;
  moments.resize(n_features(), n_replicates());
  StoredColumn stored(*this);
  ColumnReader reader(layout_);
  for (std::size_t feature = 0; feature < n_features(); ++feature) {
    reader.read(stored.read(feature), 0.0);
    reader.set_moments(false, feature, moments);
  }
  return moments;
}

std::vector<double> relevance_of_numbers(const SparseTable& table, NumericKind kind, std::span<const double> target,
                                         std::size_t n_threads) {
  const std::vector<double> values = table.layout().arrange(target);
  const ColumnMoments of_target = moments_of(values, kind != NumericKind::cosine, table.layout());
  std::vector<double> weighted(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) weighted[i] = table.weight(i) * (values[i] - of_target.centre[0]);
  const std::vector<PackedMoments> moments = packed_moments(table, kind);
  const std::vector<PackedMoments> other = packed(of_target, table.n_replicates());
  const SparseReference reference{other.data(), weighted, values.data()};
  std::vector<double> out(table.n_features() * table.n_replicates());
  parallel_for(table.n_features(), kFeaturesPerTask, n_threads, [&](std::size_t begin, std::size_t end) {
    SparseAssociation association(table, kind, moments, reference);
    for (std::size_t feature = begin; feature < end; ++feature) {
      association(static_cast<std::uint32_t>(feature), out.data() + feature * table.n_replicates());
    }
  });
  return out;
}

std::vector<double> relevance_of_classes(const SparseTable& table, ClassKind kind,
                                         std::span<const std::int32_t> classes, std::size_t n_classes,
                                         std::size_t n_threads, Interrupt& interrupt) {
  const ClassLayout layout(table.layout(), classes, n_classes);
  return values_of_classes(table, kind, layout, table.mean_size(), n_threads, interrupt,
                           [&] { return SparseClasses(table, layout); });
}

SparsePairMeasure::SparsePairMeasure(const SparseTable& table, NumericKind kind, std::size_t n_threads)
    : table_(table),
      kind_(kind),
      n_threads_(n_threads),
      moments_(packed_moments(table, kind)),
      weighted_(table.layout().n_rows()) {}

// Costs what is stored of the column and of the one before, not all rows.
void SparsePairMeasure::set_reference(std::uint32_t feature) {
  if (reference_ == feature) return;
  if (reference_) table_.for_stored(*reference_, [&](auto position, auto, double) { weighted_[position] = 0.0; });
  reference_ = feature;
  table_.for_stored(feature,
                    [&](auto position, auto, double value) { weighted_[position] = table_.weight(position) * value; });
}

void SparsePairMeasure::values(std::uint32_t reference, std::span<const std::uint32_t> features,
                               std::span<double> out) {
  set_reference(reference);
  const SparseReference prepared{moments_.data() + reference * n_replicates(), weighted_, nullptr, reference};
  parallel_for(features.size(), kFeaturesPerTask, n_threads_, [&](std::size_t begin, std::size_t end) {
    SparseAssociation association(table_, kind_, moments_, prepared);
    for (std::size_t i = begin; i < end; ++i) association(features[i], out.data() + i * n_replicates());
  });
}

}  // namespace thresher
