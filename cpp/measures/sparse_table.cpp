#include "measures/sparse_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/feature_loop.hpp"
#include "core/parallel.hpp"
#include "measures/association.hpp"
#include "measures/class_column.hpp"
#include "measures/referee.hpp"

namespace thresher {
namespace {

constexpr std::size_t kFeaturesPerTask = 64;

// Sums in double-double, rounded at the end.
void add_to(DoubleDouble& sum, double value) {
  const DoubleDouble added = two_sum(sum.hi, value);
  sum = {added.hi, sum.lo + added.lo};
}

void keep(const SegmentLayout& layout, const std::vector<DoubleDouble>& sums, std::vector<double>& rounded,
          double* kept) {
  for (std::size_t s = 0; s < sums.size(); ++s) rounded[s] = sums[s].hi + sums[s].lo;
  layout.sets().sum(rounded.data(), kept);
}

// A column against which sparse ones are measured: weight times its distance from the centre, row by row.
struct DenseReference {
  std::vector<double> weighted;
  Reference moments;

  DenseReference(const SparseTable& table, std::span<const double> column, const ColumnMoments& from, std::size_t index)
      : weighted(column.size()),
        moments(reference_at(NumericColumn{nullptr, column.data()}, from, index, table.layout().kept_rows())) {
    for (std::size_t i = 0; i < column.size(); ++i) weighted[i] = table.weight(i) * (column[i] - moments.centre);
  }
};

// The values of one column and the reference on every replicate.
class SparseAssociation {
 public:
  SparseAssociation(const SparseTable& table, NumericKind kind, const ColumnMoments& moments,
                    const DenseReference& reference)
      : table_(table),
        kind_(kind),
        reference_(reference),
        moments_(moments),
        cross_(table.layout().n_segments()),
        rounded_(cross_.size()) {}

  void operator()(std::uint32_t feature, double* out) {
    const SegmentLayout& layout = table_.layout();
    std::fill(cross_.begin(), cross_.end(), DoubleDouble{});
    table_.for_stored(feature, [&](std::size_t place, std::size_t segment, double value) {
      add_to(cross_[segment], value * reference_.weighted[place]);
    });
    keep(layout, cross_, rounded_, out);
    const std::size_t at = feature * table_.n_replicates();
    const Reference& other = reference_.moments;
    for (std::size_t r = 0; r < table_.n_replicates(); ++r) {
      out[r] = sure_value(kind_, out[r], layout.kept_rows()[r], moments_.kept_sum[at + r], moments_.norm[at + r],
                          moments_.error[at + r], other.mean_distance[r], other.norm[r], other.error[r]);
      if (!std::isnan(out[r])) continue;
      const std::vector<double> dense = table_.dense_column(feature);
      out[r] = pair_sums({nullptr, dense.data()}, other.column, layout, r).value(kind_);
    }
  }

 private:
  const SparseTable& table_;
  NumericKind kind_;
  const DenseReference& reference_;
  const ColumnMoments& moments_;
  std::vector<DoubleDouble> cross_;
  std::vector<double> rounded_;
};

// What is stored of a column with its classes.
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
      for (std::size_t i = 0; i < size; ++i) wide_[i] = classes_.labels[stored_.place(i)];
    } else {
      narrow_.resize(size + kMomentLanes);
      for (std::size_t i = 0; i < size; ++i) narrow_[i] = classes_.narrow[stored_.place(i)];
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
      place_(matrix.n_rows, std::numeric_limits<std::uint32_t>::max()),
      segment_(n_used_),
      minimum_(matrix.n_features),
      maximum_(matrix.n_features),
      kept_constant_(matrix.n_features * layout_.n_replicates()) {
  if (layout_.order().empty()) {
    std::iota(place_.begin(), place_.end(), 0u);
  } else {
    for (std::uint32_t i = 0; i < n_used_; ++i) place_[layout_.order()[i]] = i;
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
  for_stored(feature, [&](std::size_t place, std::size_t, double value) { dense[place] = value; });
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
    places_.resize(size());
    next_.assign(segments_.begin(), segments_.end());
    table_.for_stored(feature, [&](std::size_t place, std::size_t segment, double value) {
      const std::size_t at = next_[segment]++;
      values_[at] = value;
      places_[at] = static_cast<std::uint32_t>(place);
    });
    values = values_.data();
  }
  if (weights != nullptr) {
    weights_.resize(size());
    for (std::size_t i = 0; i < size(); ++i) weights_[i] = weights[place(i)];
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
                                         std::size_t n_threads, Interrupt& interrupt) {
  const std::vector<double> values = table.layout().arrange(target);
  const bool centred = kind != NumericKind::cosine;
  const ColumnMoments moments = moments_of(values, centred, table.layout());
  const ColumnMoments uncentred = centred ? ColumnMoments{} : table.uncentred();
  const DenseReference reference(table, values, moments, 0);
  std::vector<double> out(table.n_features() * table.n_replicates());
  for_features(table.n_features(), table.mean_size(), n_threads, interrupt, [&](std::size_t begin, std::size_t end) {
    SparseAssociation association(table, kind, centred ? table.centred() : uncentred, reference);
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

void SparsePairMeasure::values(std::uint32_t reference, std::span<const std::uint32_t> features,
                               std::span<double> out) {
  const std::vector<double> dense = table_.dense_column(reference);
  const ColumnMoments& moments = kind_ == NumericKind::cosine ? uncentred_ : table_.centred();
  const DenseReference prepared(table_, dense, moments, reference);
  parallel_for(features.size(), kFeaturesPerTask, n_threads_, [&](std::size_t begin, std::size_t end) {
    SparseAssociation association(table_, kind_, moments, prepared);
    for (std::size_t i = begin; i < end; ++i) association(features[i], out.data() + i * n_replicates());
  });
}

}  // namespace thresher
