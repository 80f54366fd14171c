#include "moments/numeric_table.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <type_traits>

#include "core/feature_loop.hpp"
#include "core/memory.hpp"

namespace thresher {

NumericTable::NumericTable(NumericMatrix matrix, const NumericOptions& options, Interrupt& interrupt)
    : matrix_(matrix),
      n_given_rows_(matrix.n_rows),
      pairwise_(options.pairwise),
      layout_(matrix.n_rows, options.parts, options.sets, options.weights),
      units_(product_units(layout_)),
      rows_(total_rows(layout_)) {
  arrange(options.n_threads);
  const std::size_t n_replicates = layout_.n_replicates();
  if (n_features() > std::numeric_limits<std::size_t>::max() / 8 / n_replicates) {
    throw std::invalid_argument("too many features times parts");
  }
  mean_.resize(n_features());
  minimum_.resize(n_features());
  maximum_.resize(n_features());
  kept_constant_.resize(n_features() * n_replicates);
  centred_.resize(n_features(), n_replicates);
  for_features(n_features(), 2 * n_rows(), options.n_threads, interrupt, [&](std::size_t begin, std::size_t end) {
    ColumnReader reader(layout_);
    for (std::size_t feature = begin; feature < end; ++feature) read_column(feature, reader);
  });
}

void NumericTable::arrange(std::size_t n_threads) {
  const auto order = layout_.order();
  if (order.empty()) return;
  const std::size_t size = matrix_.float32 != nullptr ? sizeof(float) : sizeof(double);
  arranged_.reset(allocate_array(matrix_.n_features * order.size() * size));
  visit_type(matrix_, [&](const auto* base) {
    using T = std::remove_cv_t<std::remove_pointer_t<decltype(base)>>;
    T* out = static_cast<T*>(arranged_.get());
    const std::size_t grain = std::max<std::size_t>((std::size_t{1} << 16) / order.size(), 1);
    parallel_for(matrix_.n_features, grain, n_threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t feature = begin; feature < end; ++feature) {
        const T* from = base + feature * matrix_.n_rows;
        T* to = out + feature * order.size();
        for (std::size_t i = 0; i < order.size(); ++i) to[i] = from[order[i]];
      }
    });
  });
  if (matrix_.float32 != nullptr) {
    matrix_.float32 = static_cast<const float*>(arranged_.get());
  } else {
    matrix_.float64 = static_cast<const double*>(arranged_.get());
  }
  matrix_.n_rows = order.size();
}

void NumericTable::read_column(std::size_t feature, ColumnReader& reader) {
  const ColumnRows rows(column(feature), layout_);
  double& centre = centred_.centre[feature];
  if (pairwise_) {
    reader.read_with_missing(rows);
  } else {
    centre = likely_centre(rows);
    reader.read(rows, centre);
  }
  minimum_[feature] = reader.minimum();
  maximum_[feature] = reader.maximum();
  mean_[feature] = reader.mean();
  std::uint8_t* kept = kept_constant_.data() + feature * n_replicates();
  reader.kept_constants(kept);
  if (pairwise_) return;
  if (reader.is_off_centre()) {
    centre = mean_[feature];
    reader.read(rows, centre);
  }
  reader.set_moments(true, feature, centred_);
  for (std::size_t r = 0; r < n_replicates(); ++r) {
    if (kept[r] != 0) set_undefined(centred_, feature * n_replicates() + r);
  }
}

double NumericTable::split(std::size_t feature) const { return split_for(rows_, minimum_[feature], maximum_[feature]); }

ColumnMoments NumericTable::centred_where_needed() const {
  ColumnMoments moments = centred_;
  if (pairwise_ || layout_.weights() != nullptr) return moments;
  const auto rows = layout_.kept_rows();
  for (std::size_t feature = 0; feature < n_features(); ++feature) {
    const double mean = mean_[feature];
    const double centre = moments.centre[feature];
    if (centre == 0.0) continue;
    double* sum = moments.kept_sum.data() + feature * n_replicates();
    double* error = moments.error.data() + feature * n_replicates();
    const double* norm = moments.norm.data() + feature * n_replicates();
    bool is_near = true;
    for (std::size_t r = 0; r < n_replicates(); ++r) is_near = is_near && rows[r] * mean * mean <= norm[r] * norm[r];
    if (!is_near) continue;
    for (std::size_t r = 0; r < n_replicates(); ++r) {
      if (norm[r] == 0.0) continue;
      sum[r] += rows[r] * centre;
      const double scatter = norm[r] * norm[r];
      const double shift = sum[r] * (sum[r] / rows[r]);
      error[r] *= (1.0 + shift / scatter) * (1.0 + 2.0 * std::sqrt(shift / (scatter + shift)));
    }
    moments.centre[feature] = 0.0;
  }
  return moments;
}

ColumnMoments NumericTable::uncentred() const {
  ColumnMoments moments = centred_;
  if (pairwise_) return moments;
  const auto rows = layout_.kept_rows();
  for (std::size_t feature = 0; feature < n_features(); ++feature) {
    moments.centre[feature] = 0.0;
    for (std::size_t r = 0; r < n_replicates(); ++r) {
      const std::size_t at = feature * n_replicates() + r;
      if (minimum_[feature] == 0.0 && maximum_[feature] == 0.0) continue;  // undefined, and marked so
      const double about_centre = moments.kept_sum[at];
      const double sum = std::fma(rows[r], centred_.centre[feature], about_centre);
      const double scatter = moments.norm[at] * moments.norm[at];
      const double squares = scatter + sum * (sum / rows[r]);
      // That of the scatter, that of the sum times twice the mean, and five roundings.
      const double spread = std::sqrt((scatter + about_centre * (about_centre / rows[r])) / rows[r]);
      const double doubt = 2.0 * moments.error[at] * scatter + 2.0 * units_ * 0x1p-53 * std::fabs(sum) * spread +
                           5.0 * 0x1p-53 * squares;
      // On a replicate without variance the value is left to the fallback.
      const bool lost = kept_constant_[at] != 0 || !std::isfinite(moments.error[at]);
      moments.norm[at] = lost ? 1.0 : std::sqrt(squares);
      moments.error[at] = lost ? std::numeric_limits<double>::infinity() : 0.5 * (units_ * 0x1p-53 + doubt / squares);
    }
  }
  return moments;
}

}  // namespace thresher
