#include <algorithm>
#include <cmath>
#include <cstdint>

#include "core/sorting.hpp"
#include "discretize/columns.hpp"
#include "discretize/cut_kernels.hpp"
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
      : n_bins_(n_bins),
        weights_(options.weights),
        whole_(whole_weights(options.weights)),
        sorter_(options.weights, !options.weights.empty()) {}

  void operator()(const T* base, std::size_t n, std::size_t begin, std::size_t end, CutLists& out) {
    sorter_.visit(base, n, begin, end, [&](std::size_t feature, const SortedColumn<T>& sorted) {
      if (!weights_.empty()) {
        weighted(sorted, out[feature]);
      } else if (!at_borders(sorted.values, out[feature])) {
        out[feature].clear();
        plain(sorted.values, out[feature]);
      }
    });
  }

 private:
  static void add(T below, T above, std::vector<double>& out) {
    out.push_back(cut_between(static_cast<double>(below), static_cast<double>(above)));
  }

  std::uint64_t bin(std::uint64_t less, std::uint64_t equal, std::uint64_t n) const {
    return n_bins_ * (2 * less + equal) / (2 * n);
  }

  // Cuts at the places where bins of distinct values change. If no run of equal values lies across such a place,
  // these are all the cuts; otherwise gives up.
  bool at_borders(std::span<const T> values, std::vector<double>& out) {
    if (borders_of_ != values.size()) {
      borders_of_ = values.size();
      borders_.clear();
      for (std::size_t i = 1; i < values.size(); ++i) {
        if (bin(i, 1, values.size()) != bin(i - 1, 1, values.size())) borders_.push_back(i);
      }
    }
    for (const std::size_t i : borders_) {
      if (values[i - 1] == values[i]) return false;
      add(values[i - 1], values[i], out);
    }
    return true;
  }

  void plain(std::span<const T> values, std::vector<double>& out) const {
    const std::size_t n = values.size();
    std::uint64_t previous = 0;
    for (std::size_t begin = 0; begin < n;) {
      std::size_t end = begin + 1;
      while (end < n && values[end] == values[begin]) ++end;
      const std::uint64_t here = bin(begin, end - begin, n);
      if (begin > 0 && here != previous) add(values[begin - 1], values[begin], out);
      previous = here;
      begin = end;
    }
  }

  void weighted(const SortedColumn<T>& sorted, std::vector<double>& out) const {
    const auto values = sorted.values;
    double total = 0.0;
    for (const std::uint32_t row : sorted.rows) total += weights_[row];
    double less = 0.0;
    double previous = 0.0;
    for (std::size_t begin = 0; begin < values.size();) {
      std::size_t end = begin;
      double equal = 0.0;
      for (; end < values.size() && values[end] == values[begin]; ++end) equal += weights_[sorted.rows[end]];
      const double here =
          whole_ ? static_cast<double>(bin(static_cast<std::uint64_t>(less), static_cast<std::uint64_t>(equal),
                                           static_cast<std::uint64_t>(total)))
                 : std::floor(static_cast<double>(n_bins_) * (2.0 * less + equal) / (2.0 * total));
      if (begin > 0 && here != previous) add(values[begin - 1], values[begin], out);
      previous = here;
      less += equal;
      begin = end;
    }
  }

  std::size_t n_bins_;
  std::span<const double> weights_;
  bool whole_;
  ColumnSorter<T> sorter_;
  std::size_t borders_of_ = 0;
  std::vector<std::size_t> borders_;
};

// Calls learner.learn(values, out[feature]) for the features of a range.
template <class Learner, class T>
void learn_each(Learner& learner, const T* base, std::size_t n, std::size_t begin, std::size_t end, CutLists& out) {
  for (std::size_t feature = begin; feature < end; ++feature) learner.learn(base + feature * n, n, out[feature]);
}

// A cut in every gap of the values that holds one of the ascending thresholds.
template <class T>
void cuts_at_thresholds(std::span<const T> values, std::span<const double> thresholds, std::vector<double>& out) {
  const CutKernels& kernels = THRESHER_DISPATCH(cut_kernels);
  const std::size_t before = out.size();
  for (const double threshold : thresholds) {
    double below = 0.0;
    double above = 0.0;
    typed(kernels, values.data()).neighbours(values.data(), values.size(), threshold, &below, &above);
    if (!std::isfinite(below) || !std::isfinite(above)) continue;
    const double cut = cut_between(below, above);
    if (out.size() == before || out.back() != cut) out.push_back(cut);
  }
}

template <class T>
class EqualWidth {
 public:
  EqualWidth(std::size_t n_bins, const CutOptions& options) : n_bins_(n_bins), weights_(options.weights) {}

  void operator()(const T* base, std::size_t n, std::size_t begin, std::size_t end, CutLists& out) {
    learn_each(*this, base, n, begin, end, out);
  }

  void learn(const T* x, std::size_t n, std::vector<double>& out) {
    const auto values = present_.read(x, n, weights_);
    if (values.empty()) return;
    const RangeSum range = typed(kernels_, values.data()).range_sum(values.data(), nullptr, values.size());
    const double low = range.minimum;
    const double high = range.maximum;
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
  const MomentKernels& kernels_ = THRESHER_DISPATCH(moment_kernels);
  PresentValues<T> present_;
  std::vector<double> thresholds_;
};

template <class T>
class MeanSd {
 public:
  MeanSd(double t, const CutOptions& options) : t_(t), weights_(options.weights) {}

  void operator()(const T* base, std::size_t n, std::size_t begin, std::size_t end, CutLists& out) {
    learn_each(*this, base, n, begin, end, out);
  }

  void learn(const T* x, std::size_t n, std::vector<double>& out) {
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
  return learn_cuts(matrix, options, interrupt, [&]<class T>(const T*) { return EqualFrequency<T>(n_bins, options); });
}

Cuts cuts_equal_width(NumericMatrix matrix, std::size_t n_bins, const CutOptions& options, Interrupt& interrupt) {
  return learn_cuts(matrix, options, interrupt, [&]<class T>(const T*) { return EqualWidth<T>(n_bins, options); });
}

Cuts cuts_mean_sd(NumericMatrix matrix, double t, const CutOptions& options, Interrupt& interrupt) {
  return learn_cuts(matrix, options, interrupt, [&]<class T>(const T*) { return MeanSd<T>(t, options); });
}

template <class T>
Cuts cuts_equal_frequency(const SparseCutData<T>& data, std::size_t n_bins, const CutOptions& options) {
  return learn_cuts(data, {}, 1, options, [&](std::span<const double> weights, auto) {
    return EqualFrequency<T>(n_bins, CutOptions{weights, 1});
  });
}

template <class T>
Cuts cuts_equal_width(const SparseCutData<T>& data, std::size_t n_bins, const CutOptions& options) {
  return learn_cuts(data, {}, 1, options, [&](std::span<const double> weights, auto) {
    return EqualWidth<T>(n_bins, CutOptions{weights, 1});
  });
}

template <class T>
Cuts cuts_mean_sd(const SparseCutData<T>& data, double t, const CutOptions& options) {
  return learn_cuts(data, {}, 1, options,
                    [&](std::span<const double> weights, auto) { return MeanSd<T>(t, CutOptions{weights, 1}); });
}

template Cuts cuts_equal_frequency(const SparseCutData<float>&, std::size_t, const CutOptions&);
template Cuts cuts_equal_frequency(const SparseCutData<double>&, std::size_t, const CutOptions&);
template Cuts cuts_equal_width(const SparseCutData<float>&, std::size_t, const CutOptions&);
template Cuts cuts_equal_width(const SparseCutData<double>&, std::size_t, const CutOptions&);
template Cuts cuts_mean_sd(const SparseCutData<float>&, double, const CutOptions&);
template Cuts cuts_mean_sd(const SparseCutData<double>&, double, const CutOptions&);

}  // namespace thresher
