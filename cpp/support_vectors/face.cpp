#include "support_vectors/face.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "moments/dot_kernels.hpp"

namespace thresher {
namespace {

// Added to the diagonal, as a share of its largest value: rows that other rows explain have a step too.
constexpr double kRidge = 1e-11;

// The upper triangle U with U' U = K + ridge, row by row in a square. All but one sum of a solution run along rows.
class Triangle {
 public:
  Triangle(std::span<const double> kernel, std::size_t n_rows, std::span<const std::size_t> free)
      : size_(free.size()), values_(free.size() * free.size()) {
    double largest = 0.0;
    for (const std::size_t row : free) largest = std::max(largest, kernel[row * n_rows + row]);
    const double ridge = std::max(kRidge * largest, kRidge);
    for (std::size_t i = 0; i < size_; ++i) {
      for (std::size_t j = i; j < size_; ++j) row(i)[j] = kernel[free[i] * n_rows + free[j]];
    }
    for (std::size_t i = 0; i < size_; ++i) {
      double* own = row(i);
      const double pivot = std::sqrt(std::max(own[i], 0.0) + ridge);
      own[i] = pivot;
      for (std::size_t j = i + 1; j < size_; ++j) own[j] /= pivot;
      for (std::size_t j = i + 1; j < size_; ++j) dots().subtract(row(j) + j, own[j], own + j, size_ - j);
    }
  }

  // Solves U' U x = values, in place.
  void solve(std::span<double> values) {
    for (std::size_t i = 0; i < size_; ++i) {
      values[i] /= row(i)[i];
      dots().subtract(values.data() + i + 1, values[i], row(i) + i + 1, size_ - i - 1);
    }
    for (std::size_t i = size_; i-- > 0;) {
      const double rest = dots().dot_float64(row(i) + i + 1, 0.0, values.data() + i + 1, size_ - i - 1);
      values[i] = (values[i] - rest) / row(i)[i];
    }
  }

 private:
  double* row(std::size_t i) { return values_.data() + i * size_; }

  std::size_t size_;
  std::vector<double> values_;
};

}  // namespace

std::vector<double> step_to_optimum(std::span<const double> kernel, std::size_t n_rows,
                                    std::span<const std::size_t> free, std::span<const double> gradient) {
  Triangle triangle(kernel, n_rows, free);
  // The common part of all gradients moves nothing, and would drown their differences.
  double common = 0.0;
  for (const std::size_t row : free) common += gradient[row];
  common /= static_cast<double>(free.size());
  std::vector<double> step;
  for (const std::size_t row : free) step.push_back(gradient[row] - common);
  std::vector<double> level(free.size(), 1.0);
  triangle.solve(step);
  triangle.solve(level);
  const double share =
      std::accumulate(step.begin(), step.end(), 0.0) / std::accumulate(level.begin(), level.end(), 0.0);
  for (std::size_t i = 0; i < step.size(); ++i) step[i] -= share * level[i];
  return step;
}

}  // namespace thresher
