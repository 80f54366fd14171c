// Replicates of a table of few rows, each of which computes its own pairs.
//
// With so few rows that a column is a word or two, counting a pair costs less than finding a value kept in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "measures/discrete_measure.hpp"
#include "packing/coded_table.hpp"

namespace thresher {

// The planes of all features with the rows in the order of the positions, without the gaps between parts.
class ShortColumns {
 public:
  // Returns whether counting on one replicate is cheaper than keeping values; the table is then packed, complete and
  // unweighted.
  static bool suit(const CodedTable& table);

  explicit ShortColumns(const CodedTable& table);

  std::size_t n_words() const { return n_words_; }
  const std::uint64_t* planes(std::size_t f) const { return words_.data() + begin_[f]; }

  // Levels of all features together.
  std::size_t n_levels() const { return n_levels_; }

  // Returns the bits of the rows that a replicate keeps.
  std::vector<std::uint64_t> rows_of(const RowLayout& layout, std::size_t replicate) const;

 private:
  std::size_t n_words_;
  std::size_t n_levels_ = 0;
  std::vector<std::size_t> begin_;
  std::vector<std::uint64_t> words_;
};

// One replicate as a plain measure; what it is made from must outlive it.
class ShortReplicate final : public PairMeasure {
 public:
  ShortReplicate(const CodedTable& table, const ShortColumns& columns, const MarginSums& margins,
                 const ReplicateRows& rows, std::size_t replicate, DiscreteMeasure measure);

  std::size_t n_features() const override { return features_.size(); }
  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override;
  // Counting a pair of so few words costs less than a step of the search.
  static constexpr std::size_t kAtOnce = 4;
  RequestHints hints() const override { return {.terms_at_once = kAtOnce}; }
  void fill(std::span<const TermRequest> requests) override;

 private:
  static constexpr std::size_t kBatch = 64;

  void count_levels(std::uint32_t n_rows);
  void mask_planes(std::uint32_t reference);
  void store(std::uint32_t reference, std::span<const std::uint32_t> features, double* out);

  const XLogX& xlogx_;
  DiscreteMeasure measure_;
  std::size_t n_words_;
  std::int64_t whole_;                  // L(rows)
  double unit_;                         // rows 2^shift
  std::vector<std::uint64_t> kept_;     // bits of the replicate's rows
  std::vector<CodedFeature> features_;  // planes of all rows, counts of the replicate's
  std::vector<std::uint32_t> counts_;
  std::vector<std::int64_t> margins_;
  std::vector<std::uint64_t> masked_;  // the reference's planes on the replicate's rows
  std::int64_t sums_[kBatch];
  double units_[kBatch];
};

}  // namespace thresher
