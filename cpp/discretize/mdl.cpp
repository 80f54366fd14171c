// Fayyad and Irani's recursive cuts, accepted by minimum description length.
#include <algorithm>
#include <cstdint>
#include <numeric>
#include <stdexcept>

#include "core/sorting.hpp"
#include "core/xlogx.hpp"
#include "discretize/columns.hpp"
#include "discretize/cuts.hpp"

namespace thresher {
namespace {

double log2_of(double x) { return log2_double_double(x).hi; }

// log2(3^k - 2).
double log2_power_term(std::size_t k) {
  if (k > 33) return static_cast<double>(k) * log2_of(3.0);
  double power = 1.0;
  for (std::size_t i = 0; i < k; ++i) power *= 3.0;
  return log2_of(power - 2.0);
}

// c log2 c of whole counts, in fixed point: cuts of equal gain tie exactly, and sums do not depend on their order.
struct WholeCounts {
  using Count = std::uint64_t;
  using Term = std::int64_t;
  const XLogX& table;

  Term operator()(Count count) const { return table(count); }
  double bits(Term term) const { return static_cast<double>(term) / table.scale(); }
};

// The same for weights that are not integers.
struct RealCounts {
  using Count = double;
  using Term = double;

  Term operator()(Count count) const { return xlogx_real(count).hi; }
  double bits(Term term) const { return term; }
};

double total_weight(std::span<const double> weights, std::size_t n_rows) {
  return weights.empty() ? static_cast<double>(n_rows) : std::accumulate(weights.begin(), weights.end(), 0.0);
}

template <class T, class Counts>
class MdlLearner {
 public:
  MdlLearner(std::span<const std::int32_t> classes, std::size_t n_classes, bool distinct_count,
             std::span<const double> weights, Counts counts)
      : classes_(classes),
        distinct_count_(distinct_count),
        weights_(weights),
        counts_(counts),
        all_(n_classes),
        left_(n_classes),
        remaining_(n_classes),
        sorter_(weights, true) {}

  void operator()(const T* base, std::size_t n, std::size_t begin, std::size_t end, CutLists& out) {
    sorter_.visit(base, n, begin, end,
                  [&](std::size_t feature, const SortedColumn<T>& sorted) { learn(sorted, out[feature]); });
  }

 private:
  using Count = typename Counts::Count;
  using Term = typename Counts::Term;

  struct Range {
    std::size_t begin;
    std::size_t end;
  };

  // One side of a cut: rows, sum of the terms of its classes, classes present.
  struct Side {
    Count rows{};
    Term terms{};
    std::size_t classes = 0;
  };

  void learn(const SortedColumn<T>& sorted, std::vector<double>& out) {
    values_ = sorted.values;
    if (values_.size() < 2) return;
    labels_.resize(values_.size());
    row_weights_.resize(weights_.empty() ? 0 : values_.size());
    for (std::size_t i = 0; i < values_.size(); ++i) {
      labels_[i] = static_cast<std::uint32_t>(classes_[sorted.rows[i]]);
      if (!weights_.empty()) row_weights_[i] = static_cast<Count>(weights_[sorted.rows[i]]);
    }
    splits_.clear();
    pending_.assign(1, {0, values_.size()});
    while (!pending_.empty()) {
      const Range range = pending_.back();
      pending_.pop_back();
      const std::size_t split = accepted_split(range);
      if (split == 0) continue;
      splits_.push_back(split);
      pending_.push_back({range.begin, split});
      pending_.push_back({split, range.end});
    }
    std::sort(splits_.begin(), splits_.end());
    for (const std::size_t split : splits_) {
      out.push_back(cut_between(static_cast<double>(values_[split - 1]), static_cast<double>(values_[split])));
    }
  }

  Count weight(std::size_t i) const { return row_weights_.empty() ? Count{1} : row_weights_[i]; }
  // rows times entropy.
  Term scatter(const Side& side) const { return counts_(side.rows) - side.terms; }
  double entropy(const Side& side) const { return counts_.bits(scatter(side)) / static_cast<double>(side.rows); }

  // Returns the best cut of the range (the index of the first value above it), 0 if none is worth its description. Of
  // cuts with equal gain the lowest is taken.
  std::size_t accepted_split(Range range) {
    const Side whole = count(range);
    if (whole.classes < 2) return 0;
    std::fill(left_.begin(), left_.end(), Count{});
    Side left;
    Side right = whole;
    Side best_left;
    Side best_right;
    Term best{};
    std::size_t split = 0;
    std::size_t n_cuts = 0;
    for (std::size_t i = range.begin; i + 1 < range.end; ++i) {
      move(labels_[i], weight(i), left, right);
      if (values_[i] == values_[i + 1]) continue;
      ++n_cuts;
      const Term remaining = scatter(left) + scatter(right);
      if (split == 0 || remaining < best) {
        best = remaining;
        split = i + 1;
        best_left = left;
        best_right = right;
      }
    }
    if (split == 0) return 0;
    return worth_it(whole, best_left, best_right, best, n_cuts) ? split : 0;
  }

  Side count(Range range) {
    std::fill(all_.begin(), all_.end(), Count{});
    std::fill(remaining_.begin(), remaining_.end(), 0u);
    Side side;
    for (std::size_t i = range.begin; i < range.end; ++i) {
      all_[labels_[i]] += weight(i);
      ++remaining_[labels_[i]];
      side.rows += weight(i);
    }
    for (const Count rows : all_) {
      if (rows == Count{}) continue;
      side.terms += counts_(rows);
      ++side.classes;
    }
    return side;
  }

  void move(std::size_t label, Count rows, Side& left, Side& right) {
    const Count left_before = left_[label];
    const Count left_after = left_before + rows;
    const Count right_before = all_[label];
    // Real weights may leave a rounding where nothing is left.
    const Count right_after = --remaining_[label] == 0 ? Count{} : right_before - rows;
    left.rows += rows;
    right.rows -= rows;
    left.terms += counts_(left_after) - counts_(left_before);
    right.terms += counts_(right_after) - counts_(right_before);
    left.classes += left_before == Count{} ? 1u : 0u;
    right.classes -= remaining_[label] == 0 ? 1u : 0u;
    left_[label] = left_after;
    all_[label] = right_after;
  }

  bool worth_it(const Side& whole, const Side& left, const Side& right, Term remaining, std::size_t n_cuts) const {
    const double gain = counts_.bits(scatter(whole) - remaining);
    const auto n = static_cast<double>(whole.rows);
    const double choices = distinct_count_ ? static_cast<double>(n_cuts) : n - 1.0;
    if (!(gain > 0.0) || !(choices > 0.0)) return false;
    const double price =
        log2_of(choices) + log2_power_term(whole.classes) -
        (static_cast<double>(whole.classes) * entropy(whole) - static_cast<double>(left.classes) * entropy(left) -
         static_cast<double>(right.classes) * entropy(right));
    return gain > price;
  }

  std::span<const std::int32_t> classes_;
  bool distinct_count_;
  std::span<const double> weights_;
  Counts counts_;
  std::vector<Count> all_;
  std::vector<Count> left_;
  std::vector<std::uint32_t> remaining_;
  std::vector<std::uint32_t> labels_;
  std::vector<Count> row_weights_;
  std::vector<Range> pending_;
  std::vector<std::size_t> splits_;
  std::span<const T> values_;
  ColumnSorter<T> sorter_;
};

}  // namespace

Cuts cuts_mdl(NumericMatrix matrix, std::span<const std::int32_t> classes, std::size_t n_classes, bool distinct_count,
              const CutOptions& options, Interrupt& interrupt) {
  if (classes.size() != matrix.n_rows) throw std::invalid_argument("classes must have one entry per row");
  if (!whole_weights(options.weights)) {
    return learn_cuts(matrix, options, interrupt, [&]<class T>(const T*) {
      return MdlLearner<T, RealCounts>(classes, n_classes, distinct_count, options.weights, RealCounts{});
    });
  }
  const XLogX table(static_cast<std::uint64_t>(total_weight(options.weights, matrix.n_rows)));
  return learn_cuts(matrix, options, interrupt, [&]<class T>(const T*) {
    return MdlLearner<T, WholeCounts>(classes, n_classes, distinct_count, options.weights, WholeCounts{table});
  });
}

template <class T>
Cuts cuts_mdl(const SparseCutData<T>& data, std::span<const std::int32_t> classes, std::size_t n_classes,
              bool distinct_count, const CutOptions& options) {
  using Weights = std::span<const double>;
  using Classes = std::span<const std::int32_t>;
  if (classes.size() != data.columns.n_rows) throw std::invalid_argument("classes must have one entry per row");
  if (!whole_weights(options.weights)) {
    return learn_cuts(data, classes, n_classes, options, [&](Weights weights, Classes labels) {
      return MdlLearner<T, RealCounts>(labels, n_classes, distinct_count, weights, RealCounts{});
    });
  }
  const XLogX table(static_cast<std::uint64_t>(total_weight(options.weights, data.columns.n_rows)));
  return learn_cuts(data, classes, n_classes, options, [&](Weights weights, Classes labels) {
    return MdlLearner<T, WholeCounts>(labels, n_classes, distinct_count, weights, WholeCounts{table});
  });
}

template Cuts cuts_mdl(const SparseCutData<float>&, std::span<const std::int32_t>, std::size_t, bool,
                       const CutOptions&);
template Cuts cuts_mdl(const SparseCutData<double>&, std::span<const std::int32_t>, std::size_t, bool,
                       const CutOptions&);

}  // namespace thresher
