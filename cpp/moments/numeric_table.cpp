#include "moments/numeric_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>

#include "moments/association.hpp"
#include "moments/feature_loop.hpp"
#include "moments/moment_kernels.hpp"
#include "moments/two_pass.hpp"

namespace thresher {
namespace {

// A replicate that keeps less than this share of the sum of squares about the common centre is measured from the
// rows: its sums would have lost too many digits.
constexpr double kSafeShare = 1e-3;
// Ranges outside these leave squares and their sums without room.
constexpr double kLargeRange = 1e140;
constexpr double kSmallRange = 1e-140;

bool extreme(double low, double high) {
  const double magnitude = std::max(std::fabs(low), std::fabs(high));
  const double range = high - low;
  return magnitude > kLargeRange || (range > 0.0 && range < kSmallRange) ||
         (magnitude > 0.0 && magnitude < kSmallRange);
}

// Scratch of one column; reused over the columns of a thread.
struct Scratch {
  std::vector<double> sums;
  std::vector<double> squares;
  std::vector<double> low;
  std::vector<double> high;

  explicit Scratch(std::size_t n_segments)
      : sums(n_segments), squares(n_segments), low(n_segments), high(n_segments) {}
};

template <class T>
void segment_ranges(const MomentKernels& kernels, const T* x, const SegmentLayout& layout, Scratch& scratch) {
  const auto segments = layout.segments();
  const double* weights = layout.weights();
  for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
    const std::size_t begin = segments[s];
    const std::size_t count = segments[s + 1] - begin;
    if (count == 0) {
      scratch.low[s] = std::numeric_limits<double>::infinity();
      scratch.high[s] = -scratch.low[s];
      scratch.sums[s] = 0.0;
      continue;
    }
    const RangeSum range =
        typed(kernels, x).range_sum(x + begin, weights == nullptr ? nullptr : weights + begin, count);
    scratch.low[s] = range.minimum;
    scratch.high[s] = range.maximum;
    scratch.sums[s] = range.sum;
  }
}

// Fills the moments at `feature` about moments.centre[feature]; `low`, `high` is the column's range.
template <class T>
void segment_moments(const MomentKernels& kernels, const T* x, const SegmentLayout& layout, bool centred, double low,
                     double high, std::size_t feature, Scratch& scratch, ColumnMoments& moments) {
  const auto segments = layout.segments();
  const double* weights = layout.weights();
  const double centre = moments.centre[feature];
  for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
    const std::size_t begin = segments[s];
    const CentredSums sums = typed(kernels, x).centred_sums(
        x + begin, weights == nullptr ? nullptr : weights + begin, segments[s + 1] - begin, centre);
    scratch.sums[s] = sums.sum;
    scratch.squares[s] = sums.squares;
  }
  const std::size_t n_replicates = layout.n_replicates();
  const std::size_t at = feature * n_replicates;
  layout.leave_out(scratch.sums.data(), 1, moments.kept_sum.data() + at, 1);
  layout.leave_out(scratch.squares.data(), 1, moments.norm.data() + at, 1);
  const auto kept_rows = layout.kept_rows();
  const bool is_extreme = extreme(low, high);
  for (std::size_t r = 0; r < n_replicates; ++r) {
    const double sum = moments.kept_sum[at + r];
    const double squares = moments.norm[at + r];
    const double scatter = centred ? squares - sum * (sum / kept_rows[r]) : squares;
    moments.norm[at + r] = scatter > 0.0 ? std::sqrt(scatter) : 0.0;
    moments.unsafe[at + r] = is_extreme || (centred && !(scatter >= kSafeShare * squares));
  }
}

void set_undefined(ColumnMoments& moments, std::size_t at) {
  moments.norm[at] = 0.0;
  moments.kept_sum[at] = 0.0;
  moments.unsafe[at] = 0;
}

// kept[r] = whether the replicate keeps one distinct value only.
void kept_constants(const SegmentLayout& layout, const Scratch& scratch, std::uint8_t* kept) {
  const std::size_t n = layout.n_segments();
  if (!layout.has_parts()) {
    kept[0] = !(scratch.low[0] < scratch.high[0]);
    return;
  }
  std::vector<double> low_after(n + 1, std::numeric_limits<double>::infinity());
  std::vector<double> high_after(n + 1, -std::numeric_limits<double>::infinity());
  for (std::size_t s = n; s-- > 0;) {
    low_after[s] = std::min(low_after[s + 1], scratch.low[s]);
    high_after[s] = std::max(high_after[s + 1], scratch.high[s]);
  }
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (std::size_t s = 0; s < n; ++s) {
    kept[s] = !(std::min(low, low_after[s + 1]) < std::max(high, high_after[s + 1]));
    low = std::min(low, scratch.low[s]);
    high = std::max(high, scratch.high[s]);
  }
}

double whole_sum(std::span<const double> values) { return std::accumulate(values.begin(), values.end(), 0.0); }

double total_rows(const SegmentLayout& layout) {
  const double* weights = layout.weights();
  if (weights == nullptr) return static_cast<double>(layout.n_rows());
  return std::accumulate(weights, weights + layout.n_rows(), 0.0);
}

}  // namespace

void ColumnMoments::resize(std::size_t n_features, std::size_t n_replicates) {
  centre.resize(n_features);
  kept_sum.resize(n_features * n_replicates);
  norm.resize(n_features * n_replicates);
  unsafe.resize(n_features * n_replicates);
}

NumericTable::NumericTable(NumericMatrix matrix, const NumericOptions& options, Interrupt& interrupt)
    : matrix_(matrix),
      n_given_rows_(matrix.n_rows),
      pairwise_(options.pairwise),
      layout_(matrix.n_rows, options.parts, options.weights) {
  arrange(options.n_threads);
  const std::size_t n_replicates = layout_.n_replicates();
  if (n_replicates != 0 && n_features() > std::numeric_limits<std::size_t>::max() / 8 / n_replicates) {
    throw std::invalid_argument("too many features times parts");
  }
  mean_.resize(n_features());
  minimum_.resize(n_features());
  maximum_.resize(n_features());
  kept_constant_.resize(n_features() * n_replicates);
  centred_.resize(n_features(), n_replicates);
  for_features(n_features(), 2 * n_rows(), options.n_threads, interrupt, [&](std::size_t begin, std::size_t end) {
    for (std::size_t feature = begin; feature < end; ++feature) {
      pairwise_ ? read_column_with_missing(feature) : read_column(feature);
    }
  });
}

void NumericTable::arrange(std::size_t n_threads) {
  const auto order = layout_.order();
  if (order.empty()) return;
  const std::size_t size = matrix_.float32 != nullptr ? sizeof(float) : sizeof(double);
  arranged_.reset(new unsigned char[matrix_.n_features * order.size() * size]);
  visit_type(matrix_, [&](const auto* base) {
    using T = std::remove_cv_t<std::remove_pointer_t<decltype(base)>>;
    T* out = reinterpret_cast<T*>(arranged_.get());
    const std::size_t grain = std::max<std::size_t>((std::size_t{1} << 16) / order.size(), 1);
    parallel_for(matrix_.n_features, grain, n_threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t feature = begin; feature < end; ++feature) {
        const T* from = base + feature * matrix_.n_rows;
        T* to = out + feature * order.size();
        for (std::size_t i = 0; i < order.size(); ++i) to[i] = from[order[i]];
      }
    });
    (matrix_.float32 != nullptr) ? void(matrix_.float32 = reinterpret_cast<const float*>(out))
                                 : void(matrix_.float64 = reinterpret_cast<const double*>(out));
  });
  matrix_.n_rows = order.size();
}

void NumericTable::read_column(std::size_t feature) {
  const MomentKernels& kernels = THRESHER_DISPATCH(moment_kernels);
  Scratch scratch(layout_.n_segments());
  visit_type(column(feature), [&](const auto* x) {
    segment_ranges(kernels, x, layout_, scratch);
    minimum_[feature] = *std::min_element(scratch.low.begin(), scratch.low.end());
    maximum_[feature] = *std::max_element(scratch.high.begin(), scratch.high.end());
    // The mean of a constant column is that constant: a computed one may be off by a rounding.
    mean_[feature] = constant(feature) ? minimum_[feature] : whole_sum(scratch.sums) / total_rows(layout_);
    const std::size_t n_replicates = layout_.n_replicates();
    std::uint8_t* kept = kept_constant_.data() + feature * n_replicates;
    kept_constants(layout_, scratch, kept);
    centred_.centre[feature] = mean_[feature];
    segment_moments(kernels, x, layout_, true, minimum_[feature], maximum_[feature], feature, scratch, centred_);
    for (std::size_t r = 0; r < n_replicates; ++r) {
      if (kept[r] != 0) set_undefined(centred_, feature * n_replicates + r);
    }
  });
}

void NumericTable::read_column_with_missing(std::size_t feature) {
  Scratch scratch(layout_.n_segments());
  visit_type(column(feature), [&](const auto* x) {
    const auto segments = layout_.segments();
    const double* weights = layout_.weights();
    double sum = 0.0;
    double rows = 0.0;
    for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
      scratch.low[s] = std::numeric_limits<double>::infinity();
      scratch.high[s] = -scratch.low[s];
      for (std::size_t row = segments[s]; row < segments[s + 1]; ++row) {
        const double value = static_cast<double>(x[row]);
        if (std::isnan(value)) continue;
        const double weight = weights == nullptr ? 1.0 : weights[row];
        scratch.low[s] = std::min(scratch.low[s], value);
        scratch.high[s] = std::max(scratch.high[s], value);
        sum += value * weight;
        rows += weight;
      }
    }
    const bool any = rows > 0.0;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    minimum_[feature] = any ? *std::min_element(scratch.low.begin(), scratch.low.end()) : nan;
    maximum_[feature] = any ? *std::max_element(scratch.high.begin(), scratch.high.end()) : nan;
    mean_[feature] = any && constant(feature) ? minimum_[feature] : sum / rows;
    kept_constants(layout_, scratch, kept_constant_.data() + feature * layout_.n_replicates());
  });
}

ColumnMoments NumericTable::uncentred(std::size_t n_threads) const {
  ColumnMoments moments;
  moments.resize(n_features(), n_replicates());
  if (pairwise_) return moments;
  const MomentKernels& kernels = THRESHER_DISPATCH(moment_kernels);
  NeverInterrupt never;
  for_features(n_features(), n_rows(), n_threads, never, [&](std::size_t begin, std::size_t end) {
    Scratch scratch(layout_.n_segments());
    for (std::size_t feature = begin; feature < end; ++feature) {
      visit_type(column(feature), [&](const auto* x) {
        segment_moments(kernels, x, layout_, false, minimum_[feature], maximum_[feature], feature, scratch, moments);
      });
    }
  });
  return moments;
}

ColumnMoments NumericTable::target_moments(std::span<const double> target, bool centred) const {
  const MomentKernels& kernels = THRESHER_DISPATCH(moment_kernels);
  ColumnMoments moments;
  moments.resize(1, n_replicates());
  Scratch scratch(layout_.n_segments());
  segment_ranges(kernels, target.data(), layout_, scratch);
  const double low = *std::min_element(scratch.low.begin(), scratch.low.end());
  const double high = *std::max_element(scratch.high.begin(), scratch.high.end());
  const double mean = low < high ? whole_sum(scratch.sums) / total_rows(layout_) : low;
  std::vector<std::uint8_t> kept(n_replicates());
  kept_constants(layout_, scratch, kept.data());
  moments.centre[0] = centred ? mean : 0.0;
  segment_moments(kernels, target.data(), layout_, centred, low, high, 0, scratch, moments);
  for (std::size_t r = 0; centred && r < kept.size(); ++r) {
    if (kept[r] != 0) set_undefined(moments, r);
  }
  return moments;
}

std::vector<double> NumericTable::relevance_correlation(std::span<const double> target, bool centred,
                                                        std::size_t n_threads, Interrupt& interrupt) const {
  const std::vector<double> values = layout_.arrange(target);
  const ColumnMoments target_column = target_moments(values, centred);
  const ColumnMoments own = centred ? ColumnMoments{} : uncentred(n_threads);
  const Reference reference = reference_at(NumericColumn{nullptr, values.data()}, target_column, 0, n_replicates());
  std::vector<std::uint32_t> features(n_features());
  std::iota(features.begin(), features.end(), 0u);
  std::vector<double> out(n_features() * n_replicates());
  const std::size_t round = std::max<std::size_t>((std::size_t{1} << 25) / n_rows(), 32) * std::max<std::size_t>(n_threads, 1);
  for (std::size_t start = 0; start < n_features(); start += round) {
    interrupt.check();
    const std::size_t count = std::min(round, n_features() - start);
    associate(*this, centred ? centred_ : own, reference, centred, std::span(features).subspan(start, count), n_threads,
              std::span(out).subspan(start * n_replicates(), count * n_replicates()));
  }
  return out;
}

std::vector<double> NumericTable::relevance_f(std::span<const std::int32_t> classes, std::size_t n_classes,
                                              std::size_t n_threads, Interrupt& interrupt) const {
  const MomentKernels& kernels = THRESHER_DISPATCH(moment_kernels);
  const std::vector<std::int32_t> labels = layout_.arrange(classes);
  std::vector<std::uint8_t> narrow;
  if (n_classes <= kFewClasses) narrow.assign(labels.begin(), labels.end());
  const auto segments = layout_.segments();
  const double* weights = layout_.weights();
  const std::size_t n_segments = layout_.n_segments();
  const std::size_t n_reps = n_replicates();
  std::vector<double> rows(n_segments * n_classes, 0.0);
  for (std::size_t s = 0; s < n_segments; ++s) {
    for (std::size_t i = segments[s]; i < segments[s + 1]; ++i) {
      rows[s * n_classes + static_cast<std::size_t>(labels[i])] += weights == nullptr ? 1.0 : weights[i];
    }
  }
  std::vector<double> kept_rows(n_reps * n_classes);
  for (std::size_t c = 0; c < n_classes; ++c) {
    layout_.leave_out(rows.data() + c, n_classes, kept_rows.data() + c, n_classes);
  }
  std::vector<double> out(n_features() * n_reps);
  for_features(n_features(), n_rows(), n_threads, interrupt, [&](std::size_t begin, std::size_t end) {
    std::vector<double> lanes(n_classes * kMomentLanes);
    std::vector<double> sums(n_segments * n_classes);
    std::vector<double> kept(n_reps * n_classes);
    for (std::size_t feature = begin; feature < end; ++feature) {
      const std::size_t at = feature * n_reps;
      if (!pairwise_) {
        visit_type(column(feature), [&](const auto* x) {
          for (std::size_t s = 0; s < n_segments; ++s) {
            std::fill(lanes.begin(), lanes.end(), 0.0);
            const ClassCodes codes{labels.data() + segments[s],
                                   narrow.empty() ? nullptr : narrow.data() + segments[s], n_classes};
            typed(kernels, x).class_sums(x + segments[s], weights == nullptr ? nullptr : weights + segments[s], codes,
                                         segments[s + 1] - segments[s], mean_[feature], lanes.data());
            kernels.totals(lanes.data(), n_classes, sums.data() + s * n_classes);
          }
        });
        for (std::size_t c = 0; c < n_classes; ++c) {
          layout_.leave_out(sums.data() + c, n_classes, kept.data() + c, n_classes);
        }
      }
      for (std::size_t r = 0; r < n_reps; ++r) {
        if (kept_constant_[at + r] != 0) {
          out[at + r] = 0.0;
          continue;
        }
        double explained = 0.0;
        double n = 0.0;
        std::size_t present = 0;
        for (std::size_t c = 0; c < n_classes; ++c) {
          const double count = kept_rows[r * n_classes + c];
          if (count == 0.0) continue;
          ++present;
          n += count;
          explained += kept[r * n_classes + c] * (kept[r * n_classes + c] / count);
        }
        const double scatter = centred_.norm[at + r] * centred_.norm[at + r];
        const double between = explained - centred_.kept_sum[at + r] * (centred_.kept_sum[at + r] / n);
        const double within = scatter - between;
        const bool from_rows = pairwise_ || centred_.unsafe[at + r] != 0 || within < kSafeShare * scatter;
        out[at + r] = from_rows ? two_pass_f(column(feature), labels.data(), n_classes, layout_,
                                             layout_.has_parts() ? r : kAllRows)
                                : f_from_scatter(between, within, n, present);
      }
    }
  });
  return out;
}

}  // namespace thresher
