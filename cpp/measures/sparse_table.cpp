#include "measures/sparse_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <utility>

#include "core/parallel.hpp"
#include "core/rounding.hpp"

namespace thresher {
namespace {

constexpr std::size_t kFeaturesPerTask = 64;
constexpr double kLargestRatio = 1e12;
// Below this share of the raw sum a centred sum of a replicate has lost its digits.
constexpr double kCancelled = 1e-8;

// |r| of centred sums.
double rounded_correlation(double cross, double square_a, double square_b) {
  if (!(square_a > 0) || !(square_b > 0)) return 0.0;
  return absolute_correlation(cross, std::sqrt(square_a) * std::sqrt(square_b));
}

// A row vector w (y - mean) and its sums per part, against which columns are multiplied.
struct Reference {
  std::vector<double> weighted;  // per row: w (y - shift)
  std::vector<double> first;     // per replicate: sum w (y - shift)
  std::vector<double> second;    // per replicate: sum w (y - shift)^2
};

struct Workspace {
  explicit Workspace(const PartSets& sets)
      : cross(sets.n_parts()),
        first(sets.n_parts()),
        second(sets.n_parts()),
        weight(sets.n_parts()),
        sums(3 * sets.n_replicates()) {}
  std::vector<double> cross, first, second, weight, sums;
};

Reference make_reference(const SparseTable& table, std::span<const double> dense, double shift) {
  const std::size_t n_parts = table.n_parts();
  Reference reference;
  reference.weighted.resize(dense.size());
  std::vector<double> first(n_parts), second(n_parts);
  for (std::size_t row = 0; row < dense.size(); ++row) {
    const double centred = dense[row] - shift;
    const double weighted = table.weight(row) * centred;
    reference.weighted[row] = weighted;
    first[table.part(row)] += weighted;
    second[table.part(row)] += weighted * centred;
  }
  reference.first.resize(table.n_replicates());
  reference.second.resize(table.n_replicates());
  table.sets().sum(first.data(), 1, reference.first.data(), 1);
  table.sets().sum(second.data(), 1, reference.second.data(), 1);
  return reference;
}

std::vector<double> dense_column(const SparseTable& table, std::size_t feature) {
  const CscView& m = table.matrix();
  std::vector<double> dense(m.n_rows);
  for (auto at = m.starts[feature]; at < m.starts[feature + 1]; ++at) {
    dense[static_cast<std::size_t>(m.rows[static_cast<std::size_t>(at)])] = m.values[static_cast<std::size_t>(at)];
  }
  return dense;
}

double dense_mean(const SparseTable& table, std::span<const double> dense) {
  double sum = 0.0;
  double weight = 0.0;
  for (std::size_t row = 0; row < dense.size(); ++row) {
    sum += table.weight(row) * dense[row];
    weight += table.weight(row);
  }
  return sum / weight;
}

// The correlation of two dense columns on one replicate, in two passes: for replicates where sums have cancelled.
double careful_correlation(const SparseTable& table, std::span<const double> a, std::span<const double> b,
                           std::size_t replicate) {
  double weight = 0.0, mean_a = 0.0, mean_b = 0.0;
  const auto used = [&](std::size_t row) { return table.sets().keeps(replicate, table.part(row)); };
  for (std::size_t row = 0; row < a.size(); ++row) {
    if (!used(row)) continue;
    weight += table.weight(row);
    mean_a += table.weight(row) * a[row];
    mean_b += table.weight(row) * b[row];
  }
  mean_a /= weight;
  mean_b /= weight;
  double cross = 0.0, square_a = 0.0, square_b = 0.0;
  for (std::size_t row = 0; row < a.size(); ++row) {
    if (!used(row)) continue;
    const double da = a[row] - mean_a, db = b[row] - mean_b;
    cross += table.weight(row) * da * db;
    square_a += table.weight(row) * da * da;
    square_b += table.weight(row) * db * db;
  }
  return rounded_correlation(cross, square_a, square_b);
}

// |Pearson| (centred) or |cosine| of one column with the reference on every replicate.
void correlate(const SparseTable& table, std::size_t feature, const Reference& reference,
               std::span<const double> dense_reference, bool centred, Workspace& work, std::span<double> out) {
  const CscView& m = table.matrix();
  const std::size_t n_parts = table.n_parts();
  const double shift = centred ? table.mean(feature) : 0.0;
  std::fill(work.cross.begin(), work.cross.end(), 0.0);
  std::fill(work.first.begin(), work.first.end(), 0.0);
  std::fill(work.second.begin(), work.second.end(), 0.0);
  std::fill(work.weight.begin(), work.weight.end(), 0.0);
  for (auto at = m.starts[feature]; at < m.starts[feature + 1]; ++at) {
    const auto row = static_cast<std::size_t>(m.rows[static_cast<std::size_t>(at)]);
    const double value = m.values[static_cast<std::size_t>(at)];
    const std::size_t part = table.part(row);
    const double weight = table.weight(row);
    const double shifted = value - shift;
    work.cross[part] += value * reference.weighted[row];
    work.first[part] += weight * shifted;
    work.second[part] += weight * shifted * shifted;
    work.weight[part] += weight;
  }
  const std::span<const double> part_weight = table.part_weight();
  for (std::size_t part = 0; part < n_parts; ++part) {
    const double zeros = part_weight[part] - work.weight[part];
    work.first[part] -= zeros * shift;
    work.second[part] += zeros * shift * shift;
  }
  const std::size_t n_replicates = table.n_replicates();
  const std::span<double> cross(work.sums.data(), n_replicates);
  const std::span<double> first(work.sums.data() + n_replicates, n_replicates);
  const std::span<double> second(work.sums.data() + 2 * n_replicates, n_replicates);
  table.sets().sum(work.cross.data(), 1, cross.data(), 1);
  table.sets().sum(work.first.data(), 1, first.data(), 1);
  table.sets().sum(work.second.data(), 1, second.data(), 1);
  std::vector<double> weight(n_replicates);
  table.sets().sum(part_weight.data(), 1, weight.data(), 1);
  for (std::size_t r = 0; r < n_replicates; ++r) {
    // Zeros of the column: sum of -shift w (y - mean) over all rows of the replicate.
    const double full_cross = cross[r] - shift * reference.first[r];
    if (!centred) {
      out[r] = rounded_correlation(full_cross, second[r], reference.second[r]);
      continue;
    }
    const double square_a = second[r] - first[r] * first[r] / weight[r];
    const double square_b = reference.second[r] - reference.first[r] * reference.first[r] / weight[r];
    if (square_a < kCancelled * second[r] || square_b < kCancelled * reference.second[r]) {
      out[r] = careful_correlation(table, dense_column(table, feature), dense_reference, r);
      continue;
    }
    out[r] = rounded_correlation(full_cross - first[r] * reference.first[r] / weight[r], square_a, square_b);
  }
}

void relevance_of_all(const SparseTable& table, std::span<const double> target, bool centred, std::size_t n_threads,
                      std::span<double> out) {
  const Reference reference = make_reference(table, target, centred ? dense_mean(table, target) : 0.0);
  const std::size_t n_features = table.n_features();
  const std::size_t n_replicates = table.n_replicates();
  parallel_for(n_features, kFeaturesPerTask, n_threads, [&](std::size_t begin, std::size_t end) {
    Workspace work(table.sets());
    std::vector<double> values(n_replicates);
    for (std::size_t feature = begin; feature < end; ++feature) {
      correlate(table, feature, reference, target, centred, work, values);
      for (std::size_t r = 0; r < n_replicates; ++r) out[r * n_features + feature] = values[r];
    }
  });
}

}  // namespace

SparseTable::SparseTable(CscView matrix, std::span<const std::int32_t> parts, PartSets sets,
                         std::span<const double> weights)
    : matrix_(matrix),
      parts_(parts.begin(), parts.end()),
      weights_(weights.begin(), weights.end()),
      has_parts_(!parts.empty()),
      sets_(std::move(sets)),
      part_weight_(sets_.n_parts()),
      mean_(matrix.n_features) {
  for (const std::int32_t part : parts_) {
    if (part < 0 || static_cast<std::size_t>(part) >= n_parts()) {
      throw std::invalid_argument("parts: number out of range");
    }
  }
  double total = 0.0;
  for (std::size_t row = 0; row < matrix_.n_rows; ++row) {
    part_weight_[part(row)] += weight(row);
    total += weight(row);
  }
  for (std::size_t feature = 0; feature < matrix_.n_features; ++feature) {
    double sum = 0.0;
    for (auto at = matrix_.starts[feature]; at < matrix_.starts[feature + 1]; ++at) {
      sum += weight(static_cast<std::size_t>(matrix_.rows[static_cast<std::size_t>(at)])) *
             matrix_.values[static_cast<std::size_t>(at)];
    }
    mean_[feature] = sum / total;
  }
}

void SparseTable::relevance_pearson(std::span<const double> target, std::size_t n_threads,
                                    std::span<double> out) const {
  relevance_of_all(*this, target, true, n_threads, out);
}

void SparseTable::relevance_cosine(std::span<const double> target, std::size_t n_threads, std::span<double> out) const {
  relevance_of_all(*this, target, false, n_threads, out);
}

void SparseTable::relevance_f(std::span<const std::int32_t> classes, std::size_t n_classes, std::size_t n_threads,
                              std::span<double> out) const {
  const std::size_t n_features = matrix_.n_features;
  const std::size_t cells = n_parts() * n_classes;
  std::vector<double> class_weight(cells);
  for (std::size_t row = 0; row < matrix_.n_rows; ++row) {
    class_weight[part(row) * n_classes + static_cast<std::size_t>(classes[row])] += weight(row);
  }
  std::vector<std::uint8_t> is_constant(n_replicates() * n_features);
  constant(is_constant);
  parallel_for(n_features, kFeaturesPerTask, n_threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> stored(cells), first(cells), second(cells);
    for (std::size_t feature = begin; feature < end; ++feature) {
      std::fill(stored.begin(), stored.end(), 0.0);
      std::fill(first.begin(), first.end(), 0.0);
      std::fill(second.begin(), second.end(), 0.0);
      const double shift = mean_[feature];
      for (auto at = matrix_.starts[feature]; at < matrix_.starts[feature + 1]; ++at) {
        const auto row = static_cast<std::size_t>(matrix_.rows[static_cast<std::size_t>(at)]);
        const double shifted = matrix_.values[static_cast<std::size_t>(at)] - shift;
        const std::size_t cell = part(row) * n_classes + static_cast<std::size_t>(classes[row]);
        stored[cell] += weight(row);
        first[cell] += weight(row) * shifted;
        second[cell] += weight(row) * shifted * shifted;
      }
      for (std::size_t cell = 0; cell < cells; ++cell) {
        const double zeros = class_weight[cell] - stored[cell];
        first[cell] -= zeros * shift;
        second[cell] += zeros * shift * shift;
      }
      for (std::size_t r = 0; r < n_replicates(); ++r) {
        double& value = out[r * n_features + feature];
        value = 0.0;
        if (is_constant[r * n_features + feature]) continue;
        double n = 0.0, total = 0.0, squares = 0.0, within = 0.0, present = 0.0;
        for (std::size_t c = 0; c < n_classes; ++c) {
          double n_c = 0.0, t_c = 0.0, q_c = 0.0;
          for (std::size_t p = 0; p < n_parts(); ++p) {
            if (!sets_.keeps(r, p)) continue;
            n_c += class_weight[p * n_classes + c];
            t_c += first[p * n_classes + c];
            q_c += second[p * n_classes + c];
          }
          if (!(n_c > 0)) continue;
          present += 1.0;
          n += n_c;
          total += t_c;
          squares += q_c;
          within += std::max(0.0, q_c - t_c * t_c / n_c);
        }
        if (present < 2.0 || n <= present) continue;
        const double between = std::max(0.0, squares - total * total / n - within);
        if (!(between > 0.0)) continue;
        const double ratio = within > 0.0 ? std::min(between / within, kLargestRatio) : kLargestRatio;
        value = ratio != ratio ? 0.0 : round_significant((n - present) / (present - 1.0) * ratio);
      }
    }
  });
}

void SparseTable::constant(std::span<std::uint8_t> out) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  const std::size_t n_features = matrix_.n_features;
  std::vector<std::size_t> part_rows(n_parts());
  for (std::size_t row = 0; row < matrix_.n_rows; ++row) ++part_rows[part(row)];
  std::vector<double> low(n_parts()), high(n_parts());
  std::vector<std::size_t> stored(n_parts());
  std::vector<std::uint8_t> constant(n_replicates());
  for (std::size_t feature = 0; feature < n_features; ++feature) {
    std::fill(low.begin(), low.end(), kInfinity);
    std::fill(high.begin(), high.end(), -kInfinity);
    std::fill(stored.begin(), stored.end(), 0);
    for (auto at = matrix_.starts[feature]; at < matrix_.starts[feature + 1]; ++at) {
      const std::size_t p = part(static_cast<std::size_t>(matrix_.rows[static_cast<std::size_t>(at)]));
      const double value = matrix_.values[static_cast<std::size_t>(at)];
      low[p] = std::min(low[p], value);
      high[p] = std::max(high[p], value);
      ++stored[p];
    }
    for (std::size_t p = 0; p < n_parts(); ++p) {
      if (stored[p] == part_rows[p]) continue;
      low[p] = std::min(low[p], 0.0);
      high[p] = std::max(high[p], 0.0);
    }
    sets_.find_constant(low.data(), high.data(), constant.data());
    for (std::size_t r = 0; r < n_replicates(); ++r) out[r * n_features + feature] = constant[r];
  }
}

SparsePairMeasure::SparsePairMeasure(const SparseTable& table, bool centred, std::size_t n_threads)
    : table_(table), centred_(centred), n_threads_(n_threads) {}

void SparsePairMeasure::values(std::uint32_t reference, std::span<const std::uint32_t> features,
                               std::span<double> out) {
  const std::vector<double> dense = dense_column(table_, reference);
  const Reference prepared = make_reference(table_, dense, centred_ ? table_.mean(reference) : 0.0);
  const std::size_t n_replicates = table_.n_replicates();
  parallel_for(features.size(), kFeaturesPerTask, n_threads_, [&](std::size_t begin, std::size_t end) {
    Workspace work(table_.sets());
    for (std::size_t i = begin; i < end; ++i) {
      correlate(table_, features[i], prepared, dense, centred_, work, out.subspan(i * n_replicates, n_replicates));
    }
  });
}

}  // namespace thresher
