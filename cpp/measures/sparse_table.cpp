#include "measures/sparse_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "core/feature_loop.hpp"
#include "core/parallel.hpp"
#include "measures/association.hpp"
#include "measures/referee.hpp"
#include "moments/class_layout.hpp"

namespace thresher {
namespace {

constexpr std::size_t kFeaturesPerTask = 64;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Sums of two doubles each; the high words are multiples of 2^-53 of the split, and add up without error.
struct SplitSums {
  std::vector<double> hi, lo;

  explicit SplitSums(std::size_t size) : hi(size), lo(size) {}
  void clear() {
    std::fill(hi.begin(), hi.end(), 0.0);
    std::fill(lo.begin(), lo.end(), 0.0);
  }
  void add(std::size_t at, double value, double weight, double split) {
    if (weight != 1.0) {
      const DoubleDouble product = two_product(value, weight);
      value = product.hi;
      lo[at] += product.lo;
    }
    const double high = (split + value) - split;
    hi[at] += high;
    lo[at] += value - high;
  }
};

// Sums in double-double, rounded at the end.
void add_to(DoubleDouble& sum, double value) {
  const DoubleDouble added = two_sum(sum.hi, value);
  sum = {added.hi, sum.lo + added.lo};
}

void keep(const SegmentLayout& layout, const std::vector<DoubleDouble>& sums, std::vector<double>& rounded,
          double* kept) {
  for (std::size_t s = 0; s < sums.size(); ++s) rounded[s] = sums[s].hi + sums[s].lo;
  layout.sets().sum(rounded.data(), 1, kept, 1);
}

// A column against which sparse ones are measured: weight times its distance from the centre, row by row.
struct DenseReference {
  std::vector<double> weighted;
  Reference moments;

  DenseReference(const SparseTable& table, std::span<const double> column, const ColumnMoments& from, std::size_t index)
      : weighted(column.size()),
        moments(reference_at(NumericColumn{nullptr, column.data()}, from, index, table.n_replicates())) {
    for (std::size_t i = 0; i < column.size(); ++i) weighted[i] = table.weight(i) * (column[i] - moments.centre);
  }
};

// The values of one column and the reference on every replicate.
class SparseAssociation {
 public:
  SparseAssociation(const SparseTable& table, NumericKind kind, const DenseReference& reference)
      : table_(table),
        kind_(kind),
        reference_(reference),
        moments_(table.moments(kind != NumericKind::cosine)),
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
                          moments_.error[at + r], other.kept_sum[r], other.norm[r], other.error[r]);
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

// The measure of one column with the classes on every replicate.
class SparseClasses {
 public:
  SparseClasses(const SparseTable& table, ClassKind kind, const ClassLayout& classes)
      : table_(table),
        kind_(kind),
        classes_(classes),
        sums_(table.layout().n_segments() * classes.n_classes),
        kept_(table.n_replicates() * classes.n_classes),
        parts_(classes.n_classes) {}

  void operator()(std::size_t feature, double* out) {
    const SegmentLayout& layout = table_.layout();
    const std::size_t n_classes = classes_.n_classes;
    const double split = table_.split(feature);
    sums_.clear();
    table_.for_stored(feature, [&](std::size_t place, std::size_t segment, double value) {
      const std::size_t at = segment * n_classes + static_cast<std::size_t>(classes_.labels[place]);
      sums_.add(at, value, table_.weight(place), split);
    });
    for (std::size_t c = 0; c < n_classes; ++c) {
      layout.sets().sum(sums_.hi.data() + c, n_classes, kept_.hi.data() + c, n_classes);
      layout.sets().sum(sums_.lo.data() + c, n_classes, kept_.lo.data() + c, n_classes);
    }
    for (std::size_t r = 0; r < table_.n_replicates(); ++r) {
      out[r] = 0.0;
      if (table_.kept_constant()[feature * table_.n_replicates() + r] != 0) continue;
      out[r] = value(feature, r);
      if (!std::isnan(out[r])) continue;
      const std::vector<double> dense = table_.dense_column(feature);
      out[r] = class_sums({nullptr, dense.data()}, classes_.labels.data(), n_classes, layout, r).value(kind_);
    }
  }

 private:
  double value(std::size_t feature, std::size_t replicate) {
    const std::size_t at = feature * table_.n_replicates() + replicate;
    const ColumnMoments& moments = table_.moments(true);
    if (kind_ == ClassKind::fir || !std::isfinite(moments.error[at])) return kNaN;
    if (!table_.layout().has_whole_weights()) return kNaN;  // their sums are off themselves
    const double n = table_.layout().kept_rows()[replicate];
    const double mean = moments.kept_sum[at] / n;
    const std::size_t first = replicate * classes_.n_classes;
    for (std::size_t c = 0; c < classes_.n_classes; ++c) {
      const double rows = classes_.kept_rows[first + c];
      parts_[c] = {rows, std::fma(-rows, mean, kept_.hi[first + c]) + kept_.lo[first + c], 0.0};
    }
    // The error of the squares about the mean is that of those about 0.
    const std::span<const ClassPart<double>> parts = parts_;
    return sure_class_value(kind_, parts, moments.norm[at] * moments.norm[at], 2.0 * moments.error[at] / kUnit + 8.0,
                            table_.sum_error(feature));
  }

  const SparseTable& table_;
  ClassKind kind_;
  const ClassLayout& classes_;
  SplitSums sums_;
  SplitSums kept_;
  std::vector<ClassPart<double>> parts_;
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
  uncentred_.resize(n_features(), n_replicates());
  for (std::size_t feature = 0; feature < n_features(); ++feature) read_column(feature);
}

std::vector<double> SparseTable::dense_column(std::size_t feature) const {
  std::vector<double> dense(n_used_);
  for_stored(feature, [&](std::size_t place, std::size_t, double value) { dense[place] = value; });
  return dense;
}

double SparseTable::sum_error(std::size_t feature) const {
  const auto stored = static_cast<double>(matrix_.starts[feature + 1] - matrix_.starts[feature]);
  return (stored + 20.0) * (stored + 1.0) * split(feature) * 0x1p-106;
}

void SparseTable::read_column(std::size_t feature) {
  const std::size_t n_segments = layout_.n_segments();
  const auto segments = layout_.segments();
  std::vector<double> low(n_segments, kInfinity), high(n_segments, -kInfinity), rounded(n_segments);
  std::vector<std::size_t> stored(n_segments);
  for_stored(feature, [&](std::size_t, std::size_t segment, double value) {
    low[segment] = std::min(low[segment], value);
    high[segment] = std::max(high[segment], value);
    ++stored[segment];
  });
  for (std::size_t s = 0; s < n_segments; ++s) {
    if (stored[s] == segments[s + 1] - segments[s]) continue;
    low[s] = std::min(low[s], 0.0);
    high[s] = std::max(high[s], 0.0);
  }
  minimum_[feature] = *std::min_element(low.begin(), low.end());
  maximum_[feature] = *std::max_element(high.begin(), high.end());
  const std::size_t at = feature * n_replicates();
  layout_.sets().find_constant(low.data(), high.data(), kept_constant_.data() + at);

  SplitSums sums(n_segments);
  std::vector<DoubleDouble> squares(n_segments);
  const double border = split(feature);
  for_stored(feature, [&](std::size_t place, std::size_t segment, double value) {
    sums.add(segment, value, weight(place), border);
    add_to(squares[segment], value * value * weight(place));
  });
  double* kept_sum = centred_.kept_sum.data() + at;
  double* square = centred_.norm.data() + at;
  double* rest = centred_.error.data() + at;
  layout_.sets().sum(sums.hi.data(), 1, kept_sum, 1);
  layout_.sets().sum(sums.lo.data(), 1, rest, 1);
  keep(layout_, squares, rounded, square);
  const bool extreme = is_extreme(minimum_[feature], maximum_[feature]);
  for (std::size_t r = 0; r < n_replicates(); ++r) {
    const double sum = kept_sum[r] + rest[r];
    set_moments(uncentred_, at + r, {sum, square[r], square[r], extreme}, units());
    if (minimum_[feature] == 0.0 && maximum_[feature] == 0.0) set_undefined(uncentred_, at + r);
    set_moments(centred_, at + r, {sum, square[r], square[r] - sum * (sum / layout_.kept_rows()[r]), extreme}, units());
    if (kept_constant_[at + r] != 0) set_undefined(centred_, at + r);
  }
}

std::vector<double> relevance_of_numbers(const SparseTable& table, NumericKind kind, std::span<const double> target,
                                         std::size_t n_threads, Interrupt& interrupt) {
  const std::vector<double> values = table.layout().arrange(target);
  const ColumnMoments moments = moments_of(values, kind != NumericKind::cosine, table.layout());
  const DenseReference reference(table, values, moments, 0);
  std::vector<double> out(table.n_features() * table.n_replicates());
  for_features(table.n_features(), table.mean_size(), n_threads, interrupt, [&](std::size_t begin, std::size_t end) {
    SparseAssociation association(table, kind, reference);
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
  std::vector<double> out(table.n_features() * table.n_replicates());
  for_features(table.n_features(), table.mean_size(), n_threads, interrupt, [&](std::size_t begin, std::size_t end) {
    SparseClasses values(table, kind, layout);
    for (std::size_t feature = begin; feature < end; ++feature) {
      values(feature, out.data() + feature * table.n_replicates());
    }
  });
  return out;
}

void SparsePairMeasure::values(std::uint32_t reference, std::span<const std::uint32_t> features,
                               std::span<double> out) {
  const std::vector<double> dense = table_.dense_column(reference);
  const DenseReference prepared(table_, dense, table_.moments(kind_ != NumericKind::cosine), reference);
  parallel_for(features.size(), kFeaturesPerTask, n_threads_, [&](std::size_t begin, std::size_t end) {
    SparseAssociation association(table_, kind_, prepared);
    for (std::size_t i = begin; i < end; ++i) association(features[i], out.data() + i * n_replicates());
  });
}

}  // namespace thresher
