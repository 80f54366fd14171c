// The association of pairs of features of which some are numbers and some are categories.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "measures/discrete_measure.hpp"
#include "measures/numeric_measure.hpp"

namespace thresher {

// Levels of categories, one row of codes each, in the order of the rows that the numeric table was made of.
struct CategoryRows {
  std::span<const std::uint8_t> codes;   // [category][row]; kMissing where there is no value
  std::span<const std::int32_t> levels;  // of each category

  static constexpr std::uint8_t kMissing = 255;
};

// Two numbers by their products, two categories by their counts, a number and a category by sums of the number over the
// rows of each level. The same value whichever of two features is the reference.
class MixedMeasure final : public PairMeasure {
 public:
  // `is_category`: one mark per feature. The numeric table has the other features, `categories` and `rows` these, in
  // the order of the features.
  MixedMeasure(const NumericTable& numbers, std::shared_ptr<const CodedTable> categories, CategoryRows rows,
               std::span<const std::uint8_t> is_category, std::size_t n_threads);

  std::size_t n_features() const override { return index_.size(); }
  std::size_t n_replicates() const override { return numbers_.n_replicates(); }
  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override;

 private:
  using Features = std::vector<std::uint32_t>;

  // The values of numbers and one category; those of numbers[i] go to out[i * n_replicates()].
  void across(std::size_t category, std::span<const std::uint32_t> numbers, std::size_t n_threads, double* out) const;

  const NumericTable& numbers_;
  CategoryRows rows_;
  std::vector<std::uint8_t> is_category_;
  std::vector<std::uint32_t> index_;  // of each feature, among the numbers or among the categories
  std::size_t n_threads_;
  NumericPairMeasure of_numbers_;
  DiscretePairMeasure of_categories_;
};

}  // namespace thresher
