// Sums of single columns, per segment and per replicate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/numeric_matrix.hpp"
#include "moments/segment_layout.hpp"

namespace thresher {

// A replicate that keeps less than this share of the sum of squares about the common centre is measured from the
// rows: its sums would have lost too many digits.
inline constexpr double kSafeShare = 1e-3;

// What pairs need of single columns, about a centre per column: its mean, or 0 for the cosine.
// Indexed [feature * n_replicates + replicate].
struct ColumnMoments {
  std::vector<double> centre;
  std::vector<double> kept_sum;
  // Square root of the (centred) sum of squares; 0 where the measure is undefined.
  std::vector<double> norm;
  // Sums about the common centre are not good enough here: measure from the rows.
  std::vector<std::uint8_t> unsafe;

  void resize(std::size_t n_features, std::size_t n_replicates);
};

// Reads columns one at a time. Keeps its memory; one per thread.
class ColumnReader {
 public:
  explicit ColumnReader(const SegmentLayout& layout);

  // Range and sum of every segment. Values that are NaN are passed over if `with_missing`.
  void read_range(NumericColumn column, bool with_missing);
  // Of the column read last; NaN without any value.
  double minimum() const;
  double maximum() const;
  double mean() const;
  // kept[r] = whether replicate r keeps one distinct value at most.
  void kept_constants(std::uint8_t* kept) const;

  // Moments of the column read last at `feature`, about moments.centre[feature], which is its mean if `centred`.
  void read_moments(NumericColumn column, bool centred, std::size_t feature, ColumnMoments& moments);

 private:
  const SegmentLayout& layout_;
  double rows_;
  std::vector<double> low_;
  std::vector<double> high_;
  std::vector<double> sums_;
  std::vector<double> squares_;
};

// Marks a measure as undefined.
void set_undefined(ColumnMoments& moments, std::size_t at);

}  // namespace thresher
