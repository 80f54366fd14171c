#include "measures/numeric_relevance.hpp"

#include <algorithm>
#include <numeric>

#include "measures/association.hpp"
#include "measures/class_column.hpp"
#include "measures/range.hpp"

namespace thresher {
namespace {

// The rows of a table with their classes.
class DenseClasses {
 public:
  DenseClasses(const NumericTable& table, const ClassLayout& classes) : table_(table), classes_(classes) {}

  const NumericTable& table() const { return table_; }
  const ColumnMoments& moments() const { return table_.centred(); }
  ColumnRows rows(std::size_t feature) { return {table_.column(feature), table_.layout()}; }
  ClassCodes codes(std::size_t row) const { return classes_.codes(row); }
  NumericColumn all_rows(std::size_t feature) const { return table_.column(feature); }
  double centre(std::size_t feature, std::size_t) const { return table_.mean()[feature]; }
  double exact_centre(std::size_t feature) const {
    return Range{table_.minimum()[feature], table_.maximum()[feature]}.centre(table_.mean()[feature]);
  }
  bool has_sums() const { return !table_.pairwise(); }

 private:
  const NumericTable& table_;
  const ClassLayout& classes_;
};

}  // namespace

std::vector<double> relevance_of_classes(const NumericTable& table, ClassKind kind,
                                         std::span<const std::int32_t> classes, std::size_t n_classes,
                                         std::size_t n_threads, Interrupt& interrupt) {
  const ClassLayout layout(table.layout(), classes, n_classes);
  return values_of_classes(table, kind, layout, table.n_rows(), n_threads, interrupt,
                           [&] { return DenseClasses(table, layout); });
}

void values_of_classes(const NumericTable& table, ClassKind kind, std::span<const std::int32_t> classes,
                       std::size_t n_classes, bool leaves_out_last, std::span<const std::uint32_t> features,
                       std::size_t n_threads, double* out) {
  const std::size_t n_replicates = table.n_replicates();
  NeverInterrupt never;
  if (leaves_out_last) {
    const std::vector<std::int32_t> labels = table.layout().arrange(classes);
    for_features(features.size(), table.n_rows(), n_threads, never, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin * n_replicates; i < end * n_replicates; ++i) {
        const NumericColumn column = table.column(features[i / n_replicates]);
        ClassSums sums = class_sums(column, labels.data(), n_classes, table.layout(), i % n_replicates);
        sums.classes.pop_back();
        out[i] = sums.value(kind);
      }
    });
    return;
  }
  if (n_classes < 2) {
    std::fill_n(out, features.size() * n_replicates, 0.0);
    return;
  }
  const ClassLayout layout(table.layout(), classes, n_classes);
  for_features(features.size(), table.n_rows(), n_threads, never, [&](std::size_t begin, std::size_t end) {
    ClassColumn column(DenseClasses(table, layout), kind, layout);
    for (std::size_t i = begin; i < end; ++i) column(features[i], out + i * n_replicates);
  });
}

std::vector<double> relevance_of_numbers(const NumericTable& table, NumericKind kind, std::span<const double> target,
                                         std::size_t n_threads) {
  const bool centred = kind != NumericKind::cosine;
  const std::vector<double> values = table.layout().arrange(target);
  const ColumnMoments target_column = moments_of(values, centred, table.layout());
  const ColumnMoments uncentred = centred ? ColumnMoments{} : table.uncentred();
  const Reference reference =
      reference_at(NumericColumn{nullptr, values.data()}, target_column, 0, table.layout().kept_rows());
  std::vector<std::uint32_t> features(table.n_features());
  std::iota(features.begin(), features.end(), 0u);
  std::vector<double> out(table.n_features() * table.n_replicates());
  associate(table, centred ? table.centred() : uncentred, reference, kind, features, n_threads, out);
  return out;
}

}  // namespace thresher
