#include "measures/association.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/parallel.hpp"
#include "measures/exact_fallback.hpp"
#include "moments/moment_kernels.hpp"

namespace thresher {
namespace {

// Features that share one centred block of the reference: their accumulators fit the first-level cache next to it.
constexpr std::size_t kChunk = 64;

// Features of a group whose columns stay in the first-level cache together, if they have so few rows.
constexpr std::size_t kDirect = 4;

struct Work {
  const NumericTable& table;
  const ColumnMoments& moments;
  const Reference& reference;
  NumericKind kind;
  const MomentKernels& kernels;
  const std::size_t tile = tile_rows(table.layout());
};

// dots[segment * kChunk + i] for features[i], at most kChunk of them.
template <class T>
void segment_dots(const Work& work, const T* base, std::span<const std::uint32_t> features, double* dots) {
  const auto& typed_kernels = typed(work.kernels, base);
  const SegmentLayout& layout = work.table.layout();
  const auto segments = layout.segments();
  const std::size_t stride = work.table.matrix().n_rows;
  const double* weights = layout.weights();
  alignas(64) double block[kBlockRows];
  alignas(64) double lanes[kChunk * kTwinLanes];
  const T* columns[kChunk];
  double centres[kChunk];
  for (std::size_t i = 0; i < features.size(); ++i) centres[i] = work.moments.centre[features[i]];
  for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
    std::fill_n(lanes, features.size() * kTwinLanes, 0.0);
    for (std::size_t row = segments[s]; row < segments[s + 1]; row += kBlockRows) {
      const std::size_t rows = std::min(kBlockRows, segments[s + 1] - row);
      visit_type(work.reference.column, [&](const auto* values) {
        typed(work.kernels, values)
            .centre(values + row, weights == nullptr ? nullptr : weights + row, rows, work.reference.centre, block);
      });
      for (std::size_t i = 0; i < features.size(); ++i) columns[i] = base + features[i] * stride + row;
      typed_kernels.dots(columns, centres, features.size(), block, rows, work.tile, lanes);
    }
    work.kernels.totals(lanes, features.size(), dots + s * kChunk);
  }
}

const float* same_type(NumericColumn column, const float*) { return column.float32; }
const double* same_type(NumericColumn column, const double*) { return column.float64; }

// The same for many short segments: the columns of a group stay in the first-level cache.
template <class T>
void short_segment_dots(const Work& work, const T* base, const T* reference, std::span<const std::uint32_t> features,
                        double* dots) {
  const auto segments = work.table.layout().segments();
  const std::size_t stride = work.table.matrix().n_rows;
  for (std::size_t first = 0; first < features.size(); first += kDirect) {
    const std::size_t count = std::min(kDirect, features.size() - first);
    const std::size_t after = std::min(first + kDirect, features.size() - count);
    for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
      const T* columns[kDirect];
      const T* next[kDirect];
      double centres[kDirect];
      for (std::size_t i = 0; i < count; ++i) {
        columns[i] = base + features[first + i] * stride + segments[s];
        next[i] = base + features[after + i] * stride + segments[s];
        centres[i] = work.moments.centre[features[first + i]];
      }
      typed(work.kernels, base)
          .direct_dots(columns, next, centres, count, reference + segments[s], work.reference.centre,
                       segments[s + 1] - segments[s], work.tile, dots + s * kChunk + first);
    }
  }
}

double value_from_rows(const Work& work, std::uint32_t feature, std::size_t replicate) {
  if (work.reference.fallback != nullptr && !work.table.pairwise()) {
    return work.reference.fallback->value(work.kind, feature, work.reference.feature, replicate);
  }
  const SegmentLayout& layout = work.table.layout();
  return pair_sums(work.table.column(feature), work.reference.column, layout, replicate).value(work.kind);
}

void chunk_values(const Work& work, std::span<const std::uint32_t> features, double* out) {
  const SegmentLayout& layout = work.table.layout();
  const std::size_t n_replicates = layout.n_replicates();
  if (work.table.pairwise()) {
    for (std::size_t i = 0; i < features.size(); ++i) {
      for (std::size_t r = 0; r < n_replicates; ++r) out[i * n_replicates + r] = value_from_rows(work, features[i], r);
    }
    return;
  }
  double single[kChunk];
  std::vector<double> several;
  double* dots = single;
  if (layout.n_segments() > 1) {
    several.resize(layout.n_segments() * kChunk);
    dots = several.data();
  }
  visit_type(work.table.matrix(), [&](const auto* base) {
    const auto* reference = same_type(work.reference.column, base);
    if (reference != nullptr && layout.n_segments() > 1 && layout.weights() == nullptr &&
        layout.n_rows() <= kShortRows) {
      short_segment_dots(work, base, reference, features, dots);
    } else {
      segment_dots(work, base, features, dots);
    }
  });
  const auto kept_rows = layout.kept_rows();
  layout.sets().sum_each(dots, kChunk, features.size(), out, 1, n_replicates);
  for (std::size_t i = 0; i < features.size(); ++i) {
    const std::size_t at = features[i] * n_replicates;
    double* values = out + i * n_replicates;
    for (std::size_t r = 0; r < n_replicates; ++r) {
      values[r] = sure_value(work.kind, values[r], kept_rows[r], work.moments.kept_sum[at + r],
                             work.moments.norm[at + r], work.moments.error[at + r], work.reference.mean_distance[r],
                             work.reference.norm[r], work.reference.error[r]);
      if (std::isnan(values[r])) values[r] = value_from_rows(work, features[i], r);
    }
  }
}

}  // namespace

Reference reference_at(NumericColumn column, const ColumnMoments& moments, std::size_t index,
                       std::span<const double> kept_rows) {
  const std::size_t at = index * kept_rows.size();
  std::vector<double> distance(kept_rows.size());
  for (std::size_t r = 0; r < distance.size(); ++r) distance[r] = moments.kept_sum[at + r] / kept_rows[r];
  return {column, moments.centre[index], std::move(distance), moments.norm.data() + at, moments.error.data() + at};
}

void associate(const NumericTable& table, const ColumnMoments& moments, const Reference& reference, NumericKind kind,
               std::span<const std::uint32_t> features, std::size_t n_threads, std::span<double> out) {
  const Work work{table, moments, reference, kind, THRESHER_DISPATCH(moment_kernels)};
  const std::size_t n_replicates = table.n_replicates();
  // With several threads, smaller chunks keep all of them busy; the values do not depend on the chunk.
  std::size_t chunk = kChunk;
  if (n_threads > 1) chunk = std::clamp<std::size_t>(features.size() / (4 * n_threads), 4, kChunk);
  const std::size_t n_chunks = (features.size() + chunk - 1) / chunk;
  const std::size_t grain = std::max<std::size_t>((std::size_t{1} << 16) / (table.n_rows() * chunk + 1), 1);
  parallel_for(n_chunks, grain, n_threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t c = begin; c < end; ++c) {
      const std::size_t first = c * chunk;
      const std::size_t count = std::min(chunk, features.size() - first);
      chunk_values(work, features.subspan(first, count), out.data() + first * n_replicates);
    }
  });
}

}  // namespace thresher
