// Feature-major numeric columns that are read as centred vectors.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <variant>
#include <vector>

#include "core/interrupt.hpp"

namespace thresher {

using ColumnPointer = std::variant<const std::int16_t*, const std::int32_t*, const float*, const double*>;

// Columns of one table, centred on the fly: nothing of the table's size is copied.
//
// Integer columns are ranks: they are zero-sum as they are, and their products with each other are exact integers.
class CentredColumns {
 public:
  // One row of n_rows values per feature. The memory belongs to the caller.
  CentredColumns(ColumnPointer values, std::size_t n_features, std::size_t n_rows, std::size_t n_threads,
                 Interrupt& interrupt);

  std::size_t n_features() const { return n_features_; }
  std::size_t n_rows() const { return n_rows_; }
  std::size_t n_threads() const { return n_threads_; }

  // Squared length of the centred column.
  double square(std::size_t feature) const { return square_[feature]; }

  // Centred column times a vector.
  double dot(std::size_t feature, const double* vector) const;

  // Writes the centred column.
  void write(std::size_t feature, double* out) const;

  // out[i] = centred column features[i] times the vector.
  void multiply(std::span<const std::uint32_t> features, const double* vector, std::span<double> out,
                Interrupt& interrupt) const;

  // out[i] = correlation of the columns features[i] with a centred vector of the given squared length, in [-1, 1];
  // 0 if either is constant. With rank columns the vector must hold ranks too, and the products are exact.
  void correlate(std::span<const std::uint32_t> features, const double* vector, double vector_square,
                 std::span<double> out, Interrupt& interrupt) const;

 private:
  ColumnPointer values_;
  std::size_t n_features_;
  std::size_t n_rows_;
  std::size_t n_threads_;
  std::vector<double> mean_;
  std::vector<double> square_;
};

// Runs body(begin, end) over features on the threads, asking for an interrupt between stretches of work.
template <class Body>
void for_features(std::size_t n_features, std::size_t n_rows, std::size_t n_threads, Interrupt& interrupt,
                  const Body& body);

}  // namespace thresher

#include "partial/columns_impl.hpp"
