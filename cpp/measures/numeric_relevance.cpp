#include "measures/numeric_relevance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/feature_loop.hpp"
#include "measures/association.hpp"
#include "measures/range.hpp"
#include "measures/referee.hpp"
#include "moments/class_layout.hpp"
#include "moments/moment_kernels.hpp"
#include "moments/moment_request.hpp"

namespace thresher {
namespace {

// The measure of one feature after the other. Keeps its memory; one per thread.
class ClassColumn {
 public:
  ClassColumn(const NumericTable& table, ClassKind kind, const ClassLayout& classes)
      : table_(table),
        layout_(table.layout()),
        kind_(kind),
        classes_(classes),
        lanes_(classes.n_classes * kSplitLanes),
        totals_(classes.n_classes),
        sums_(layout_.n_segments() * classes.n_classes),
        rests_(sums_.size()),
        kept_(layout_.n_replicates() * classes.n_classes),
        kept_rests_(kept_.size()),
        squares_(layout_.n_segments()),
        parts_(classes.n_classes),
        exact_parts_(classes.n_classes) {}

  void operator()(std::size_t feature, double* out) {
    const bool from_sums = !table_.pairwise() && kind_ != ClassKind::fir;
    split_ = table_.split(feature);
    sum_error_ = (longest_ / kMomentLanes + 20.0) * static_cast<double>(layout_.n_rows()) * split_ * 0x1p-106;
    if (from_sums) read_sums(feature);
    has_squares_ = false;
    const std::size_t at = feature * layout_.n_replicates();
    for (std::size_t r = 0; r < layout_.n_replicates(); ++r) {
      out[r] = 0.0;
      if (table_.kept_constant()[at + r] != 0) continue;
      // Sums of real weights are off themselves.
      const bool sums_are_sure = from_sums && layout_.has_whole_weights();
      out[r] = sums_are_sure ? value(feature, r) : kNaN;
      if (sums_are_sure && std::isnan(out[r])) out[r] = exact_value(feature, r);
      if (!std::isnan(out[r])) continue;
      out[r] = class_sums(table_.column(feature), classes_.labels.data(), classes_.n_classes, layout_, r).value(kind_);
    }
  }

 private:
  // Sums of every class but the last and of all rows, kept by every replicate.
  void read_sums(std::size_t feature) {
    const std::size_t n_classes = classes_.n_classes;
    const auto segments = layout_.segments();
    visit_type(table_.column(feature), [&](const auto* x) {
      for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
        const std::size_t begin = segments[s];
        std::fill(lanes_.begin(), lanes_.end(), 0.0);
        typed(kernels_, x)
            .class_sums(x + begin, layout_.weights() == nullptr ? nullptr : layout_.weights() + begin,
                        classes_.codes(begin), segments[s + 1] - begin, split_, lanes_.data());
        kernels_.split_totals(lanes_.data(), n_classes, totals_.data());
        for (std::size_t c = 0; c < n_classes; ++c) {
          sums_[s * n_classes + c] = totals_[c].hi;
          rests_[s * n_classes + c] = totals_[c].lo;
        }
      }
    });
    for (std::size_t c = 0; c < n_classes; ++c) {
      layout_.sets().sum(sums_.data() + c, n_classes, kept_.data() + c, n_classes);
      layout_.sets().sum(rests_.data() + c, n_classes, kept_rests_.data() + c, n_classes);
    }
  }

  double value(std::size_t feature, std::size_t replicate) {
    const ColumnMoments& moments = table_.centred();
    const std::size_t at = feature * layout_.n_replicates() + replicate;
    if (!std::isfinite(moments.error[at])) return kNaN;
    const double centre = table_.mean()[feature];
    set_parts(replicate, parts_,
              [&](double n, std::size_t slot) { return std::fma(-n, centre, kept_[slot]) + kept_rests_[slot]; });
    const double n = layout_.kept_rows()[replicate];
    const double squares = moments.norm[at] * moments.norm[at] + moments.kept_sum[at] * (moments.kept_sum[at] / n);
    return sure_class_value<double>(kind_, parts_, squares, table_.units() + 4.0, sum_error_);
  }

  // The same in double-double, the squares read anew.
  double exact_value(std::size_t feature, std::size_t replicate) {
    const Range range{table_.minimum()[feature], table_.maximum()[feature]};
    if (range.scale() != 0) return kNaN;
    const double centre = range.centre(table_.mean()[feature]);
    const auto column = static_cast<std::uint32_t>(feature);
    for (std::size_t s = 0; !has_squares_ && s < layout_.n_segments(); ++s) {
      squares_[s] = segment_products(table_, column, column, s, centre, centre);
    }
    has_squares_ = true;
    DoubleDouble squares;
    for (std::size_t s = 0; s < layout_.n_segments(); ++s) {
      if (layout_.sets().keeps(replicate, s)) squares += squares_[s];
    }
    set_parts(replicate, exact_parts_, [&](double n, std::size_t slot) {
      return two_sum(kept_[slot], kept_rests_[slot]) - two_product(n, centre);
    });
    // A low word of n terms, each at most 2^-53 of the sum so far.
    const double n_rows = static_cast<double>(layout_.n_rows());
    const double units = n_rows * n_rows * 0x1p-106 / kRounding<DoubleDouble> + 4.0;
    return sure_class_value<DoubleDouble>(kind_, exact_parts_, squares, units, sum_error_);
  }

  // Of every class: the last is what the others leave of all rows. sum(rows, slot): of a slot of the sums.
  template <class Number, class Sum>
  void set_parts(std::size_t replicate, std::vector<ClassPart<Number>>& parts, Sum&& sum) {
    const std::size_t first = replicate * classes_.n_classes;
    const std::size_t last = classes_.n_classes - 1;
    Number rest = sum(layout_.kept_rows()[replicate], first + last);
    for (std::size_t c = 0; c < last; ++c) {
      const double n = classes_.kept_rows[first + c];
      parts[c] = {n, sum(n, first + c), 0.0};
      rest = rest - parts[c].sum;
    }
    parts[last] = {classes_.kept_rows[first + last], rest, 0.0};
  }

  const NumericTable& table_;
  const SegmentLayout& layout_;
  const ClassKind kind_;
  const ClassLayout& classes_;
  const MomentKernels& kernels_ = THRESHER_DISPATCH(moment_kernels);
  std::vector<double> lanes_;
  const double longest_ = static_cast<double>(layout_.longest_segment());
  double split_ = 1.0;
  // What a sum of a class may be off by.
  double sum_error_ = 0.0;
  std::vector<SplitSum> totals_;
  std::vector<double> sums_, rests_, kept_, kept_rests_;
  std::vector<DoubleDouble> squares_;
  bool has_squares_ = false;
  std::vector<ClassPart<double>> parts_;
  std::vector<ClassPart<DoubleDouble>> exact_parts_;
};

}  // namespace

std::vector<double> relevance_of_classes(const NumericTable& table, ClassKind kind,
                                         std::span<const std::int32_t> classes, std::size_t n_classes,
                                         std::size_t n_threads, Interrupt& interrupt) {
  const ClassLayout layout(table.layout(), classes, n_classes);
  std::vector<double> out(table.n_features() * table.n_replicates());
  for_features(table.n_features(), table.n_rows(), n_threads, interrupt, [&](std::size_t begin, std::size_t end) {
    ClassColumn column(table, kind, layout);
    for (std::size_t feature = begin; feature < end; ++feature) {
      column(feature, out.data() + feature * table.n_replicates());
    }
  });
  return out;
}

std::vector<double> relevance_of_numbers(const NumericTable& table, NumericKind kind, std::span<const double> target,
                                         std::size_t n_threads, Interrupt& interrupt) {
  const bool centred = kind != NumericKind::cosine;
  const std::size_t n_replicates = table.n_replicates();
  const std::vector<double> values = table.layout().arrange(target);
  const ColumnMoments target_column = moments_of(values, centred, table.layout());
  const ColumnMoments uncentred = centred ? ColumnMoments{} : table.uncentred();
  const Reference reference = reference_at(NumericColumn{nullptr, values.data()}, target_column, 0, n_replicates);
  std::vector<std::uint32_t> features(table.n_features());
  std::iota(features.begin(), features.end(), 0u);
  std::vector<double> out(table.n_features() * n_replicates);
  const std::size_t round = round_of_features(table.n_rows(), n_threads);
  for (std::size_t start = 0; start < features.size(); start += round) {
    interrupt.check();
    const std::size_t count = std::min(round, features.size() - start);
    associate(table, centred ? table.centred() : uncentred, reference, kind,
              std::span<const std::uint32_t>(features).subspan(start, count), n_threads,
              std::span<double>(out).subspan(start * n_replicates, count * n_replicates));
  }
  return out;
}

}  // namespace thresher
