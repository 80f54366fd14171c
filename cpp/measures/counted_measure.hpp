// Measures over counts delivered by someone else: the rows may be in blocks, in files, on other machines.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/part_sets.hpp"
#include "core/xlogx.hpp"
#include "counting/count_request.hpp"
#include "measures/measure_values.hpp"
#include "measures/pair_measure.hpp"
#include "measures/triple_values.hpp"

namespace thresher {

// Whoever has the rows.
class CountSource {
 public:
  virtual ~CountSource() = default;
  // The counts of all rows, as count_request gives those of a block: integers add.
  virtual void count(const CountRequest& request, std::span<std::int64_t> counts) = 0;
};

// What is known of the features before any pair: delivered once.
struct FeatureMargins {
  std::size_t n_parts = 1;
  std::uint64_t n_rows = 0;              // of all parts, repeats included
  std::vector<std::uint32_t> levels;     // one per feature
  std::vector<std::uint8_t> incomplete;  // features with missing values; empty: none has
  std::vector<std::int64_t> counts;      // feature after feature: rows by [level][part]
};

// The counts of a round are asked for together and completed from the margins; values come from the code of the
// measures in memory, so they have the same bits however the rows are split.
class CountedMeasure : public PairMeasure {
 public:
  // A round of a third of the features, and not too small.
  static std::size_t usual_round_size(std::size_t n_features);

  // Throws std::invalid_argument on margins that do not fit.
  CountedMeasure(std::shared_ptr<CountSource> source, FeatureMargins margins, PartSets sets, std::size_t round_size);
  CountedMeasure(const CountedMeasure&) = delete;
  CountedMeasure& operator=(const CountedMeasure&) = delete;

  std::size_t n_features() const override { return margins_.levels.size(); }
  std::size_t n_replicates() const override { return sets_.n_replicates(); }
  std::size_t round_size() const override { return round_size_; }
  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override;
  void answer(std::span<const TermRequest> requests) override;

  // How often the source was asked, and for how many pairs.
  std::size_t n_rounds() const { return n_rounds_; }
  std::size_t n_pairs() const { return n_pairs_; }

 protected:
  // The values of a pair from its cells[part][level of the feature][level of the reference].
  virtual void store(std::uint32_t feature, std::uint32_t reference, std::span<const std::int64_t> cells,
                     double* out) = 0;

  std::size_t levels(std::uint32_t feature) const { return margins_.levels[feature]; }
  const PartSets& sets() const { return sets_; }
  const XLogX& xlogx() const { return xlogx_; }

 private:
  struct Pair {
    std::uint32_t reference, feature;
    double* out;
  };

  void ask(std::vector<Pair>& pairs);
  bool is_incomplete(const Pair& pair) const;
  void complete(const Pair& pair, const std::int64_t* told);

  std::shared_ptr<CountSource> source_;
  FeatureMargins margins_;
  std::vector<std::size_t> begin_;  // of a feature's counts
  PartSets sets_;
  XLogX xlogx_;
  std::size_t round_size_;
  std::size_t n_rounds_ = 0, n_pairs_ = 0;
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

// Terms of two features and the target. The counts are those of parts by class: class c of part p is the part
// p * n_classes + c of the margins and of every answer.
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
