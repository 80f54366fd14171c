// Sums of single columns, per segment and per replicate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/numeric_matrix.hpp"
#include "moments/moment_kernels.hpp"
#include "moments/segment_layout.hpp"

namespace thresher {

// The sums of single columns that pairs need, about a centre per column: its mean, or 0 for the cosine. Indexed
// [feature * n_replicates + replicate].
struct ColumnMoments {
  std::vector<double> centre;
  std::vector<double> kept_sum;
  // Square root of the (centred) sum of squares; 0 where the measure is undefined.
  std::vector<double> norm;
  // A correlation r of columns a and b, from a product of norms and a sum of products, is off by at most
  // (error a + error b) (1 + |r|) and eight units of 2^-53 of |r|. Infinite where sums about the common centre are not
  // good enough.
  std::vector<double> error;

  void resize(std::size_t n_features, std::size_t n_replicates);
};

// Sum of the weights.
double total_rows(const SegmentLayout& layout);

// Rows whose products lanes add up before these go to sums of two doubles. Long columns wait for memory, and the more
// replicates, the more values a bound on their errors has to settle: both favour short tiles.
std::size_t tile_rows(const SegmentLayout& layout);

// Returns the roundings in a sum of products of a replicate, in units of 2^-53 of the terms. Where rows are sums of
// real weights, their roundings are among them.
double product_units(const SegmentLayout& layout);

// Returns a power of two that is at least twice the largest sum of that many rows.
double split_for(double rows, double minimum, double maximum);

// Values of a column, segment after segment, and their weights, or null. Rows that are not there are zeros.
struct ColumnRows {
  NumericColumn values;
  std::span<const std::size_t> segments;
  const double* weights;

  ColumnRows(NumericColumn column, std::span<const std::size_t> borders, const double* times)
      : values(column), segments(borders), weights(times) {}
  // All rows of a layout.
  ColumnRows(NumericColumn column, const SegmentLayout& layout)
      : ColumnRows(column, layout.segments(), layout.weights()) {}

  // body(first value, its weight, how many, segment) for every segment.
  template <class Body>
  void for_segments(Body&& body) const {
    visit_type(values, [&](const auto* x) {
      for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
        const std::size_t begin = segments[s];
        body(x + begin, weights == nullptr ? nullptr : weights + begin, segments[s + 1] - begin, s);
      }
    });
  }
};

// Reads columns one at a time. Keeps its memory; one per thread.
class ColumnReader {
 public:
  explicit ColumnReader(const SegmentLayout& layout);

  // Range of every segment, and its sums about a centre.
  void read(const ColumnRows& column, double centre);
  // The same without squares, about 0, of the values that are not NaN.
  void read_with_missing(const ColumnRows& column);
  // Of the column read last; NaN without any value.
  double minimum() const;
  double maximum() const;
  double mean() const;
  // kept[r] = whether replicate r keeps one distinct value at most.
  void kept_constants(std::uint8_t* kept) const;

  // Returns whether sums about the mean would have much smaller errors.
  bool is_off_centre() const;
  // Moments at `feature`: with the norms about the mean if `centred`, else about the centre.
  void set_moments(bool centred, std::size_t feature, ColumnMoments& moments);

 private:
  CentredSums total() const;

  const SegmentLayout& layout_;
  double rows_;
  double units_;
  std::size_t tile_;
  double centre_ = 0.0;
  std::vector<double> low_;
  std::vector<double> high_;
  std::vector<CentredSums> sums_;  // of each segment
  std::vector<CentredSums> kept_;  // by each replicate
};

// Near the mean of a column that is too long to be read twice, from some of its rows; 0 for others. That of a constant
// is its value.
double likely_centre(const ColumnRows& column);

// Moments of one column in the layout's order, such as a target, about its mean or about 0.
ColumnMoments moments_of(std::span<const double> column, bool centred, const SegmentLayout& layout);

// Values so large or so small that their squares, or sums of squares, overflow or underflow.
bool is_extreme(double low, double high);

// Marks a measure as undefined.
void set_undefined(ColumnMoments& moments, std::size_t at);

}  // namespace thresher
