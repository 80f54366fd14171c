#include "consistency/risk.hpp"

#include <algorithm>
#include <cmath>

#include "consistency/blocks.hpp"
#include "core/xlogx.hpp"

namespace thresher::consistency {

namespace {

constexpr std::size_t kTableSize = 4096;

// The C library's logarithm differs between systems.
double plain_x_log_x(double x) { return leading(xlogx_real(x)); }

}  // namespace

std::vector<std::uint32_t> CodedRows::used() const {
  std::vector<std::uint32_t> rows;
  rows.reserve(n_rows);
  for (std::size_t i = 0; i < n_rows; ++i) {
    if (weight(i) > 0.0) rows.push_back(static_cast<std::uint32_t>(i));
  }
  return rows;
}

bool CodedRows::has_whole_weights() const {
  return std::ranges::all_of(weights, [](double weight) { return weight == std::floor(weight); });
}

GroupCost::GroupCost(RiskMeasure measure, const CodedRows& rows, double tolerance)
    : measure_(measure), n_classes_(rows.n_classes), tolerance_(tolerance) {
  if (measure != RiskMeasure::entropy) return;
  double total = 0.0;
  for (std::size_t i = 0; i < rows.n_rows; ++i) total += rows.weight(i);
  if (!rows.has_whole_weights() || total < 2.0) return;
  // c log2 c is rounded to multiples of a quantum so coarse that the sum over all groups fits in 53 bits.
  const int bits = std::ilogb(plain_x_log_x(total)) + 2;
  per_quantum_ = std::ldexp(1.0, 52 - bits);
  const std::size_t size = std::min(kTableSize, static_cast<std::size_t>(total) + 1);
  for (std::size_t c = 0; c < size; ++c) {
    x_log_x_.push_back(std::nearbyint(plain_x_log_x(static_cast<double>(c)) * per_quantum_) / per_quantum_);
  }
}

double GroupCost::x_log_x(double x) const {
  if (x <= 0.0) return 0.0;
  if (per_quantum_ == 0.0) return plain_x_log_x(x);
  if (x < static_cast<double>(x_log_x_.size())) return x_log_x_[static_cast<std::size_t>(x)];
  return std::nearbyint(plain_x_log_x(x) * per_quantum_) / per_quantum_;
}

double GroupCost::operator()(const double* class_weights) const {
  double total = 0.0;
  double largest = 0.0;
  for (std::size_t c = 0; c < n_classes_; ++c) {
    total += class_weights[c];
    largest = std::max(largest, class_weights[c]);
  }
  if (total == largest) return 0.0;
  switch (measure_) {
    case RiskMeasure::bayes: return total - largest;
    case RiskMeasure::binary: return 1.0;
    case RiskMeasure::pairs: {
      double squares = 0.0;
      for (std::size_t c = 0; c < n_classes_; ++c) squares += class_weights[c] * class_weights[c];
      return (total * total - squares) / 2.0;
    }
    case RiskMeasure::entropy: {
      double sum = x_log_x(total);
      for (std::size_t c = 0; c < n_classes_; ++c) sum -= x_log_x(class_weights[c]);
      return sum;
    }
  }
  return 0.0;
}

double subset_risk(const CodedRows& rows, const GroupCost& cost, std::span<const std::uint32_t> features) {
  Blocks blocks(rows, cost);
  for (const std::uint32_t feature : features) {
    if (blocks.all_pure()) break;
    blocks.split(feature, 0);
  }
  return cost.risk(blocks.cost());
}

}  // namespace thresher::consistency
