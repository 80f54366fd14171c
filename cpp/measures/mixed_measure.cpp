#include "measures/mixed_measure.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/parallel.hpp"
#include "measures/numeric_relevance.hpp"

namespace thresher {

MixedMeasure::MixedMeasure(const NumericTable& numbers, std::shared_ptr<const CodedTable> categories, CategoryRows rows,
                           std::span<const std::uint8_t> is_category, std::size_t n_threads)
    : numbers_(numbers),
      rows_(rows),
      is_category_(is_category.begin(), is_category.end()),
      n_threads_(n_threads),
      of_numbers_(numbers, NumericKind::association, n_threads),
      of_categories_(categories, DiscreteMeasure::association, n_threads) {
  std::uint32_t n_numbers = 0, n_categories = 0;
  for (const std::uint8_t mark : is_category_) index_.push_back(mark != 0 ? n_categories++ : n_numbers++);
  if (n_numbers != numbers.n_features() || n_categories != categories->n_features() ||
      n_categories != rows.levels.size() || rows.codes.size() != n_categories * numbers.n_given_rows()) {
    throw std::invalid_argument("the tables do not have the features that is_category marks");
  }
  if (of_categories_.n_replicates() != numbers.n_replicates()) {
    throw std::invalid_argument("both tables must have the same replicates");
  }
}

void MixedMeasure::across(std::size_t category, std::span<const std::uint32_t> numbers, std::size_t n_threads,
                          double* out) const {
  const std::size_t n_rows = numbers_.n_given_rows();
  const auto codes = rows_.codes.subspan(category * n_rows, n_rows);
  const auto n_levels = static_cast<std::size_t>(rows_.levels[category]);
  bool has_missing = false;
  std::vector<std::int32_t> labels(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) {
    const bool is_missing = codes[i] >= n_levels;
    has_missing = has_missing || is_missing;
    labels[i] = is_missing ? static_cast<std::int32_t>(n_levels) : codes[i];
  }
  values_of_classes(numbers_, ClassKind::association, labels, n_levels + (has_missing ? 1 : 0), has_missing, numbers,
                    n_threads, out);
}

void MixedMeasure::values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) {
  const bool is_category = is_category_[reference] != 0;
  const std::size_t n_replicates = this->n_replicates();
  Features same, other;
  for (const std::uint32_t f : features) {
    (is_category == (is_category_[f] != 0) ? same : other).push_back(index_[f]);
  }
  std::vector<double> same_values(same.size() * n_replicates), other_values(other.size() * n_replicates);
  if (!same.empty() && is_category) of_categories_.values(index_[reference], same, same_values);
  if (!same.empty() && !is_category) of_numbers_.values(index_[reference], same, same_values);
  if (is_category && !other.empty()) across(index_[reference], other, n_threads_, other_values.data());
  if (!is_category) {
    const std::uint32_t number[1] = {index_[reference]};
    parallel_for(other.size(), 1, n_threads_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) across(other[i], number, 1, other_values.data() + i * n_replicates);
    });
  }
  const double *from_same = same_values.data(), *from_other = other_values.data();
  double* to = out.data();
  for (const std::uint32_t f : features) {
    const double*& from = is_category == (is_category_[f] != 0) ? from_same : from_other;
    to = std::copy_n(from, n_replicates, to);
    from += n_replicates;
  }
}

}  // namespace thresher
