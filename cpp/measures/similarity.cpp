#include "measures/similarity.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/elementary.hpp"
#include "core/parallel.hpp"
#include "moments/column_kernels.hpp"

namespace thresher {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
// Below so many values a second thread costs more than it saves.
constexpr std::size_t kWorthAThread = std::size_t{1} << 16;

double clean(double value) {
  if (value < 1e-12) return 0.0;
  return round_bounded(std::min(value, 1.0));
}

// From sums of products of (centred) columns. Zero where undefined.
double value_of(Similarity kind, double dot, double square_a, double square_b) {
  if (!(square_a > 0.0) || !(square_b > 0.0)) return 0.0;
  if (kind != Similarity::mici) return clean(std::fabs(dot) / (std::sqrt(square_a) * std::sqrt(square_b)));
  const double determinant = square_a * square_b - dot * dot;
  const double spread = std::hypot(square_a - square_b, 2.0 * dot);
  const double smaller = 2.0 * std::max(determinant, 0.0) / (square_a + square_b + spread);
  return clean(1.0 - smaller / std::min(square_a, square_b));
}

struct Centre {
  double mean = 0.0;
  bool constant = false;
};

template <class T>
class DenseSimilarity final : public PairMeasure {
 public:
  DenseSimilarity(Similarity kind, const DenseColumns<T>& columns, std::size_t n_threads)
      : kind_(kind), columns_(columns), n_threads_(n_threads), centred_(columns.n_rows) {}

  std::size_t n_features() const override { return columns_.n_features; }

  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override {
    if (columns_.n_rows == 0) {
      std::fill(out.begin(), out.end(), 0.0);
      return;
    }
    set_reference(reference);
    const std::size_t grain = std::max<std::size_t>(1, kWorthAThread / columns_.n_rows);
    if (features.size() <= grain) {
      for (std::size_t i = 0; i < features.size(); ++i) out[i] = value(features[i]);
      return;
    }
    parallel_for(features.size(), grain, n_threads_, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) out[i] = value(features[i]);
    });
  }

 private:
  Centre centre(std::uint32_t feature) const {
    const T* x = columns_.column(feature).data();
    if (kind_ == Similarity::cosine) return {};
    const SumAndRange summary = kernels_.of(x).sum_and_range(x, columns_.n_rows);
    return {summary.sum / static_cast<double>(columns_.n_rows), summary.min == summary.max};
  }

  void set_reference(std::uint32_t feature) {
    if (feature == reference_) return;
    const Centre c = centre(feature);
    const T* x = columns_.column(feature).data();
    for (std::size_t r = 0; r < columns_.n_rows; ++r) centred_[r] = static_cast<double>(x[r]) - c.mean;
    // The same kernel that measures candidates, so that a feature and its copy agree to the last bit.
    square_ = c.constant ? 0.0 : kernels_.of(x).dot_and_square(x, centred_.data(), columns_.n_rows, c.mean).square;
    reference_ = feature;
  }

  double value(std::uint32_t feature) const {
    const Centre c = centre(feature);
    if (c.constant) return 0.0;
    const T* x = columns_.column(feature).data();
    const DotAndSquare sums = kernels_.of(x).dot_and_square(x, centred_.data(), columns_.n_rows, c.mean);
    return value_of(kind_, sums.dot, sums.square, square_);
  }

  Similarity kind_;
  DenseColumns<T> columns_;
  std::size_t n_threads_;
  const ColumnKernels& kernels_ = THRESHER_DISPATCH(column_kernels);
  std::vector<double> centred_;
  std::uint32_t reference_ = kNone;
  double square_ = 0.0;
};

// Over the rows where both values are present: nothing can be kept between pairs.
template <class T>
class PresentSimilarity final : public PairMeasure {
 public:
  PresentSimilarity(Similarity kind, const DenseColumns<T>& columns, std::size_t n_threads)
      : kind_(kind), columns_(columns), n_threads_(n_threads) {}

  std::size_t n_features() const override { return columns_.n_features; }

  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override {
    parallel_for(features.size(), 8, n_threads_, [&](std::size_t begin, std::size_t end) {
      std::vector<double> a;
      std::vector<double> b;
      for (std::size_t i = begin; i < end; ++i) out[i] = value(reference, features[i], a, b);
    });
  }

 private:
  double value(std::uint32_t first, std::uint32_t second, std::vector<double>& a, std::vector<double>& b) const {
    a.clear();
    b.clear();
    const auto x = columns_.column(first);
    const auto y = columns_.column(second);
    for (std::size_t r = 0; r < columns_.n_rows; ++r) {
      if (std::isnan(x[r]) || std::isnan(y[r])) continue;
      a.push_back(static_cast<double>(x[r]));
      b.push_back(static_cast<double>(y[r]));
    }
    if (a.empty()) return 0.0;
    const auto& kernels = THRESHER_DISPATCH(column_kernels).twice;
    double mean_a = 0.0;
    double mean_b = 0.0;
    if (kind_ != Similarity::cosine) {
      const SumAndRange of_a = kernels.sum_and_range(a.data(), a.size());
      const SumAndRange of_b = kernels.sum_and_range(b.data(), b.size());
      if (of_a.min == of_a.max || of_b.min == of_b.max) return 0.0;
      mean_a = of_a.sum / static_cast<double>(a.size());
      mean_b = of_b.sum / static_cast<double>(b.size());
      for (double& v : a) v -= mean_a;
    }
    const double square_a = kernels.square_deviation(a.data(), a.size(), 0.0);
    const DotAndSquare sums = kernels.dot_and_square(b.data(), a.data(), a.size(), mean_b);
    return value_of(kind_, sums.dot, square_a, sums.square);
  }

  Similarity kind_;
  DenseColumns<T> columns_;
  std::size_t n_threads_;
};

template <class T>
class SparseSimilarity final : public PairMeasure {
 public:
  SparseSimilarity(Similarity kind, const SparseColumns<T>& columns, std::size_t n_threads)
      : kind_(kind), columns_(columns), n_threads_(n_threads), work_(columns.n_rows) {}

  std::size_t n_features() const override { return columns_.n_features; }

  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override {
    set_reference(reference);
    parallel_for(features.size(), 256, features.size() > 512 ? n_threads_ : 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) out[i] = value(features[i]);
    });
  }

 private:
  Centre centre(std::uint32_t feature) const {
    if (kind_ == Similarity::cosine) return {};
    const auto values = columns_.values_of(feature);
    const bool has_zeros = values.size() < columns_.n_rows;
    if (values.empty()) return {0.0, true};
    const SumAndRange summary = kernels_.of(values.data()).sum_and_range(values.data(), values.size());
    const double min = has_zeros ? std::min(summary.min, 0.0) : summary.min;
    const double max = has_zeros ? std::max(summary.max, 0.0) : summary.max;
    return {summary.sum / static_cast<double>(columns_.n_rows), min == max};
  }

  double square(std::uint32_t feature, double mean) const {
    const auto values = columns_.values_of(feature);
    if (values.empty()) return 0.0;
    const double zeros = static_cast<double>(columns_.n_rows - values.size());
    return kernels_.of(values.data()).square_deviation(values.data(), values.size(), mean) + zeros * mean * mean;
  }

  void set_reference(std::uint32_t feature) {
    if (feature == reference_) return;
    if (reference_ != kNone && kind_ == Similarity::cosine) {
      for (const std::int32_t row : columns_.rows_of(reference_)) work_[static_cast<std::size_t>(row)] = 0.0;
    }
    const Centre c = centre(feature);
    if (kind_ != Similarity::cosine) std::fill(work_.begin(), work_.end(), -c.mean);
    const auto values = columns_.values_of(feature);
    const auto rows = columns_.rows_of(feature);
    for (std::size_t i = 0; i < values.size(); ++i) {
      work_[static_cast<std::size_t>(rows[i])] = static_cast<double>(values[i]) - c.mean;
    }
    total_ = 0.0;
    if (kind_ != Similarity::cosine) {
      for (const double v : work_) total_ += v;  // the rounding left over by centring
    }
    square_ = c.constant ? 0.0 : square(feature, c.mean);
    reference_ = feature;
  }

  double value(std::uint32_t feature) const {
    const Centre c = centre(feature);
    if (c.constant || square_ == 0.0) return 0.0;
    const auto values = columns_.values_of(feature);
    const auto rows = columns_.rows_of(feature);
    double dot = 0.0;
    double met = 0.0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      const double other = work_[static_cast<std::size_t>(rows[i])];
      dot += (static_cast<double>(values[i]) - c.mean) * other;
      met += other;
    }
    // Rows where the feature is zero add -mean times what the reference has there.
    dot -= c.mean * (total_ - met);
    return value_of(kind_, dot, square(feature, c.mean), square_);
  }

  Similarity kind_;
  SparseColumns<T> columns_;
  std::size_t n_threads_;
  const ColumnKernels& kernels_ = THRESHER_DISPATCH(column_kernels);
  std::vector<double> work_;
  std::uint32_t reference_ = kNone;
  double square_ = 0.0;
  double total_ = 0.0;
};

}  // namespace

Similarity similarity_named(std::string_view name) {
  if (name == "cosine") return Similarity::cosine;
  if (name == "pearson") return Similarity::pearson;
  if (name == "mici") return Similarity::mici;
  throw std::invalid_argument("unknown similarity " + std::string(name));
}

template <class T>
std::unique_ptr<PairMeasure> make_similarity(Similarity kind, const DenseColumns<T>& columns, bool skip_missing,
                                             std::size_t n_threads) {
  if (skip_missing) return std::make_unique<PresentSimilarity<T>>(kind, columns, n_threads);
  return std::make_unique<DenseSimilarity<T>>(kind, columns, n_threads);
}

template <class T>
std::unique_ptr<PairMeasure> make_similarity(Similarity kind, const SparseColumns<T>& columns, std::size_t n_threads) {
  return std::make_unique<SparseSimilarity<T>>(kind, columns, n_threads);
}

template std::unique_ptr<PairMeasure> make_similarity(Similarity, const DenseColumns<float>&, bool, std::size_t);
template std::unique_ptr<PairMeasure> make_similarity(Similarity, const DenseColumns<double>&, bool, std::size_t);
template std::unique_ptr<PairMeasure> make_similarity(Similarity, const SparseColumns<float>&, std::size_t);
template std::unique_ptr<PairMeasure> make_similarity(Similarity, const SparseColumns<double>&, std::size_t);

}  // namespace thresher
