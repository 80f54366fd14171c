#include "measures/numeric_relevance.hpp"

#include <algorithm>
#include <numeric>

#include "core/feature_loop.hpp"
#include "measures/association.hpp"
#include "moments/moment_kernels.hpp"
#include "moments/two_pass.hpp"

namespace thresher {
namespace {

// Classes in the layout's order, and how many rows (weights) of each every replicate keeps.
class ClassLayout {
 public:
  ClassLayout(const SegmentLayout& layout, std::span<const std::int32_t> classes, std::size_t count)
      : n_classes(count), labels(layout.arrange(classes)), kept_rows(layout.n_replicates() * count) {
    if (n_classes <= kFewClasses) narrow.assign(labels.begin(), labels.end());
    const auto segments = layout.segments();
    std::vector<double> rows(layout.n_segments() * n_classes, 0.0);
    for (std::size_t s = 0; s < layout.n_segments(); ++s) {
      for (std::size_t i = segments[s]; i < segments[s + 1]; ++i) {
        rows[s * n_classes + static_cast<std::size_t>(labels[i])] +=
            layout.weights() == nullptr ? 1.0 : layout.weights()[i];
      }
    }
    for (std::size_t c = 0; c < n_classes; ++c) {
      layout.sets().sum(rows.data() + c, n_classes, kept_rows.data() + c, n_classes);
    }
  }

  ClassCodes codes(std::size_t row) const {
    return {labels.data() + row, narrow.empty() ? nullptr : narrow.data() + row, n_classes};
  }

  const std::size_t n_classes;
  const std::vector<std::int32_t> labels;
  std::vector<std::uint8_t> narrow;
  std::vector<double> kept_rows;
};

// F of one feature after the other. Keeps its memory; one per thread.
class FColumn {
 public:
  FColumn(const NumericTable& table, const ClassLayout& classes)
      : table_(table),
        layout_(table.layout()),
        classes_(classes),
        lanes_(classes.n_classes * kMomentLanes),
        sums_(layout_.n_segments() * classes.n_classes),
        kept_(layout_.n_replicates() * classes.n_classes) {}

  void operator()(std::size_t feature, double* out) {
    if (!table_.pairwise()) read_sums(feature);
    const std::size_t at = feature * layout_.n_replicates();
    for (std::size_t r = 0; r < layout_.n_replicates(); ++r) {
      out[r] = table_.kept_constant()[at + r] != 0 ? 0.0 : value(feature, r);
    }
  }

 private:
  // Sums of every class about the column's mean, kept by every replicate.
  void read_sums(std::size_t feature) {
    const std::size_t n_classes = classes_.n_classes;
    const auto segments = layout_.segments();
    visit_type(table_.column(feature), [&](const auto* x) {
      for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
        const std::size_t begin = segments[s];
        std::fill(lanes_.begin(), lanes_.end(), 0.0);
        typed(kernels_, x)
            .class_sums(x + begin, layout_.weights() == nullptr ? nullptr : layout_.weights() + begin,
                        classes_.codes(begin), segments[s + 1] - begin, table_.mean()[feature], lanes_.data());
        kernels_.totals(lanes_.data(), n_classes, sums_.data() + s * n_classes);
      }
    });
    for (std::size_t c = 0; c < n_classes; ++c) {
      layout_.sets().sum(sums_.data() + c, n_classes, kept_.data() + c, n_classes);
    }
  }

  double value(std::size_t feature, std::size_t replicate) const {
    if (table_.pairwise()) return from_rows(feature, replicate);
    const ColumnMoments& moments = table_.centred();
    const std::size_t at = feature * layout_.n_replicates() + replicate;
    const std::size_t first = replicate * classes_.n_classes;
    double explained = 0.0;
    double n = 0.0;
    std::size_t present = 0;
    for (std::size_t c = 0; c < classes_.n_classes; ++c) {
      const double rows = classes_.kept_rows[first + c];
      if (rows == 0.0) continue;
      ++present;
      n += rows;
      explained += kept_[first + c] * (kept_[first + c] / rows);
    }
    const double scatter = moments.norm[at] * moments.norm[at];
    const double between = explained - moments.kept_sum[at] * (moments.kept_sum[at] / n);
    const double within = scatter - between;
    // Little is left between or within the classes: the difference has lost its digits.
    const bool lost = between < kSafeShare * explained || within < kSafeShare * scatter;
    if (lost || moments.unsafe[at] != 0) return from_rows(feature, replicate);
    return f_from_scatter(between, within, n, present);
  }

  double from_rows(std::size_t feature, std::size_t replicate) const {
    return two_pass_f(table_.column(feature), classes_.labels.data(), classes_.n_classes, layout_, replicate);
  }

  const NumericTable& table_;
  const SegmentLayout& layout_;
  const ClassLayout& classes_;
  const MomentKernels& kernels_ = THRESHER_DISPATCH(moment_kernels);
  std::vector<double> lanes_;
  std::vector<double> sums_;
  std::vector<double> kept_;
};

}  // namespace

std::vector<double> relevance_f(const NumericTable& table, std::span<const std::int32_t> classes, std::size_t n_classes,
                                std::size_t n_threads, Interrupt& interrupt) {
  const ClassLayout layout(table.layout(), classes, n_classes);
  std::vector<double> out(table.n_features() * table.n_replicates());
  for_features(table.n_features(), table.n_rows(), n_threads, interrupt, [&](std::size_t begin, std::size_t end) {
    FColumn column(table, layout);
    for (std::size_t feature = begin; feature < end; ++feature) {
      column(feature, out.data() + feature * table.n_replicates());
    }
  });
  return out;
}

std::vector<double> relevance_correlation(const NumericTable& table, std::span<const double> target, bool centred,
                                          std::size_t n_threads, Interrupt& interrupt) {
  const std::size_t n_replicates = table.n_replicates();
  const std::vector<double> values = table.layout().arrange(target);
  const ColumnMoments target_column = table.target_moments(values, centred);
  const ColumnMoments uncentred = centred ? ColumnMoments{} : table.uncentred(n_threads);
  const Reference reference = reference_at(NumericColumn{nullptr, values.data()}, target_column, 0, n_replicates);
  std::vector<std::uint32_t> features(table.n_features());
  std::iota(features.begin(), features.end(), 0u);
  std::vector<double> out(table.n_features() * n_replicates);
  const std::size_t round = round_of_features(table.n_rows(), n_threads);
  for (std::size_t start = 0; start < features.size(); start += round) {
    interrupt.check();
    const std::size_t count = std::min(round, features.size() - start);
    associate(table, centred ? table.centred() : uncentred, reference, centred,
              std::span<const std::uint32_t>(features).subspan(start, count), n_threads,
              std::span<double>(out).subspan(start * n_replicates, count * n_replicates));
  }
  return out;
}

}  // namespace thresher
