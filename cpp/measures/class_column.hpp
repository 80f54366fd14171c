// The measure of one feature after the other with classes, from exact sums of the classes.
#pragma once

#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "core/feature_loop.hpp"
#include "measures/exact_fallback.hpp"
#include "measures/numeric_values.hpp"
#include "measures/range.hpp"
#include "moments/class_layout.hpp"
#include "moments/column_moments.hpp"
#include "moments/moment_kernels.hpp"

namespace thresher {

// `Source`: where a column comes from, with the classes of its rows; it may leave out rows that are zero. Keeps its
// memory; one per thread.
template <class Source>
class ClassColumn {
 public:
  ClassColumn(Source source, ClassKind kind, const ClassLayout& classes)
      : source_(std::move(source)),
        layout_(source_.table().layout()),
        kind_(kind),
        classes_(classes),
        lanes_(classes.n_classes * kSplitLanes),
        totals_(classes.n_classes),
        sums_(layout_.n_segments() * 2 * classes.n_classes),
        kept_(layout_.n_replicates() * 2 * classes.n_classes),
        squares_(layout_.n_segments()),
        parts_(classes.n_classes),
        exact_parts_(classes.n_classes) {}

  void operator()(std::size_t feature, double* out) {
    // Sums of real weights are off themselves.
    const bool has_sums = source_.has_sums() && kind_ != ClassKind::fir && layout_.has_whole_weights();
    split_ = source_.table().split(feature);
    sum_error_ = (longest_ / kMomentLanes + 20.0) * static_cast<double>(layout_.n_rows()) * split_ * 0x1p-106;
    if (has_sums) read_sums(feature);
    has_squares_ = false;
    const std::size_t at = feature * layout_.n_replicates();
    for (std::size_t r = 0; r < layout_.n_replicates(); ++r) {
      out[r] = 0.0;
      if (source_.table().kept_constant()[at + r] != 0) continue;
      out[r] = has_sums ? value(feature, r) : kNaN;
      if (has_sums && std::isnan(out[r])) out[r] = exact_value(feature, r);
      if (!std::isnan(out[r])) continue;
      out[r] =
          class_sums(source_.all_rows(feature), classes_.labels.data(), classes_.n_classes, layout_, r).value(kind_);
    }
  }

 private:
  // Sums of every class but the last and of all rows, kept by every replicate.
  void read_sums(std::size_t feature) {
    const MomentKernels& kernels = THRESHER_DISPATCH(moment_kernels);
    const std::size_t n_classes = classes_.n_classes;
    const ColumnRows rows = source_.rows(feature);
    const bool is_whole = layout_.is_whole();
    std::vector<double>& sums = is_whole ? kept_ : sums_;
    rows.for_segments([&](const auto* x, const double* weights, std::size_t count, std::size_t s) {
      typed(kernels, x)
          .class_sums(x, weights, source_.codes(rows.segments[s]), count, split_, lanes_.data(), totals_.data());
      for (std::size_t c = 0; c < n_classes; ++c) {
        sums[s * 2 * n_classes + c] = totals_[c].hi;
        sums[(s * 2 + 1) * n_classes + c] = totals_[c].lo;
      }
    });
    if (!is_whole) layout_.sets().sum_each(sums_.data(), 2 * n_classes, 2 * n_classes, kept_.data(), 2 * n_classes, 1);
  }

  double value(std::size_t feature, std::size_t replicate) {
    const ColumnMoments& moments = source_.moments();
    const std::size_t at = feature * layout_.n_replicates() + replicate;
    if (!std::isfinite(moments.error[at])) return kNaN;
    const double centre = source_.centre(feature, replicate);
    set_parts(replicate, parts_, [&](double n, const SplitSum& sum) { return std::fma(-n, centre, sum.hi) + sum.lo; });
    // About that centre, near the mean. The moments are about another: the rounding of their distance weighs nothing,
    // as their sums about this one are small.
    const double n = layout_.kept_rows()[replicate];
    const double off = std::fma(-n, centre - moments.centre[feature], moments.kept_sum[at]);
    const double squares = moments.norm[at] * moments.norm[at] + off * (off / n);
    return sure_class_value<double>(kind_, parts_, squares, 2.0 * moments.error[at] / kUnit + 6.0, sum_error_);
  }

  // Returns the same in double-double, with the squares read again.
  double exact_value(std::size_t feature, std::size_t replicate) {
    if (Range{source_.table().minimum()[feature], source_.table().maximum()[feature]}.scale() != 0) return kNaN;
    const double centre = source_.exact_centre(feature);
    if (!has_squares_) {
      const ExactKernels& kernels = THRESHER_DISPATCH(exact_kernels);
      source_.rows(feature).for_segments([&](const auto* x, const double* weights, std::size_t count, std::size_t s) {
        squares_[s] = typed(kernels, x, x).products(x, x, weights, count, centre, centre);
      });
      has_squares_ = true;
    }
    DoubleDouble squares;
    for (std::size_t s = 0; s < layout_.n_segments(); ++s) {
      if (layout_.sets().keeps(replicate, s)) squares += squares_[s];
    }
    set_parts(replicate, exact_parts_,
              [&](double n, const SplitSum& sum) { return two_sum(sum.hi, sum.lo) - two_product(n, centre); });
    // A low word of n terms, each at most 2^-53 of the sum before it.
    const double n_rows = static_cast<double>(layout_.n_rows());
    const double units = n_rows * n_rows * 0x1p-106 / kRounding<DoubleDouble> + 4.0;
    return sure_class_value<DoubleDouble>(kind_, exact_parts_, squares, units, sum_error_);
  }

  // Of every class: the last is what the others leave of all rows. about(rows, sum): a sum about the centre.
  template <class Number, class About>
  void set_parts(std::size_t replicate, std::vector<ClassPart<Number>>& parts, About&& about) {
    const std::size_t n_classes = classes_.n_classes;
    const double* sums = kept_.data() + replicate * 2 * n_classes;
    const double* rows = classes_.kept_rows.data() + replicate * n_classes;
    const std::size_t last = n_classes - 1;
    Number rest = about(layout_.kept_rows()[replicate], SplitSum{sums[last], sums[n_classes + last]});
    for (std::size_t c = 0; c < last; ++c) {
      parts[c] = {rows[c], about(rows[c], SplitSum{sums[c], sums[n_classes + c]}), 0.0};
      rest = rest - parts[c].sum;
    }
    parts[last] = {rows[last], rest, 0.0};
  }

  Source source_;
  const SegmentLayout& layout_;
  const ClassKind kind_;
  const ClassLayout& classes_;
  std::vector<double> lanes_;
  const double longest_ = static_cast<double>(layout_.longest_segment());
  double split_ = 1.0;
  // The error bound of a sum of a class.
  double sum_error_ = 0.0;
  std::vector<SplitSum> totals_;
  std::vector<double> sums_, kept_;  // of a segment or replicate the high words of all classes, then the low words
  std::vector<DoubleDouble> squares_;
  bool has_squares_ = false;
  std::vector<ClassPart<double>> parts_;
  std::vector<ClassPart<DoubleDouble>> exact_parts_;
};

// Returns the values of all features, [feature * n_replicates + replicate]. make_source() for each range of features.
template <class Table, class MakeSource>
std::vector<double> values_of_classes(const Table& table, ClassKind kind, const ClassLayout& classes, std::size_t work,
                                      std::size_t n_threads, Interrupt& interrupt, MakeSource&& make_source) {
  std::vector<double> out(table.n_features() * table.n_replicates());
  for_features(table.n_features(), work, n_threads, interrupt, [&](std::size_t begin, std::size_t end) {
    ClassColumn column(make_source(), kind, classes);
    for (std::size_t feature = begin; feature < end; ++feature) {
      column(feature, out.data() + feature * table.n_replicates());
    }
  });
  return out;
}

}  // namespace thresher
