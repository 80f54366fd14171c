#include "measures/numeric_relevance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/feature_loop.hpp"
#include "measures/association.hpp"
#include "measures/referee.hpp"
#include "moments/class_layout.hpp"
#include "moments/moment_kernels.hpp"

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
        lanes_(classes.n_classes * kTwinLanes),
        split_(classes.n_classes),
        sums_(layout_.n_segments() * classes.n_classes),
        rests_(sums_.size()),
        kept_(layout_.n_replicates() * classes.n_classes),
        kept_rests_(kept_.size()),
        parts_(classes.n_classes) {}

  void operator()(std::size_t feature, double* out) {
    const bool from_sums = !table_.pairwise() && kind_ != ClassKind::fir;
    if (from_sums) read_sums(feature);
    const std::size_t at = feature * layout_.n_replicates();
    for (std::size_t r = 0; r < layout_.n_replicates(); ++r) {
      out[r] = 0.0;
      if (table_.kept_constant()[at + r] != 0) continue;
      out[r] = from_sums ? value(feature, r) : kNaN;
      if (!std::isnan(out[r])) continue;
      out[r] = class_sums(table_.column(feature), classes_.labels.data(), classes_.n_classes, layout_, r).value(kind_);
    }
  }

 private:
  // Sums of every class but the last, kept by every replicate.
  void read_sums(std::size_t feature) {
    const std::size_t n_classes = classes_.n_classes;
    const auto segments = layout_.segments();
    visit_type(table_.column(feature), [&](const auto* x) {
      for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
        const std::size_t begin = segments[s];
        std::fill(lanes_.begin(), lanes_.end(), 0.0);
        typed(kernels_, x)
            .class_sums(x + begin, layout_.weights() == nullptr ? nullptr : layout_.weights() + begin,
                        classes_.codes(begin), segments[s + 1] - begin, table_.split(feature), lanes_.data());
        kernels_.split_totals(lanes_.data(), n_classes, split_.data());
        for (std::size_t c = 0; c < n_classes; ++c) {
          sums_[s * n_classes + c] = split_[c].hi;
          rests_[s * n_classes + c] = split_[c].lo;
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
    // Sums of real weights are off themselves.
    if (!std::isfinite(moments.error[at]) || !layout_.has_whole_weights()) return kNaN;
    const std::size_t first = replicate * classes_.n_classes;
    const double centre = table_.mean()[feature];
    double rest = moments.kept_sum[at];
    for (std::size_t c = 0; c < classes_.n_classes; ++c) {
      const double n = classes_.kept_rows[first + c];
      const bool last = c + 1 == classes_.n_classes;
      const double sum = last ? rest : std::fma(-n, centre, kept_[first + c]) + kept_rests_[first + c];
      parts_[c] = {n, sum, 0.0};
      rest -= sum;
    }
    const double n_rows = static_cast<double>(layout_.n_rows());
    const double sum_error = (n_rows / kMomentLanes + 20.0) * n_rows * table_.split(feature) * 0x1p-106;
    const double n = layout_.kept_rows()[replicate];
    const double squares = moments.norm[at] * moments.norm[at] + moments.kept_sum[at] * (moments.kept_sum[at] / n);
    return sure_class_value(kind_, parts_, squares, table_.units() + 4.0, sum_error);
  }

  const NumericTable& table_;
  const SegmentLayout& layout_;
  const ClassKind kind_;
  const ClassLayout& classes_;
  const MomentKernels& kernels_ = THRESHER_DISPATCH(moment_kernels);
  std::vector<double> lanes_;
  std::vector<SplitSum> split_;
  std::vector<double> sums_, rests_, kept_, kept_rests_;
  std::vector<ClassPart> parts_;
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
