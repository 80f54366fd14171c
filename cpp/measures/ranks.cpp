#include "measures/ranks.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <type_traits>

#include "core/feature_loop.hpp"
#include "core/parallel.hpp"
#include "core/rounding.hpp"
#include "core/sorting.hpp"
#include "measures/rank_kernels.hpp"

namespace thresher {
namespace {

constexpr std::int64_t kNarrowRows = 32768;
// Sums of n squares of ranks stay below 2^63 up to here.
constexpr std::size_t kLongRows = 3000000;

// As many products of ranks of n rows as surely fit 32 bits.
std::size_t narrow_run(std::size_t n) {
  // Whole sums are below n^3 / 3 by Cauchy-Schwarz.
  if (n <= 1860) return n;
  const std::size_t largest = (n - 1) * (n - 1);
  return std::max<std::size_t>(std::numeric_limits<std::int32_t>::max() / largest, 1);
}

// Returns the sum of weights below 2^31 that are all integers; 0 for others.
std::int64_t count_rows(std::size_t n_rows, std::span<const double> weights) {
  if (weights.empty()) return static_cast<std::int64_t>(n_rows);
  if (weights.size() != n_rows) throw std::invalid_argument("weights must have one entry per row");
  double total = 0.0;
  bool whole = true;
  for (const double weight : weights) {
    if (!(weight >= 0.0)) throw std::invalid_argument("weights must not be negative");
    whole = whole && weight <= 0x1p31 - 1 - total && weight == std::floor(weight);
    if (whole) total += weight;
  }
  return whole ? static_cast<std::int64_t>(total) : 0;
}

DoubleDouble exactly(std::int64_t value) {
  return two_sum(static_cast<double>(value >> 32) * 0x1p32, static_cast<double>(value & 0xffffffff));
}

DoubleDouble exactly(WideSum sum) { return exactly(sum.high) * 0x1p32 + exactly(static_cast<std::int64_t>(sum.low)); }

// Sum of weight times product. Exact: weights sum to less than 2^31 and products are below 2^62.
template <class D>
DoubleDouble weighted_dot(const D* a, const D* b, std::span<const double> weights) {
  WideSum total{0, 0};
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const std::int64_t product = static_cast<std::int64_t>(a[i]) * b[i];
    const auto weight = static_cast<std::int64_t>(weights[i]);
    total.high += (product >> 32) * weight;
    total.low += (static_cast<std::uint64_t>(product) & 0xffffffffu) * static_cast<std::uint64_t>(weight);
  }
  total.high += static_cast<std::int64_t>(total.low >> 32);
  total.low &= 0xffffffffu;
  return exactly(total);
}

DoubleDouble weighted_dot(const DoubleDouble* a, const DoubleDouble* b, std::span<const double> weights) {
  DoubleDouble total;
  for (std::size_t i = 0; i < weights.size(); ++i) total += a[i] * b[i] * weights[i];
  return total;
}

// Sums are integers, or two doubles, which are then the ranks.
template <class Sum, class T, class D>
void rank_column(const SortedColumn<T>& sorted, std::span<const double> weights, Sum total, D* out) {
  using Weight = std::conditional_t<std::is_same_v<Sum, DoubleDouble>, double, Sum>;
  const auto values = sorted.values;
  Sum less{};
  for (std::size_t begin = 0; begin < values.size();) {
    std::size_t end = begin;
    Sum equal{};
    do {
      equal += weights.empty() ? Weight{1} : static_cast<Weight>(weights[sorted.rows[end]]);
      ++end;
    } while (end < values.size() && values[end] == values[begin]);
    const auto rank = static_cast<D>(less + less + equal - total);
    for (std::size_t i = begin; i < end; ++i) out[sorted.rows[i]] = rank;
    less += equal;
    begin = end;
  }
}

// rank(feature, sorted column) for all features.
template <class Rank>
void for_sorted_columns(NumericMatrix matrix, std::size_t n_threads, Interrupt& interrupt, Rank&& rank) {
  visit_type(matrix, [&](const auto* base) {
    using T = std::remove_cv_t<std::remove_pointer_t<decltype(base)>>;
    for_features(matrix.n_features, 8 * matrix.n_rows, n_threads, interrupt, [&](std::size_t begin, std::size_t end) {
      ColumnSorter<T> sorter({}, true);
      sorter.visit(base, matrix.n_rows, begin, end, [&](std::size_t feature, const SortedColumn<T>& sorted) {
        if (sorted.rows.size() != matrix.n_rows) throw std::invalid_argument("ranks need values that are not NaN");
        rank(feature, sorted);
      });
    });
  });
}

}  // namespace

DoubledRanks doubled_ranks(NumericMatrix matrix, std::span<const double> weights, std::size_t n_threads,
                           Interrupt& interrupt) {
  if (matrix.n_rows > std::numeric_limits<std::int32_t>::max()) throw std::invalid_argument("more than 2^31 rows");
  DoubledRanks ranks{matrix.n_features, matrix.n_rows, {}, {}, {}};
  const auto rank_all = [&](auto& out, auto total) {
    out.resize(matrix.n_features * matrix.n_rows);
    for_sorted_columns(matrix, n_threads, interrupt, [&](std::size_t feature, const auto& sorted) {
      rank_column(sorted, weights, total, out.data() + feature * matrix.n_rows);
    });
  };
  const std::int64_t total = count_rows(matrix.n_rows, weights);
  if (total > 0 && total <= kNarrowRows) {
    rank_all(ranks.narrow, total);
  } else if (total > 0) {
    rank_all(ranks.wide, total);
  } else {
    DoubleDouble sum;
    for (const double weight : weights) sum += weight;
    rank_all(ranks.real, sum);
  }
  return ranks;
}

RankPairMeasure::RankPairMeasure(NumericMatrix matrix, std::span<const double> weights, std::size_t n_threads,
                                 Interrupt& interrupt)
    : n_threads_(n_threads),
      weights_(weights.begin(), weights.end()),
      ranks_(doubled_ranks(matrix, weights, n_threads, interrupt)),
      square_(matrix.n_features),
      norm_(matrix.n_features) {
  for_features(n_features(), n_rows(), n_threads, interrupt, [&](std::size_t begin, std::size_t end) {
    for (std::size_t feature = begin; feature < end; ++feature) {
      square_[feature] = dot(ranks_, feature, feature);
      norm_[feature] = std::sqrt(square_[feature].hi);
    }
  });
}

DoubleDouble RankPairMeasure::dot(const DoubledRanks& other, std::size_t index, std::size_t feature) const {
  const RankKernels& kernels = THRESHER_DISPATCH(rank_kernels);
  const std::size_t n = n_rows();
  if (!weights_.empty()) {
    const auto weighted = [&](const auto& a, const auto& b) {
      return weighted_dot(a.data() + index * n, b.data() + feature * n, weights_);
    };
    if (!ranks_.real.empty()) return weighted(other.real, ranks_.real);
    return ranks_.narrow.empty() ? weighted(other.wide, ranks_.wide) : weighted(other.narrow, ranks_.narrow);
  }
  if (!ranks_.narrow.empty()) {
    return exactly(
        kernels.dot16(other.narrow.data() + index * n, ranks_.narrow.data() + feature * n, n, narrow_run(n)));
  }
  const std::int32_t* a = other.wide.data() + index * n;
  const std::int32_t* b = ranks_.wide.data() + feature * n;
  if (n <= kLongRows) return exactly(kernels.dot32(a, b, n));
  return exactly(kernels.dot32_wide(a, b, n));
}

void RankPairMeasure::associate(const RankPairMeasure& other, std::size_t index,
                                std::span<const std::uint32_t> features, std::span<double> out) const {
  const std::size_t grain = std::max<std::size_t>((std::size_t{1} << 17) / (n_rows() + 1), 1);
  parallel_for(features.size(), grain, n_threads_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double scale = other.norm_[index] * norm_[features[i]];
      out[i] = 0.0;
      if (!(scale > 0.0)) continue;
      const DoubleDouble product = dot(other.ranks_, index, features[i]);
      // Six roundings at most.
      const double value = std::fabs(product.hi) / scale;
      out[i] = round_if_sure(value, value * 0x1p-50, [](double x) { return round_bounded(x); });
      if (!std::isnan(out[i])) continue;
      out[i] = round_bounded(square_root((product / square_[features[i]]) * (product / other.square_[index])));
    }
  });
}

void RankPairMeasure::values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) {
  associate(*this, reference, features, out);
}

std::vector<double> RankPairMeasure::relevance(std::span<const double> target) const {
  if (target.size() != n_rows()) throw std::invalid_argument("the target must have one value per row");
  NeverInterrupt never;
  const RankPairMeasure own(NumericMatrix{nullptr, target.data(), 1, target.size()}, weights_, 1, never);
  std::vector<std::uint32_t> features(n_features());
  std::iota(features.begin(), features.end(), 0u);
  std::vector<double> out(n_features());
  associate(own, 0, features, out);
  return out;
}

}  // namespace thresher
