// The packed table of discrete features: what every count is taken from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/aligned.hpp"
#include "core/arena.hpp"
#include "core/choices.hpp"
#include "core/double_double.hpp"
#include "core/interrupt.hpp"
#include "core/memory.hpp"
#include "core/xlogx.hpp"
#include "packing/coded_feature.hpp"
#include "packing/row_layout.hpp"

namespace thresher {

// How missing values are treated.
enum class Missing { error, category, pairwise };

inline constexpr Choice<Missing> kMissing[] = {
    {"error", Missing::error}, {"category", Missing::category}, {"pairwise", Missing::pairwise}};

// A column with more levels than the table can represent.
struct ColumnError : std::invalid_argument {
  ColumnError(std::size_t bad_column, const std::string& complaint)
      : std::invalid_argument("column " + std::to_string(bad_column) + " " + complaint), column(bad_column) {}
  std::size_t column;
};

struct TooManyLevels : ColumnError {
  explicit TooManyLevels(std::size_t bad_column) : ColumnError(bad_column, "has more than 256 levels") {}
};

// Row weights, one per row of the table: none, integers (counts stay exact), or others (float sums in row order).
struct Weights {
  std::vector<std::int64_t> whole;
  std::vector<double> real;
};

class CodedTable {
 public:
  // In byte columns and decoded codes, a row without a level.
  static constexpr std::uint8_t kNoCode = 255;
  static constexpr std::size_t kMaxLevels = 256;
  // Above this many levels a byte per row is smaller than the planes, and no slower.
  static constexpr std::size_t kMaxPackedLevels = 9;

  // The table of c log2 c is made for all rows (for the sum of whole weights), or for `n_logs` if that is more.
  CodedTable(RowLayout layout, std::size_t n_features, Weights weights, std::uint64_t n_logs = 0);

  // Features point into the arena: the table moves but is not copied.
  CodedTable(CodedTable&&) = default;
  CodedTable& operator=(CodedTable&&) = default;
  CodedTable(const CodedTable&) = delete;
  CodedTable& operator=(const CodedTable&) = delete;

  const RowLayout& layout() const { return layout_; }
  std::size_t n_rows() const { return layout_.n_rows(); }
  std::size_t n_parts() const { return layout_.n_parts(); }
  std::size_t n_features() const { return features_.size(); }
  const CodedFeature& feature(std::size_t f) const { return features_[f]; }
  const CodedFeature* features() const { return features_.data(); }
  PlaneBlock planes(std::size_t f) const {
    return {features_[f].data, features_[f].n_planes(), layout_.plane_stride()};
  }
  // Returns whether some features are bytes or lists instead of planes.
  bool has_bytes() const { return has_bytes_; }
  bool has_lists() const { return has_lists_; }
  bool has_missing() const { return has_missing_; }
  bool is_weighted() const { return !weights_.whole.empty() || !weights_.real.empty(); }
  // Weights by position (rows ordered by part), and their sums by part.
  const Weights& weights() const { return weights_; }
  const std::vector<std::int64_t>& whole_totals() const { return whole_totals_; }
  const std::vector<DoubleDouble>& real_totals() const { return real_totals_; }
  bool is_used(std::size_t position) const {
    return !weights_.whole.empty() ? weights_.whole[position] > 0
                                   : weights_.real.empty() || weights_.real[position] > 0.0;
  }

  // Returns the table of c log2 c for all rows (for the sum of whole weights).
  const XLogX& xlogx() const { return xlogx_; }

  // Codes of a feature by position; kNoCode where missing.
  void decode(std::size_t f, std::uint8_t* codes) const;
  // Codes of a feature in the order of the rows.
  void codes_of(std::size_t f, std::uint8_t* codes) const;

  // Returns whether at most one level occurs on all rows of positive weight.
  bool is_constant(std::size_t f) const;
  // The same on every replicate: constant[r].
  void find_constant_replicates(std::size_t f, std::uint8_t* constant) const;
  // Returns whether two levels have more rows than any replicate leaves out: many features do, and it is quickly found.
  // If not, the feature may vary on every replicate all the same.
  bool surely_varies(std::size_t f) const;

  // --- For builders. ---

  // A row that is off the level most rows have.
  struct Listed {
    std::uint32_t position;
    std::uint8_t code;
  };
  // `n_listed`: how many rows are off the level `rest`, where the column may be kept as a list of them.
  struct Shape {
    std::uint16_t levels;
    bool missing;
    std::optional<std::uint32_t> n_listed = std::nullopt;
    std::uint8_t rest = 0;
  };
  // A list may cost a processor more than planes do, so it is made where these take more bytes for each row listed.
  static constexpr std::size_t kMostBytesPerListed = 32;
  // Prepares features first, first+1, ... with these shapes (from any thread); their data, values and counts are then
  // written through the pointers below. Counts are zero at first, data only on request. Data may be in another arena,
  // until `set_data` says where they are.
  void allocate(std::size_t first, std::span<const Shape> shapes, bool zero_data = false, Arena* data_arena = nullptr);
  // All features as described, with copies of their counts and values, one after the other; without data.
  void adopt(LargeVector<CodedFeature> features, std::span<const std::uint32_t> counts, std::span<const double> values);
  // The data of a feature are these, left where they are (on a cache line, kept alive by the table's owner) or copied.
  void set_data(std::size_t f, const std::byte* data, bool stays);
  void keep_alive(std::shared_ptr<const void> owner) { owner_ = std::move(owner); }
  // Bytes of a feature's data.
  std::size_t data_bytes(std::size_t f) const { return data_words(features_[f]) * sizeof(std::uint64_t); }
  std::uint64_t* writable_data(std::size_t f) { return const_cast<std::uint64_t*>(features_[f].data); }
  std::uint32_t* writable_counts(std::size_t f) { return const_cast<std::uint32_t*>(features_[f].counts); }
  double* writable_values(std::size_t f) { return const_cast<double*>(features_[f].values); }
  // Stores a feature from codes by position and counts its levels.
  void store_codes(std::size_t f, const std::uint8_t* codes);
  // The same of a listed feature, from as many rows as its shape says, by position.
  void store_list(std::size_t f, std::span<const Listed> rows);
  // Counts levels of a feature whose data has been written.
  void count_levels(std::size_t f);
  // Given the counts of all levels but the last, completes the last one (nothing to do with missing values).
  void complete_counts(std::size_t f);
  void finish();

 private:
  std::size_t data_words(const CodedFeature& feature) const;
  // Rows of positive weight per level and part; returns the number of levels.
  std::size_t levels_by_part(std::size_t f, std::vector<std::uint32_t>& counts) const;

  RowLayout layout_;
  Weights weights_;
  XLogX xlogx_;
  LargeVector<CodedFeature> features_;
  Arena arena_;
  std::shared_ptr<const void> owner_;     // of data that are not in the arena
  std::vector<std::uint32_t> used_rows_;  // of positive weight, by part
  std::vector<std::int64_t> whole_totals_;
  std::vector<DoubleDouble> real_totals_;
  bool has_bytes_ = false;
  bool has_lists_ = false;
  bool has_missing_ = false;
};

}  // namespace thresher
