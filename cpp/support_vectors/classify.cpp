#include "support_vectors/classify.hpp"

#include <algorithm>

#include "moments/dot_kernels.hpp"
#include "support_vectors/gaussian_kernels.hpp"

namespace thresher {
namespace {

// Blocks of the mirrored triangle that stay in the cache.
constexpr std::size_t kBlock = 32;

// Copies what is right of the diagonal to what is below it.
void mirror(std::span<double> square, std::size_t n) {
  for (std::size_t row_block = 0; row_block < n; row_block += kBlock) {
    for (std::size_t column_block = 0; column_block <= row_block; column_block += kBlock) {
      for (std::size_t i = row_block; i < std::min(n, row_block + kBlock); ++i) {
        for (std::size_t j = column_block; j < std::min(i, column_block + kBlock); ++j)
          square[i * n + j] = square[j * n + i];
      }
    }
  }
}

// Turns the inner products into similarities.
void compare(const LabelledRows& rows) {
  const std::size_t n = rows.classes.size();
  std::vector<double> squares(n);
  for (std::size_t i = 0; i < n; ++i) squares[i] = rows.own[i * n + i];
  for (std::size_t i = 0; i < n; ++i) {
    double* right = rows.own.data() + i * n + i;
    gaussians().similarities(right, right, squares.data() + i, squares[i], rows.gamma, n - i);
  }
  mirror(rows.own, n);
  for (std::size_t i = 0; i < rows.squares.size(); ++i) {
    double* row = rows.others.data() + i * n;
    gaussians().similarities(row, row, squares.data(), rows.squares[i], rows.gamma, n);
  }
}

// Returns the chosen columns of the rows `from`.
std::vector<double> gather(std::span<const double> kernel, std::size_t n, std::span<const std::size_t> from,
                           std::span<const std::size_t> chosen) {
  std::vector<double> part;
  part.reserve(from.size() * chosen.size());
  for (const std::size_t i : from) {
    for (const std::size_t j : chosen) part.push_back(kernel[i * n + j]);
  }
  return part;
}

// The rows of two classes, and their signs.
struct Pair {
  std::vector<std::size_t> members;
  std::vector<double> signs;

  Pair(std::span<const std::int32_t> classes, std::size_t first, std::size_t second) {
    for (std::size_t i = 0; i < classes.size(); ++i) {
      const auto label = static_cast<std::size_t>(classes[i]);
      if (label != first && label != second) continue;
      members.push_back(i);
      signs.push_back(label == first ? 1.0 : -1.0);
    }
  }

  bool has_both() const {
    const auto n_first = static_cast<std::size_t>(std::ranges::count(signs, 1.0));
    return n_first > 0 && n_first < signs.size();
  }
};

}  // namespace

std::vector<double> decide_pairs(const LabelledRows& rows, const MachineOptions& options, Interrupt& interrupt) {
  const std::size_t n = rows.classes.size();
  const std::size_t n_others = rows.squares.size();
  const std::size_t n_pairs = rows.n_classes * (rows.n_classes - 1) / 2;
  compare(rows);
  std::vector<std::size_t> all_others(n_others);
  for (std::size_t i = 0; i < n_others; ++i) all_others[i] = i;
  std::vector<double> decisions(n_others * n_pairs);
  std::size_t column = 0;
  for (std::size_t first = 0; first < rows.n_classes; ++first) {
    for (std::size_t second = first + 1; second < rows.n_classes; ++second, ++column) {
      const Pair pair(rows.classes, first, second);
      const std::size_t n_members = pair.members.size();
      if (!pair.has_both()) continue;
      std::vector<double> own_part, others_part;
      std::span<const double> own = rows.own;
      std::span<const double> others = rows.others;
      if (n_members < n) {
        own = own_part = gather(rows.own, n, pair.members, pair.members);
        others = others_part = gather(rows.others, n, all_others, pair.members);
      }
      Machine machine(pair.signs);
      machine.train(own, options, interrupt);
      const double bias = machine.bias(options);
      for (std::size_t i = 0; i < n_others; ++i) {
        const double* row = others.data() + i * n_members;
        decisions[i * n_pairs + column] = bias + dots().dot_float64(row, 0.0, machine.duals().data(), n_members);
      }
    }
  }
  return decisions;
}

}  // namespace thresher
