#include <algorithm>
#include <cmath>
#include <limits>

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

// Calls learner.learn(values, out[feature]) for the features of a range.
template <class Learner, class T>
void learn_each(Learner& learner, const T* base, std::size_t n, std::size_t begin, std::size_t end, CutLists& out) {
  for (std::size_t feature = begin; feature < end; ++feature) learner.learn(base + feature * n, n, out[feature]);
}

// A cut in every gap of the values that contains one of the ascending thresholds.
template <class T>
void cuts_at_thresholds(std::span<const T> values, std::span<const double> thresholds, std::vector<double>& out) {
  constexpr std::size_t kTogether = 2048;  // values that all thresholds find in the nearest cache
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const CutKernels& kernels = THRESHER_DISPATCH(cut_kernels);
  std::vector<double> below(thresholds.size(), -kInfinity);
  std::vector<double> above(thresholds.size(), kInfinity);
  for (std::size_t begin = 0; begin < values.size(); begin += kTogether) {
    const auto some = values.subspan(begin, std::min(kTogether, values.size() - begin));
    for (std::size_t k = 0; k < thresholds.size(); ++k) {
      double largest = 0.0;
      double smallest = 0.0;
      typed(kernels, some.data()).neighbours(some.data(), some.size(), thresholds[k], &largest, &smallest);
      below[k] = std::max(below[k], largest);
      above[k] = std::min(above[k], smallest);
    }
  }
  const std::size_t before = out.size();
  for (std::size_t k = 0; k < thresholds.size(); ++k) {
    if (!std::isfinite(below[k]) || !std::isfinite(above[k])) continue;
    const double cut = cut_between(below[k], above[k]);
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
    if (weights_.empty() && n > 0) {
      // A missing value shows in the sum, so it need not be searched for first.
      const RangeSum range = typed(kernels_, x).range_sum(x, nullptr, n);
      if (!std::isnan(range.sum)) return learn({x, n}, nullptr, static_cast<double>(n), range, out);
    }
    const auto values = present_.read(x, n, weights_);
    if (values.empty()) return;
    const double* weights = weights_.empty() ? nullptr : present_.weights().data();
    const double rows = weights_.empty() ? static_cast<double>(values.size()) : sum_of(present_.weights());
    learn(values, weights, rows, typed(kernels_, values.data()).range_sum(values.data(), weights, values.size()), out);
  }

 private:
  void learn(std::span<const T> values, const double* weights, double rows, RangeSum range, std::vector<double>& out) {
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

Cuts cuts_equal_width(NumericMatrix matrix, std::size_t n_bins, const CutOptions& options, Interrupt& interrupt) {
  return learn_cuts(matrix, options, interrupt, [&]<class T>(const T*) { return EqualWidth<T>(n_bins, options); });
}

Cuts cuts_mean_sd(NumericMatrix matrix, double t, const CutOptions& options, Interrupt& interrupt) {
  return learn_cuts(matrix, options, interrupt, [&]<class T>(const T*) { return MeanSd<T>(t, options); });
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

template Cuts cuts_equal_width(const SparseCutData<float>&, std::size_t, const CutOptions&);
template Cuts cuts_equal_width(const SparseCutData<double>&, std::size_t, const CutOptions&);
template Cuts cuts_mean_sd(const SparseCutData<float>&, double, const CutOptions&);
template Cuts cuts_mean_sd(const SparseCutData<double>&, double, const CutOptions&);

}  // namespace thresher
