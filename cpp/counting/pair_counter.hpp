// Contingency tables of the features of a table against one reference column.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/double_double.hpp"
#include "packing/coded_table.hpp"

namespace thresher {

// A column to count against: a feature of the table, the target, or a composite of both.
class ReferenceColumn {
 public:
  ReferenceColumn() = default;
  // A feature of the table, which must outlive the reference. Bytes are needed to count against features kept as bytes.
  ReferenceColumn(const CodedTable& table, std::size_t feature, bool with_bytes = true);
  // Codes in the order of the rows, 0..n_levels-1, or negative where missing.
  ReferenceColumn(const CodedTable& table, std::span<const std::int32_t> codes, std::size_t n_levels);
  // Codes by position.
  static ReferenceColumn from_positions(const CodedTable& table, std::vector<std::int32_t> codes, std::size_t n_levels);

  std::size_t n_levels() const { return n_levels_; }
  bool has_missing() const { return has_missing_; }
  // Rows per level: counts()[level * n_parts + part].
  const std::uint32_t* counts() const { return counts_; }
  // Sums of weights per level, part after part, of a reference that is not listed in a table with lists.
  const std::vector<std::int64_t>& whole_margins() const { return whole_margins_; }
  const std::vector<DoubleDouble>& real_margins() const { return real_margins_; }
  // One of each kind that the table's features need is there; the others are null. A listed one needs no other.
  PlaneBlock planes() const { return planes_; }
  bool has_planes() const { return has_planes_; }
  const std::uint8_t* bytes() const { return bytes_; }
  const std::int32_t* wide() const { return wide_.empty() ? nullptr : wide_.data(); }
  // Returns the feature itself where it is listed; null elsewhere.
  const CodedFeature* listed() const { return listed_; }
  // Marks the rows that are listed, a bit for each row of the table, for callers that count many features.
  void mark_listed(const CodedTable& table);
  // Returns whether they are marked, and the feature lists none of them.
  bool surely_misses(const CodedFeature& feature) const;

 private:
  void set_codes(const CodedTable& table, std::vector<std::int32_t> codes);
  template <class Codes>
  void sum_weights(const CodedTable& table, Codes codes);

  std::size_t n_levels_ = 0;
  bool has_missing_ = false;
  const std::uint32_t* counts_ = nullptr;
  bool has_planes_ = false;
  PlaneBlock planes_{nullptr, 0, 0};
  const std::uint8_t* bytes_ = nullptr;
  const CodedFeature* listed_ = nullptr;
  AlignedArray<std::uint64_t> own_planes_;
  std::vector<std::uint8_t> own_bytes_;
  std::vector<std::uint32_t> own_counts_;
  std::vector<std::int32_t> wide_;
  std::vector<std::uint64_t> marks_;
  std::vector<std::int64_t> whole_margins_;
  std::vector<DoubleDouble> real_margins_;
};

// Working memory of one thread.
struct CountScratch {
  std::vector<std::uint32_t> pairs;
  std::vector<std::uint32_t> histograms;
  std::vector<std::uint8_t> bytes;
};

// The table of feature f (rows) against the reference (columns), part after part: cells[part][level of f][level of
// reference]. Rows where either is missing are left out. Weighted versions sum weights; those that are not whole with
// enough digits that the order of the rows, and their parts, do not show in the sum rounded to a double.
void count_cells(const CodedTable& table, const ReferenceColumn& reference, std::size_t f, CountScratch& scratch,
                 std::uint32_t* cells);
void count_cells(const CodedTable& table, const ReferenceColumn& reference, std::size_t f, CountScratch& scratch,
                 std::int64_t* cells);
void count_cells(const CodedTable& table, const ReferenceColumn& reference, std::size_t f, CountScratch& scratch,
                 DoubleDouble* cells);

}  // namespace thresher
