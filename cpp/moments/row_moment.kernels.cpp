#include "core/lanes.hpp"
#include "core/prefetch.hpp"
#include "moments/row_moment_kernels.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

// Adds to a sum of two doubles.
inline void add_to(double& sum, double& rest, double value) {
  const double before = sum;
  const double after = before + value;
  const double added = after - before;
  rest += (before - (after - added)) + (value - added);
  sum = after;
}

// Some columns of rows of one class, their sums in registers. `at`: the index of those of the first column and the
// class. `ahead`: bytes to the rows that come next.
template <std::size_t n_vecs, class T>
void add_columns(const T* const* rows, std::size_t n_rows, std::size_t column, const double* centres,
                 const RowSums& sums, std::size_t at, std::uintptr_t ahead) {
  TwinVec sum[n_vecs];
  Vec square[n_vecs], centre[n_vecs];
  for (std::size_t v = 0; v < n_vecs; ++v) {
    const std::size_t position = at + v * kWidth;
    sum[v] = {vec_load(sums.sums + position), vec_load(sums.sum_rests + position)};
    square[v] = vec_load(sums.block + position);
    centre[v] = vec_load(centres + column + v * kWidth);
  }
  for (std::size_t r = 0; r < n_rows; ++r) {
    for (std::size_t v = 0; v < n_vecs; ++v) {
      const T* x = rows[r] + column + v * kWidth;
      prefetch(reinterpret_cast<std::uintptr_t>(x) + ahead);
      const Vec value = vec_load(x);
      twin_add(sum[v], value);
      const Vec distance = vec_sub(value, centre[v]);
      square[v] = vec_multiply_add(distance, distance, square[v]);
    }
  }
  for (std::size_t v = 0; v < n_vecs; ++v) {
    const std::size_t position = at + v * kWidth;
    vec_store(sums.sums + position, sum[v].hi);
    vec_store(sums.sum_rests + position, sum[v].lo);
    vec_store(sums.block + position, square[v]);
  }
}

// Rows of one class.
template <class T>
void add_rows(const T* const* rows, std::size_t n_rows, std::size_t width, const double* centres, const RowSums& sums,
              std::size_t at, std::uintptr_t ahead) {
  std::size_t j = 0;
  for (; j + 2 * kWidth <= width; j += 2 * kWidth) add_columns<2>(rows, n_rows, j, centres, sums, at + j, ahead);
  for (; j + kWidth <= width; j += kWidth) add_columns<1>(rows, n_rows, j, centres, sums, at + j, ahead);
  for (; j < width; ++j) {
    for (std::size_t r = 0; r < n_rows; ++r) {
      const double value = static_cast<double>(rows[r][j]);
      add_to(sums.sums[at + j], sums.sum_rests[at + j], value);
      const double distance = value - centres[j];
      sums.block[at + j] += distance * distance;
    }
  }
}

// Lanes are columns. Rows of a class follow each other where classes are few.
template <class T>
void add(const RowBlock<T>& block, const double* centres, const RowSums& sums) {
  const std::uintptr_t ahead = kRowsOfSquares * block.stride * sizeof(T);
  for (std::size_t start = 0; start < block.n_rows; start += kRowsOfSquares) {
    const std::size_t count = block.n_rows - start < kRowsOfSquares ? block.n_rows - start : kRowsOfSquares;
    const std::int32_t* classes = block.classes + start;
    const T* first = block.first + start * block.stride;
    const T* rows[kRowsOfSquares];
    if (sums.n_classes > kRowsOfSquares / 4) {
      for (std::size_t r = 0; r < count; ++r) {
        rows[0] = first + r * block.stride;
        add_rows(rows, 1, block.n_columns, centres, sums, static_cast<std::size_t>(classes[r]) * sums.stride, ahead);
      }
    } else {
      for (std::size_t c = 0; c < sums.n_classes; ++c) {
        std::size_t n_rows = 0;
        for (std::size_t r = 0; r < count; ++r) {
          rows[n_rows] = first + r * block.stride;
          n_rows += static_cast<std::size_t>(classes[r]) == c;
        }
        if (n_rows > 0) add_rows(rows, n_rows, block.n_columns, centres, sums, c * sums.stride, ahead);
      }
    }
    double* __restrict square = sums.squares;
    double* __restrict rest = sums.square_rests;
    double* __restrict own = sums.block;
    for (std::size_t i = 0; i < sums.n_classes * sums.stride; ++i) {
      add_to(square[i], rest[i], own[i]);
      own[i] = 0.0;
    }
  }
}

}  // namespace

extern const RowMomentKernels row_moment_kernels = {{add<float>}, {add<double>}};

}  // namespace thresher::THRESHER_LEVEL
