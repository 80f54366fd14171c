#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/sorting.hpp"
#include "discretize/columns.hpp"
#include "discretize/cuts.hpp"
#include "moments/moment_kernels.hpp"

namespace thresher {
namespace {

// Values within this of a threshold, relative to mean and deviation, are at the threshold.
constexpr double kSlack = 1e-12;

double sum_of(std::span<const double> values) {
  double sum = 0.0;
  for (const double value : values) sum += value;
  return sum;
}

template <class T>
class EqualFrequency {
 public:
  EqualFrequency(std::size_t n_bins, const CutOptions& options)
      : n_bins_(n_bins), weights_(options.weights), whole_(whole_weights(options.weights)) {}

  void operator()(const T* x, std::size_t n, std::vector<double>& out) {
    const auto values = present_.read(x, n, weights_);
    if (values.empty()) return;
    if (weights_.empty()) {
      plain(sorter_.sort_keys(values.data(), values.size()), out);
    } else {
      weighted(sorter_.sort_rows(values.data(), values.size()), out);
    }
  }

 private:
  using Key = KeyOf<T>;

  void add(Key below, Key above, std::vector<double>& out) const {
    out.push_back(cut_between(static_cast<double>(value_of_key<T>(below)), static_cast<double>(value_of_key<T>(above))));
  }

  std::uint64_t bin(std::uint64_t less, std::uint64_t equal, std::uint64_t n) const {
    return n_bins_ * (2 * less + equal) / (2 * n);
  }

  void plain(std::span<const Key> keys, std::vector<double>& out) const {
    const std::size_t n = keys.size();
    std::uint64_t previous = 0;
    for (std::size_t begin = 0; begin < n;) {
      std::size_t end = begin + 1;
      while (end < n && keys[end] == keys[begin]) ++end;
      const std::uint64_t here = bin(begin, end - begin, n);
      if (begin > 0 && here != previous) add(keys[begin - 1], keys[begin], out);
      previous = here;
      begin = end;
    }
  }

  void weighted(std::span<const KeyedRow<Key>> rows, std::vector<double>& out) const {
    const std::size_t n = rows.size();
    const double total = sum_of(present_.weights());
    double less = 0.0;
    double previous = 0.0;
    for (std::size_t begin = 0; begin < n;) {
      std::size_t end = begin;
      double equal = 0.0;
      for (; end < n && rows[end].key == rows[begin].key; ++end) equal += present_.weights()[rows[end].row];
      const double here =
          whole_ ? static_cast<double>(bin(static_cast<std::uint64_t>(less), static_cast<std::uint64_t>(equal),
                                           static_cast<std::uint64_t>(total)))
                 : std::floor(static_cast<double>(n_bins_) * (2.0 * less + equal) / (2.0 * total));
      if (begin > 0 && here != previous) add(rows[begin - 1].key, rows[begin].key, out);
      previous = here;
      less += equal;
      begin = end;
    }
  }

  std::size_t n_bins_;
  std::span<const double> weights_;
  bool whole_;
  PresentValues<T> present_;
  Sorter<T> sorter_;
};

// Smallest and largest value on each side of ascending thresholds; a value is above a threshold if it is larger.
template <class T>
void cuts_at_thresholds(std::span<const T> values, std::span<const double> thresholds, std::vector<double>& out) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  std::vector<double> low(thresholds.size() + 1, kInfinity);
  std::vector<double> high(thresholds.size() + 1, -kInfinity);
  for (const T x : values) {
    const auto value = static_cast<double>(x);
    std::size_t level = 0;
    for (const double threshold : thresholds) level += value > threshold ? 1u : 0u;
    low[level] = std::min(low[level], value);
    high[level] = std::max(high[level], value);
  }
  bool any = false;
  double below = 0.0;
  for (std::size_t level = 0; level < low.size(); ++level) {
    if (low[level] > high[level]) continue;
    if (any) out.push_back(cut_between(below, low[level]));
    below = high[level];
    any = true;
  }
}

template <class T>
class EqualWidth {
 public:
  EqualWidth(std::size_t n_bins, const CutOptions& options) : n_bins_(n_bins), weights_(options.weights) {}

  void operator()(const T* x, std::size_t n, std::vector<double>& out) {
    const auto values = present_.read(x, n, weights_);
    if (values.empty()) return;
    const auto [smallest, largest] = std::minmax_element(values.begin(), values.end());
    const auto low = static_cast<double>(*smallest);
    const auto high = static_cast<double>(*largest);
    if (!(low < high)) return;
    thresholds_.clear();
    const auto bins = static_cast<double>(n_bins_);
    // Near the largest double the sum would overflow: divide first.
    const bool large = std::max(std::fabs(low), std::fabs(high)) > 1e300;
    for (std::size_t k = 1; k < n_bins_; ++k) {
      const auto upper = static_cast<double>(k);
      const auto lower = static_cast<double>(n_bins_ - k);
      thresholds_.push_back(large ? low * (lower / bins) + high * (upper / bins) : (low * lower + high * upper) / bins);
    }
    cuts_at_thresholds(values, std::span<const double>(thresholds_), out);
  }

 private:
  std::size_t n_bins_;
  std::span<const double> weights_;
  PresentValues<T> present_;
  std::vector<double> thresholds_;
};

template <class T>
class MeanSd {
 public:
  MeanSd(double t, const CutOptions& options) : t_(t), weights_(options.weights) {}

  void operator()(const T* x, std::size_t n, std::vector<double>& out) {
    const auto values = present_.read(x, n, weights_);
    if (values.empty()) return;
    const double* weights = weights_.empty() ? nullptr : present_.weights().data();
    const double rows = weights_.empty() ? static_cast<double>(values.size()) : sum_of(present_.weights());
    const RangeSum range = typed(kernels_, values.data()).range_sum(values.data(), weights, values.size());
    if (!(range.minimum < range.maximum)) return;
    const double magnitude = std::max(std::fabs(range.minimum), std::fabs(range.maximum));
    if (magnitude > 1e140 || range.maximum - range.minimum < 1e-140) {
      scaled(values, weights, rows, magnitude, out);
    } else {
      const double mean = range.sum / rows;
      cut(values, mean, typed(kernels_, values.data()).centred_sums(values.data(), weights, values.size(), mean), rows,
          1.0, out);
    }
  }

 private:
  void cut(std::span<const T> values, double mean, CentredSums sums, double rows, double unit,
           std::vector<double>& out) const {
    const double variance = (sums.squares - sums.sum * (sums.sum / rows)) / rows;
    const double reach = t_ * std::sqrt(std::max(variance, 0.0));
    const double slack = kSlack * (std::fabs(mean) + reach);
    const double thresholds[2] = {(mean - reach + slack) * unit, (mean + reach + slack) * unit};
    cuts_at_thresholds(values, std::span<const double>(thresholds), out);
  }

  // Squares would overflow or vanish: work on values near 1.
  void scaled(std::span<const T> values, const double* weights, double rows, double magnitude,
              std::vector<double>& out) {
    const double unit = std::ldexp(1.0, std::clamp(std::ilogb(magnitude), -1000, 1000));
    scaled_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) scaled_[i] = static_cast<double>(values[i]) / unit;
    const double mean = kernels_.float64.range_sum(scaled_.data(), weights, scaled_.size()).sum / rows;
    cut(values, mean, kernels_.float64.centred_sums(scaled_.data(), weights, scaled_.size(), mean), rows, unit, out);
  }

  double t_;
  std::span<const double> weights_;
  const MomentKernels& kernels_ = THRESHER_DISPATCH(moment_kernels);
  PresentValues<T> present_;
  std::vector<double> scaled_;
};

}  // namespace

double cut_between(double a, double b) {
  double middle = (a + b) / 2.0;
  if (!std::isfinite(middle)) middle = a / 2.0 + b / 2.0;
  return middle >= a && middle < b ? middle : a;
}

Cuts cuts_equal_frequency(NumericMatrix matrix, std::size_t n_bins, const CutOptions& options, Interrupt& interrupt) {
  return learn_cuts(matrix, options, interrupt,
                    [&]<class T>(const T*) { return EqualFrequency<T>(n_bins, options); });
}

Cuts cuts_equal_width(NumericMatrix matrix, std::size_t n_bins, const CutOptions& options, Interrupt& interrupt) {
  return learn_cuts(matrix, options, interrupt, [&]<class T>(const T*) { return EqualWidth<T>(n_bins, options); });
}

Cuts cuts_mean_sd(NumericMatrix matrix, double t, const CutOptions& options, Interrupt& interrupt) {
  return learn_cuts(matrix, options, interrupt, [&]<class T>(const T*) { return MeanSd<T>(t, options); });
}

}  // namespace thresher
