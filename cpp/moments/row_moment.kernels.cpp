#include "core/lanes.hpp"
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

// Lanes are columns.
template <class T>
void add(const RowBlock<T>& block, const double* centres, const RowSums& sums) {
  const std::size_t width = block.n_columns;
  for (std::size_t start = 0; start < block.n_rows; start += kRowsOfSquares) {
    const std::size_t end = block.n_rows - start < kRowsOfSquares ? block.n_rows : start + kRowsOfSquares;
    for (std::size_t r = start; r < end; ++r) {
      const T* __restrict x = block.first + r * block.stride;
      const double* __restrict centre = centres;
      const std::size_t at = static_cast<std::size_t>(block.classes[r]) * sums.stride;
      double* __restrict sum = sums.sums + at;
      double* __restrict rest = sums.sum_rests + at;
      double* __restrict square = sums.block + at;
      std::size_t j = 0;
      for (; j + kWidth <= width; j += kWidth) {
        const Vec value = vec_load(x + j);
        TwinVec total{vec_load(sum + j), vec_load(rest + j)};
        twin_add(total, value);
        vec_store(sum + j, total.hi);
        vec_store(rest + j, total.lo);
        const Vec distance = vec_sub(value, vec_load(centre + j));
        vec_store(square + j, vec_multiply_add(distance, distance, vec_load(square + j)));
      }
      for (; j < width; ++j) {
        const double value = static_cast<double>(x[j]);
        add_to(sum[j], rest[j], value);
        const double distance = value - centre[j];
        square[j] += distance * distance;
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
