#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#include "core/order_statistics.hpp"
#include "core/sorting.hpp"
#include "discretize/columns.hpp"
#include "discretize/cut_kernels.hpp"
#include "discretize/cuts.hpp"

namespace thresher {
namespace {

// bin(v) = floor(n_bins (2 less + equal) / (2 n)), and the cuts where bins of neighbouring values differ.
template <class T>
class FrequencyBins {
 public:
  explicit FrequencyBins(std::size_t n_bins) : n_bins_(n_bins) {}

  std::uint64_t bin(std::uint64_t less, std::uint64_t equal, std::uint64_t n) const {
    return n_bins_ * (2 * less + equal) / (2 * n);
  }

  static void add(T below, T above, std::vector<double>& out) {
    out.push_back(cut_between(static_cast<double>(below), static_cast<double>(above)));
  }

  // Cuts among some sorted values of n, `less` of which are smaller and none of the others equal to any of these.
  void cut(std::span<const T> values, std::uint64_t less, std::uint64_t n, std::vector<double>& out) const {
    std::uint64_t previous = 0;
    for (std::size_t begin = 0; begin < values.size();) {
      std::size_t end = begin + 1;
      while (end < values.size() && values[end] == values[begin]) ++end;
      const std::uint64_t here = bin(less + begin, end - begin, n);
      if (begin > 0 && here != previous) add(values[begin - 1], values[begin], out);
      previous = here;
      begin = end;
    }
  }

 private:
  std::size_t n_bins_;
};

// Cuts of a long column without sorting it: values are counted in buckets that keep their order, and only buckets at
// which a bin may change are looked into.
template <class T>
class BucketedCuts {
 public:
  explicit BucketedCuts(std::size_t n_bins) : n_bins_(n_bins), bins_(n_bins) {}

  // False, with nothing added, if sorting is the better way.
  bool operator()(const T* x, std::size_t n, std::vector<double>& out) {
    n_buckets_ = std::clamp(n / kPerBucket, kSample / 2, kMostBuckets);
    if (!assign_buckets(x, n)) return false;
    position_.resize(n);
    typed(THRESHER_DISPATCH(cut_kernels), x).buckets(x, n, low_, scale_, n_buckets_, position_.data());
    count();
    const std::size_t present = n - counts_[n_buckets_];
    const std::size_t n_wanted = find_wanted(present);
    if (n_wanted > n / 2) return false;
    gather(x, n_wanted);
    cut_segments(present, out);
    return true;
  }

 private:
  static constexpr std::size_t kPerBucket = 8;
  static constexpr std::size_t kMostBuckets = 4096;
  static constexpr std::size_t kSample = 256;

  // Buckets of equal width where, by a sample, the cuts are; all else falls into the first and the last one.
  bool assign_buckets(const T* x, std::size_t n) {
    std::array<T, kSample> sample;
    std::size_t size = 0;
    for (std::size_t i = 0; i < kSample; ++i) {
      const T value = x[i * n / kSample];
      if (!std::isnan(value)) sample[size++] = value;
    }
    if (size < kSample / 2) return false;
    std::sort(sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(size));
    const double share = 1.0 / static_cast<double>(n_bins_);
    const double margin = 4.0 * std::sqrt(share * (1.0 - share) / static_cast<double>(size));
    const auto first = static_cast<std::size_t>(std::max(share - margin, 0.0) * static_cast<double>(size));
    low_ = sample[first];
    scale_ = static_cast<T>(n_buckets_) / (sample[size - 1 - first] - low_);
    return std::isfinite(low_) && std::isfinite(scale_) && scale_ > T{0};
  }

  void count() {
    // Two histograms: the second of two equal positions need not wait for the first. The last bucket is for NaN.
    counts_.assign(n_buckets_ + 1, 0);
    odd_counts_.assign(n_buckets_ + 1, 0);
    const std::size_t n = position_.size();
    std::size_t i = 0;
    for (; i + 2 <= n; i += 2) {
      ++counts_[position_[i]];
      ++odd_counts_[position_[i + 1]];
    }
    if (i < n) ++counts_[position_[i]];
    for (std::size_t b = 0; b <= n_buckets_; ++b) counts_[b] += odd_counts_[b];
  }

  // Buckets in which bins may change, and those on both sides of a change: the cut is between their values. Returns how
  // many values they contain.
  std::size_t find_wanted(std::size_t present) {
    wanted_.assign(n_buckets_ + 1, 0);
    std::size_t less = 0;
    std::size_t previous = n_buckets_;
    std::uint64_t last_bin = 0;
    bool was_open = false;
    for (std::size_t b = 0; b < n_buckets_; ++b) {
      if (counts_[b] == 0) continue;
      const std::uint64_t first_bin = bins_.bin(less, 1, present);
      const bool is_after_cut = previous < n_buckets_ && (was_open || first_bin != last_bin);
      less += counts_[b];
      last_bin = bins_.bin(less - 1, 1, present);
      was_open = first_bin != last_bin;
      if (was_open || is_after_cut) {
        wanted_[b] = 1;
        if (previous < n_buckets_) wanted_[previous] = 1;
      }
      previous = b;
    }
    std::size_t sum = 0;
    for (std::size_t b = 0; b < n_buckets_; ++b) sum += wanted_[b] != 0 ? counts_[b] : 0;
    return sum;
  }

  void gather(const T* x, std::size_t n_wanted) {
    values_.clear();
    values_.reserve(n_wanted);
    const std::size_t n = position_.size();
    std::size_t i = 0;
    for (; i + 8 <= n; i += 8) {  // few of them are wanted
      unsigned found = 0;
      for (unsigned j = 0; j < 8; ++j) found |= static_cast<unsigned>(wanted_[position_[i + j]]) << j;
      for (; found != 0; found &= found - 1) take(x[i + static_cast<std::size_t>(std::countr_zero(found))]);
    }
    for (; i < n; ++i) {
      if (wanted_[position_[i]] != 0) take(x[i]);
    }
    std::sort(values_.begin(), values_.end(), [](T a, T b) { return is_before(a, b); });
  }

  void take(T value) { values_.push_back(value + T{0}); }  // minus zero is zero

  // Neighbouring wanted buckets make one run of sorted values.
  void cut_segments(std::size_t present, std::vector<double>& out) const {
    std::size_t less = 0;
    std::size_t taken = 0;
    std::size_t size = 0;
    const auto close = [&] {
      if (size > 0) bins_.cut(std::span(values_).subspan(taken, size), less - size, present, out);
      taken += size;
      size = 0;
    };
    for (std::size_t b = 0; b < n_buckets_; ++b) {
      if (counts_[b] == 0) continue;
      if (wanted_[b] == 0) close();
      less += counts_[b];
      if (wanted_[b] != 0) size += counts_[b];
    }
    close();
  }

  std::size_t n_bins_;
  FrequencyBins<T> bins_;
  std::size_t n_buckets_ = 0;
  T low_ = 0;
  T scale_ = 0;
  std::vector<std::uint16_t> position_;
  std::vector<T> values_;
  std::vector<std::uint32_t> counts_;
  std::vector<std::uint32_t> odd_counts_;
  std::vector<std::uint8_t> wanted_;
};

template <class T>
class EqualFrequency {
 public:
  EqualFrequency(std::size_t n_bins, const CutOptions& options)
      : bins_(n_bins),
        bucketed_(n_bins),
        n_bins_(n_bins),
        weights_(options.weights),
        whole_(whole_weights(options.weights)),
        sorter_(options.weights, !options.weights.empty()) {}

  void operator()(const T* base, std::size_t n, std::size_t begin, std::size_t end, CutLists& out) {
    if (!weights_.empty() || n <= kShort) return sort(base, n, begin, end, out);
    for (std::size_t feature = begin; feature < end; ++feature) {
      if (!bucketed_(base + feature * n, n, out[feature])) sort(base, n, feature, feature + 1, out);
    }
  }

 private:
  static constexpr std::size_t kShort = 4096;  // quickly sorted

  void sort(const T* base, std::size_t n, std::size_t begin, std::size_t end, CutLists& out) {
    sorter_.visit(base, n, begin, end, [&](std::size_t feature, const SortedColumn<T>& sorted) {
      if (!weights_.empty()) {
        weighted(sorted, out[feature]);
      } else if (!at_borders(sorted.values, out[feature])) {
        out[feature].clear();
        bins_.cut(sorted.values, 0, sorted.values.size(), out[feature]);
      }
    });
  }

  // Cuts at the positions where bins of distinct values change. If no run of equal values crosses such a position,
  // these are all the cuts; otherwise gives up.
  bool at_borders(std::span<const T> values, std::vector<double>& out) {
    if (borders_of_ != values.size()) {
      borders_of_ = values.size();
      borders_.clear();
      for (std::size_t i = 1; i < values.size(); ++i) {
        if (bins_.bin(i, 1, values.size()) != bins_.bin(i - 1, 1, values.size())) borders_.push_back(i);
      }
    }
    for (const std::size_t i : borders_) {
      if (values[i - 1] == values[i]) return false;
      bins_.add(values[i - 1], values[i], out);
    }
    return true;
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
          whole_ ? static_cast<double>(bins_.bin(static_cast<std::uint64_t>(less), static_cast<std::uint64_t>(equal),
                                                 static_cast<std::uint64_t>(total)))
                 : std::floor(static_cast<double>(n_bins_) * (2.0 * less + equal) / (2.0 * total));
      if (begin > 0 && here != previous) bins_.add(values[begin - 1], values[begin], out);
      previous = here;
      less += equal;
      begin = end;
    }
  }

  FrequencyBins<T> bins_;
  BucketedCuts<T> bucketed_;
  std::size_t n_bins_;
  std::span<const double> weights_;
  bool whole_;
  ColumnSorter<T> sorter_;
  std::size_t borders_of_ = 0;
  std::vector<std::size_t> borders_;
};

}  // namespace

Cuts cuts_equal_frequency(NumericMatrix matrix, std::size_t n_bins, const CutOptions& options, Interrupt& interrupt) {
  return learn_cuts(matrix, options, interrupt, [&]<class T>(const T*) { return EqualFrequency<T>(n_bins, options); });
}

template <class T>
Cuts cuts_equal_frequency(const SparseCutData<T>& data, std::size_t n_bins, const CutOptions& options) {
  return learn_cuts(data, {}, 1, options, [&](std::span<const double> weights, auto) {
    return EqualFrequency<T>(n_bins, CutOptions{weights, 1});
  });
}

template Cuts cuts_equal_frequency(const SparseCutData<float>&, std::size_t, const CutOptions&);
template Cuts cuts_equal_frequency(const SparseCutData<double>&, std::size_t, const CutOptions&);

}  // namespace thresher
