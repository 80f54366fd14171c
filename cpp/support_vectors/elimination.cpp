#include "support_vectors/elimination.hpp"

#include <algorithm>
#include <limits>

#include "core/parallel.hpp"
#include "core/rounding.hpp"
#include "moments/dot_kernels.hpp"

namespace thresher {
namespace {

constexpr int kBits = 32;

// Inner products of rows, over the features added less those taken away.
class InnerProducts {
 public:
  InnerProducts(const DenseColumns<double>& columns, std::size_t n_threads)
      : columns_(columns), n_threads_(n_threads), values_(columns.n_rows * columns.n_rows) {}

  void build(std::span<const std::uint32_t> features) {
    std::fill(values_.begin(), values_.end(), 0.0);
    add(features, 1.0);
  }

  void take_away(std::span<const std::uint32_t> features) { add(features, -1.0); }

  std::span<const double> values() const { return values_; }

 private:
  void add(std::span<const std::uint32_t> features, double sign) {
    const std::size_t n = columns_.n_rows;
    // To copy one half from the other costs about as much as the products of a few features.
    const bool halves = features.size() >= kFeaturesToHalve;
    parallel_for((n + kTile - 1) / kTile, 1, n_threads_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t block = begin; block < end; ++block) {
        for (std::size_t i = 0; i < features.size(); ++i) {
          if (i % 4096 == 0) check_interrupt();
          const double* x = columns_.column(features[i]).data();
          for (std::size_t row = block * kTile; row < std::min(n, (block + 1) * kTile); ++row) {
            const std::size_t first = halves ? row : 0;
            if (x[row] == 0.0) continue;
            dots().subtract(values_.data() + row * n + first, -sign * x[row], x + first, n - first);
          }
        }
      }
    });
    if (halves) mirror();
  }

  // Copies the products above the diagonal below it, in tiles.
  void mirror() {
    const std::size_t n = columns_.n_rows;
    for (std::size_t above = 0; above < n; above += kTile) {
      for (std::size_t below = above; below < n; below += kTile) {
        for (std::size_t row = below; row < std::min(n, below + kTile); ++row) {
          for (std::size_t column = above; column < std::min(row, above + kTile); ++column) {
            values_[row * n + column] = values_[column * n + row];
          }
        }
      }
    }
  }

  static constexpr std::size_t kTile = 16;
  static constexpr std::size_t kFeaturesToHalve = 4;

  const DenseColumns<double>& columns_;
  std::size_t n_threads_;
  std::vector<double> values_;
};

}  // namespace

Eliminated eliminate(const EliminationInput& input, const MachineOptions& options, Interrupt& interrupt) {
  const std::size_t n = input.columns.n_rows;
  std::vector<Machine> machines;
  for (std::size_t start = 0; start < input.signs.size(); start += n) {
    machines.emplace_back(input.signs.subspan(start, n));
  }
  Eliminated result;
  result.scores.assign(input.columns.n_features, std::numeric_limits<double>::quiet_NaN());
  std::vector<std::uint32_t> left(input.used.begin(), input.used.end());
  InnerProducts products(input.columns, input.n_threads);
  products.build(left);
  std::size_t built_with = left.size();
  std::size_t n_rounds = 0;
  for (const std::uint32_t count : input.counts) {
    for (Machine& machine : machines) {
      if (!machine.train(products.values(), options, interrupt)) ++result.n_unfinished;
    }
    parallel_for(left.size(), 1024, input.n_threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        double total = 0.0;
        for (const Machine& machine : machines) {
          const double weight =
              dots().dot_float64(input.columns.column(left[i]).data(), 0.0, machine.duals().data(), n);
          total += weight * weight;
        }
        result.scores[left[i]] = round_significant(total, kBits);
      }
    });
    std::vector<std::uint32_t> out;
    std::copy_if(left.begin(), left.end(), std::back_inserter(out), [&](auto f) { return input.never[f] == 0; });
    const std::size_t n_out = std::min<std::size_t>(count, out.size());
    const auto end = out.begin() + static_cast<std::ptrdiff_t>(n_out);
    std::partial_sort(out.begin(), end, out.end(), [&](std::uint32_t a, std::uint32_t b) {
      return result.scores[a] != result.scores[b] ? result.scores[a] < result.scores[b] : a < b;
    });
    out.resize(n_out);
    result.dropped.insert(result.dropped.end(), out.begin(), out.end());
    std::sort(out.begin(), out.end());
    std::erase_if(left, [&](std::uint32_t f) { return std::binary_search(out.begin(), out.end(), f); });
    if (left.size() <= built_with / 2) {
      products.build(left);
      built_with = left.size();
    } else {
      products.take_away(out);
    }
    if (input.progress) input.progress(++n_rounds, left.size());
  }
  return result;
}

}  // namespace thresher
