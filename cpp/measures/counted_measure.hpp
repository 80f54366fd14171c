// Measures over counts from another source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/xlogx.hpp"
#include "counting/count_request.hpp"
#include "measures/delivered_measure.hpp"
#include "measures/measure_values.hpp"
#include "measures/triple_values.hpp"

namespace thresher {

// The source of the counts.
class CountSource {
 public:
  virtual ~CountSource() = default;
  // The counts of all rows, as count_request gives those of a block: integers add.
  virtual void count(const PairRequest& request, std::span<std::int64_t> counts) = 0;
};

// Facts of the features, delivered once, before any pair.
struct FeatureMargins {
  std::size_t n_parts = 1;
  std::uint64_t n_rows = 0;              // of all parts, repeats included
  std::vector<std::uint32_t> levels;     // one per feature
  std::vector<std::uint8_t> incomplete;  // features with missing values; empty: none has
  std::vector<std::int64_t> counts;      // feature after feature: rows by [level][part]
};

// Counts are completed from the margins.
class CountedMeasure : public DeliveredMeasure {
 public:
  // Throws std::invalid_argument on margins that do not fit.
  CountedMeasure(std::shared_ptr<CountSource> source, FeatureMargins margins, PartSets sets, std::size_t round_size);

  std::size_t n_features() const override { return margins_.levels.size(); }

 protected:
  void fetch(const PairRequest& request, std::span<double* const> out) override;
  // The values of a pair from its cells[part][level of the feature][level of the reference].
  virtual void store(std::uint32_t feature, std::uint32_t reference, std::span<const std::int64_t> cells,
                     double* out) = 0;

  std::size_t levels(std::uint32_t feature) const { return margins_.levels[feature]; }
  const XLogX& xlogx() const { return xlogx_; }

 private:
  bool is_incomplete(std::uint32_t feature, std::uint32_t reference) const;
  void complete(std::uint32_t feature, std::uint32_t reference, const std::int64_t* reported);

  std::shared_ptr<CountSource> source_;
  FeatureMargins margins_;
  std::vector<std::size_t> begin_;  // of a feature's counts
  XLogX xlogx_;
  std::vector<std::int64_t> cells_;
};

// Measures of two features.
class CountedPairs final : public CountedMeasure {
 public:
  CountedPairs(std::shared_ptr<CountSource> source, FeatureMargins margins, PartSets sets, std::size_t round_size,
               DiscreteMeasure measure)
      : CountedMeasure(std::move(source), std::move(margins), std::move(sets), round_size), measure_(measure) {}

 protected:
  void store(std::uint32_t feature, std::uint32_t reference, std::span<const std::int64_t> cells, double* out) override;

 private:
  DiscreteMeasure measure_;
};

// Terms of two features and the target. The counts are those of parts by class: class c of part p is part
// p * n_classes + c of the margins and of every result.
class CountedTriples final : public CountedMeasure {
 public:
  CountedTriples(std::shared_ptr<CountSource> source, FeatureMargins margins, PartSets sets, std::size_t round_size,
                 std::size_t n_classes, ThreeWayTerm term)
      : CountedMeasure(std::move(source), std::move(margins), std::move(sets), round_size),
        n_classes_(n_classes),
        term_(term) {}

  bool is_symmetric() const override { return term_ != ThreeWayTerm::conditional; }

 protected:
  void store(std::uint32_t feature, std::uint32_t reference, std::span<const std::int64_t> cells, double* out) override;

 private:
  std::size_t n_classes_;
  ThreeWayTerm term_;
  std::vector<std::int64_t> turned_;
};

}  // namespace thresher
