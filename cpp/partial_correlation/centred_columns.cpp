#include "partial_correlation/centred_columns.hpp"

#include <algorithm>
#include <cmath>

#include "core/feature_loop.hpp"
#include "moments/dot_kernels.hpp"

namespace thresher {
namespace {

double dot_values(const std::int16_t* x, double mean, const double* v, std::size_t n) {
  return dots().dot_int16(x, mean, v, n);
}
double dot_values(const std::int32_t* x, double mean, const double* v, std::size_t n) {
  return dots().dot_int32(x, mean, v, n);
}
double dot_values(const float* x, double mean, const double* v, std::size_t n) {
  return dots().dot_float32(x, mean, v, n);
}
double dot_values(const double* x, double mean, const double* v, std::size_t n) {
  return dots().dot_float64(x, mean, v, n);
}

// Returns the exact product of two rank vectors too long for sums in double: each term is split at bit 32, so that
// neither sum can overflow below 2^31 rows.
double rank_product(const std::int32_t* a, const std::int32_t* b, std::size_t n) {
  std::int64_t high = 0;
  std::int64_t low = 0;
  for (std::size_t row = 0; row < n; ++row) {
    const std::int64_t term = std::int64_t{a[row]} * b[row];
    high += term >> 32;
    low += term & 0xffffffff;
  }
  return std::ldexp(static_cast<double>(high + (low >> 32)), 32) + static_cast<double>(low & 0xffffffff);
}

double square_values(const std::int16_t* x, double mean, std::size_t n) { return dots().square_int16(x, mean, n); }
double square_values(const std::int32_t* x, double, std::size_t n) { return rank_product(x, x, n); }
double square_values(const float* x, double mean, std::size_t n) { return dots().square_float32(x, mean, n); }
double square_values(const double* x, double mean, std::size_t n) { return dots().square_float64(x, mean, n); }

// Ranks are centred by construction.
double mean_of(const std::int16_t*, std::size_t) { return 0.0; }
double mean_of(const std::int32_t*, std::size_t) { return 0.0; }

// The second pass removes the rounding of the first.
double mean_of(const float* x, std::size_t n) {
  const double count = static_cast<double>(n);
  const double first = dots().sum_float32(x, 0.0, n) / count;
  return first + dots().sum_float32(x, first, n) / count;
}
double mean_of(const double* x, std::size_t n) {
  const double count = static_cast<double>(n);
  const double first = dots().sum_float64(x, 0.0, n) / count;
  return first + dots().sum_float64(x, first, n) / count;
}

// Returns whether all rows of positive weight have one value.
template <class T>
bool is_constant(const T* x, std::span<const double> weights) {
  std::size_t first = 0;
  while (weights[first] <= 0.0) ++first;
  for (std::size_t row = first + 1; row < weights.size(); ++row) {
    if (weights[row] > 0.0 && x[row] != x[first]) return false;
  }
  return true;
}

}  // namespace

CentredColumns::CentredColumns(ColumnPointer values, std::size_t n_features, std::size_t n_rows, std::size_t n_threads,
                               Interrupt& interrupt, std::span<const double> weights)
    : values_(values),
      n_features_(n_features),
      n_rows_(n_rows),
      n_threads_(n_threads),
      n_samples_(static_cast<double>(n_rows)),
      mean_(n_features),
      square_(n_features) {
  if (!weights.empty()) {
    measure_weighted(weights, interrupt);
    return;
  }
  std::visit(
      [&](const auto* data) {
        for_features(n_features, n_rows, n_threads, interrupt, [&](std::size_t begin, std::size_t end) {
          for (std::size_t feature = begin; feature < end; ++feature) {
            const auto* column = data + feature * n_rows;
            mean_[feature] = mean_of(column, n_rows);
            square_[feature] = square_values(column, mean_[feature], n_rows);
          }
        });
      },
      values_);
}

void CentredColumns::measure_weighted(std::span<const double> weights, Interrupt& interrupt) {
  double total = 0.0, n_positive = 0.0;
  bool whole = true;
  for (const double weight : weights) {
    total += weight;
    n_positive += weight > 0.0;
    whole = whole && weight == std::floor(weight);
    stretch_.push_back(std::sqrt(weight));
  }
  n_samples_ = whole ? total : n_positive;
  for (const double value : stretch_) direction_.push_back(value / std::sqrt(total));
  std::visit(
      [&](const auto* data) {
        for_features(n_features_, n_rows_, n_threads_, interrupt, [&](std::size_t begin, std::size_t end) {
          std::vector<double> column(n_rows_);
          for (std::size_t feature = begin; feature < end; ++feature) {
            const auto* x = data + feature * n_rows_;
            const double first = dot_values(x, 0.0, weights.data(), n_rows_) / total;
            mean_[feature] = first + dot_values(x, first, weights.data(), n_rows_) / total;
            if (is_constant(x, weights)) continue;
            write(feature, column.data());
            square_[feature] = dots().square_float64(column.data(), 0.0, n_rows_);
          }
        });
      },
      values_);
}

double CentredColumns::dot(std::size_t feature, const double* vector) const {
  return std::visit(
      [&](const auto* data) { return dot_values(data + feature * n_rows_, mean_[feature], vector, n_rows_); }, values_);
}

void CentredColumns::write(std::size_t feature, double* out) const {
  std::visit(
      [&](const auto* data) {
        const auto* column = data + feature * n_rows_;
        for (std::size_t row = 0; row < n_rows_; ++row) out[row] = static_cast<double>(column[row]) - mean_[feature];
      },
      values_);
  stretch(out);
}

void CentredColumns::stretch(double* vector) const {
  for (std::size_t row = 0; row < stretch_.size(); ++row) vector[row] *= stretch_[row];
}

void CentredColumns::prepare(double* values) const {
  stretch(values);
  centre(values);
}

void CentredColumns::centre(double* vector) const {
  if (!direction_.empty()) {
    dots().subtract(vector, dots().dot_float64(vector, 0.0, direction_.data(), n_rows_), direction_.data(), n_rows_);
    return;
  }
  const double mean = dots().sum_float64(vector, 0.0, n_rows_) / static_cast<double>(n_rows_);
  for (std::size_t row = 0; row < n_rows_; ++row) vector[row] -= mean;
}

void CentredColumns::multiply(std::span<const std::uint32_t> features, const double* vector, std::span<double> out,
                              Interrupt& interrupt) const {
  // The products are with columns as they are stored, so the vector is stretched instead.
  std::vector<double> stretched;
  if (!stretch_.empty()) {
    stretched.assign(vector, vector + n_rows_);
    stretch(stretched.data());
    vector = stretched.data();
  }
  for_features(features.size(), n_rows_, n_threads_, interrupt, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) out[i] = dot(features[i], vector);
  });
}

void CentredColumns::correlate(std::span<const std::uint32_t> features, const double* vector, double vector_square,
                               std::span<double> out, Interrupt& interrupt) const {
  if (const auto* ranks = std::get_if<const std::int32_t*>(&values_)) {
    std::vector<std::int32_t> reference(n_rows_);
    for (std::size_t row = 0; row < n_rows_; ++row) reference[row] = static_cast<std::int32_t>(vector[row]);
    for_features(features.size(), n_rows_, n_threads_, interrupt, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        out[i] = rank_product(*ranks + features[i] * n_rows_, reference.data(), n_rows_);
      }
    });
  } else {
    multiply(features, vector, out, interrupt);
  }
  for (std::size_t i = 0; i < features.size(); ++i) {
    const double lengths = std::sqrt(square_[features[i]] * vector_square);
    out[i] = lengths > 0.0 ? std::clamp(out[i] / lengths, -1.0, 1.0) : 0.0;
  }
}

}  // namespace thresher
