#include "partial_correlation/partials.hpp"

#include <algorithm>
#include <cmath>

#include "core/feature_loop.hpp"
#include "moments/dot_kernels.hpp"

namespace thresher {
namespace {

// Running values are trusted until they have shrunk by this factor since they were last exact.
constexpr double kTrusted = 1e-6;

double dot(const double* a, const double* b, std::size_t n) { return dots().dot_float64(a, 0.0, b, n); }

// Takes from the vector its part in the span of orthonormal directions; twice is enough.
void orthogonalize(double* vector, const std::vector<double>& directions, std::size_t n) {
  for (int pass = 0; pass < 2; ++pass) {
    for (std::size_t first = 0; first < directions.size(); first += n) {
      const double* direction = directions.data() + first;
      dots().subtract(vector, dot(vector, direction, n), direction, n);
    }
  }
}

// Appends the vector's own direction; returns the squared length it had left, and appends nothing if that is not above
// `least`.
double append_direction(std::vector<double>& vector, std::vector<double>& directions, double least) {
  const std::size_t n = vector.size();
  orthogonalize(vector.data(), directions, n);
  const double left = dot(vector.data(), vector.data(), n);
  if (left <= least) return left;
  const double length = std::sqrt(left);
  for (double& value : vector) value /= length;
  directions.insert(directions.end(), vector.begin(), vector.end());
  return left;
}

}  // namespace

Partials::Partials(const CentredColumns& columns, std::span<const double> target,
                   std::span<const std::uint32_t> features, Interrupt& interrupt)
    : columns_(columns),
      features_(features.begin(), features.end()),
      n_rows_(columns.n_rows()),
      left_(features.size(), 1.0),
      left_exact_(features.size(), 1.0) {
  for (std::size_t position = 0; position < features_.size(); ++position) {
    if (!(columns.square(features_[position]) > 0.0)) left_[position] = 0.0;
  }
  for (std::size_t first = 0; first < target.size(); first += n_rows_) {
    std::vector<double> column(target.begin() + static_cast<std::ptrdiff_t>(first),
                               target.begin() + static_cast<std::ptrdiff_t>(first + n_rows_));
    columns.prepare(column.data());
    const double length = std::sqrt(dot(column.data(), column.data(), n_rows_));
    if (!(length > 0.0)) continue;
    for (double& value : column) value /= length;
    append_direction(column, target_, kCollinear);
  }
  products_.resize(features_.size() * n_targets());
  factor_target();
  refresh_all(interrupt);
}

double Partials::unit(std::size_t position) const {
  const double square = columns_.square(features_[position]);
  return square > 0.0 ? 1.0 / std::sqrt(square) : 0.0;
}

void Partials::fold(std::uint32_t feature, Interrupt& interrupt) {
  ++n_given_;
  const double square = columns_.square(feature);
  if (!(square > 0.0)) return;
  std::vector<double> direction(n_rows_);
  columns_.write(feature, direction.data());
  for (double& value : direction) value /= std::sqrt(square);
  orthogonalize(direction.data(), directions_, n_rows_);
  columns_.centre(direction.data());
  if (append_direction(direction, directions_, kCollinear) <= kCollinear) return;

  const std::size_t n_columns = n_targets();
  std::vector<double> on_target(n_columns);
  for (std::size_t k = 0; k < n_columns; ++k) {
    on_target[k] = dot(direction.data(), target(k), n_rows_);
    dots().subtract(target(k), on_target[k], direction.data(), n_rows_);
  }
  std::vector<double> on_columns(features_.size());
  columns_.multiply(features_, direction.data(), on_columns, interrupt);
  std::vector<std::size_t> worn;
  for (std::size_t position = 0; position < features_.size(); ++position) {
    const double along = on_columns[position] * unit(position);
    const bool was_collinear = collinear(position);
    left_[position] = std::max(left_[position] - along * along, 0.0);
    for (std::size_t k = 0; k < n_columns; ++k) products_[position * n_columns + k] -= along * on_target[k];
    if (!was_collinear && left_[position] < kTrusted * left_exact_[position]) worn.push_back(position);
  }
  parallel_for(worn.size(), 1, columns_.n_threads(), [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) refresh(worn[i]);
  });
  factor_target();
  // The last pivot is the smallest share that is left of any direction of the target.
  if (!pivots_.empty() && factor_.back() * factor_.back() < kTrusted) {
    for (std::size_t k = 0; k < n_columns; ++k) orthogonalize(target(k), directions_, n_rows_);
    factor_target();
    refresh_all(interrupt);
  }
}

// Cholesky factor of the residual target's products with itself, largest pivot first, until the rest is used up; and
// the basis that belongs to it. Gram-Schmidt on the columns: their products would have lost twice as many digits.
void Partials::factor_target() {
  const std::size_t n_columns = n_targets();
  std::vector<double> rest = target_;
  std::vector<std::vector<double>> rows(n_columns);
  pivots_.clear();
  factor_.clear();
  basis_.clear();
  std::vector<double> length(n_columns);  // squared, of what is left of a column; below 0 once it is a pivot
  for (std::size_t k = 0; k < n_columns; ++k) length[k] = dot(target(k), target(k), n_rows_);
  for (;;) {
    const auto best = std::max_element(length.begin(), length.end());
    if (best == length.end() || *best <= kCollinear) break;
    const auto pivot = static_cast<std::size_t>(best - length.begin());
    const auto first = rest.begin() + static_cast<std::ptrdiff_t>(pivot * n_rows_);
    std::vector<double> column(first, first + static_cast<std::ptrdiff_t>(n_rows_));
    const double left = append_direction(column, basis_, kCollinear);
    if (left <= kCollinear) break;
    rows[pivot].push_back(std::sqrt(left));
    factor_.insert(factor_.end(), rows[pivot].begin(), rows[pivot].end());
    pivots_.push_back(pivot);
    length[pivot] = -1.0;
    const double* direction = basis_.data() + basis_.size() - n_rows_;
    for (std::size_t k = 0; k < n_columns; ++k) {
      if (length[k] < 0.0) continue;
      double* other = rest.data() + k * n_rows_;
      rows[k].push_back(dot(other, direction, n_rows_));
      dots().subtract(other, rows[k].back(), direction, n_rows_);
      length[k] = dot(other, other, n_rows_);
    }
  }
}

void Partials::refresh(std::size_t position) {
  std::vector<double> residual(n_rows_);
  columns_.write(features_[position], residual.data());
  for (double& value : residual) value *= unit(position);
  orthogonalize(residual.data(), directions_, n_rows_);
  left_[position] = left_exact_[position] = dot(residual.data(), residual.data(), n_rows_);
  const std::size_t n_columns = n_targets();
  for (std::size_t k = 0; k < n_columns; ++k) {
    products_[position * n_columns + k] = dot(residual.data(), target(k), n_rows_);
  }
}

void Partials::refresh_all(Interrupt& interrupt) {
  const std::size_t n_columns = n_targets();
  std::vector<double> values(features_.size());
  for (std::size_t k = 0; k < n_columns; ++k) {
    columns_.multiply(features_, target(k), values, interrupt);
    for (std::size_t position = 0; position < features_.size(); ++position) {
      products_[position * n_columns + k] = values[position] * unit(position);
    }
  }
}

void Partials::correlations(std::span<Correlation> out, Interrupt& interrupt) const {
  for_features(features_.size(), n_rows_, columns_.n_threads(), interrupt, [&](std::size_t begin, std::size_t end) {
    std::vector<double> solved(pivots_.size());
    for (std::size_t position = begin; position < end; ++position) out[position] = correlation(position, solved);
  });
}

Correlation Partials::correlation(std::size_t position, std::span<double> solved) const {
  const std::size_t rank = pivots_.size();
  const double* products = products_.data() + position * n_targets();
  if (rank == 0 || collinear(position)) return {};
  Correlation result;
  if (rank == 1) {
    result.value = products[pivots_[0]] / (std::sqrt(left_[position]) * factor_[0]);
  } else {
    // Forward substitution in the packed triangle.
    double square = 0.0;
    const double* row = factor_.data();
    for (std::size_t i = 0; i < rank; row += ++i) {
      double value = products[pivots_[i]];
      for (std::size_t j = 0; j < i; ++j) value -= row[j] * solved[j];
      solved[i] = value / row[i];
      square += solved[i] * solved[i];
    }
    result.value = std::sqrt(square / left_[position]);
  }
  result.value = std::clamp(result.value, -1.0, 1.0);
  result.unexplained = 1.0 - result.value * result.value;
  // Here 1 - r^2 has lost its digits; a length does not.
  if (result.unexplained < kTrusted) result.unexplained = exact_unexplained(position);
  return result;
}

double Partials::exact_unexplained(std::size_t position) const {
  std::vector<double> residual(n_rows_);
  columns_.write(features_[position], residual.data());
  for (double& value : residual) value *= unit(position);
  orthogonalize(residual.data(), directions_, n_rows_);
  const double left = dot(residual.data(), residual.data(), n_rows_);
  if (!(left > 0.0)) return 1.0;
  orthogonalize(residual.data(), basis_, n_rows_);
  return std::min(dot(residual.data(), residual.data(), n_rows_) / left, 1.0);
}

}  // namespace thresher
