#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "core/parallel.hpp"
#include "core/prefetch.hpp"
#include "measures/association.hpp"
#include "measures/exact_fallback.hpp"
#include "moments/moment_kernels.hpp"

namespace thresher {
namespace {

// Features and references of a tile: as many as the registers have sums for.
constexpr std::size_t kTile = 4;

using Features = std::span<const std::uint32_t>;

// Some features of a request against all of its references. The kernels take several columns against one other: the
// longer side gives the columns.
struct Tile {
  Features features, references;
  double* terms;  // [feature][reference][replicate]

  std::size_t n_pairs() const { return features.size() * references.size(); }
  bool turned() const { return references.size() > features.size(); }
  Features columns() const { return turned() ? references : features; }
  Features others() const { return turned() ? features : references; }
  // Where the values of a pair go, counted in pairs.
  std::size_t position(std::size_t column, std::size_t other) const {
    return turned() ? other * columns().size() + column : column * others().size() + other;
  }
  // Returns the features that one call of a kernel reads: candidates come from memory, references were read not long
  // ago.
  Features read_with(std::size_t other) const { return turned() ? features.subspan(other, 1) : features; }
};

struct Work {
  const NumericTable& table;
  std::span<const PackedMoments> moments;
  ExactFallback& fallback;
  NumericKind kind;
  const MomentKernels& kernels;
  const std::size_t tile_rows = thresher::tile_rows(table.layout());

  // Returns the value on a replicate from its sum of products about the centres.
  double value(std::uint32_t feature, std::uint32_t reference, std::size_t replicate, double dot) const {
    const SegmentLayout& layout = table.layout();
    const PackedMoments& f = moments[feature * layout.n_replicates() + replicate];
    const PackedMoments& g = moments[reference * layout.n_replicates() + replicate];
    const double value = sure_value(kind, dot, layout.kept_rows()[replicate], f.kept_sum, f.norm, f.error,
                                    g.kept_sum / layout.kept_rows()[replicate], g.norm, g.error);
    if (!std::isnan(value)) return value;
    return fallback.value(kind, feature, reference, replicate);
  }

  void fetch_moments(Features features) const {
    for (const std::uint32_t feature : features) prefetch(moments.data() + feature * table.n_replicates());
  }

  // From the sums of products of every segment; `stride` lies between those of one pair.
  void store(const Tile& tile, std::size_t other, const double* dots, std::size_t stride) const {
    const SegmentLayout& layout = table.layout();
    const std::uint32_t second = tile.others()[other];
    const std::size_t apart = (tile.position(1, other) - tile.position(0, other)) * layout.n_replicates();
    layout.sets().sum_each(dots, stride, tile.columns().size(),
                           tile.terms + tile.position(0, other) * layout.n_replicates(), 1, apart);
    for (std::size_t c = 0; c < tile.columns().size(); ++c) {
      const std::uint32_t first = tile.columns()[c];
      double* values = tile.terms + tile.position(c, other) * layout.n_replicates();
      for (std::size_t r = 0; r < layout.n_replicates(); ++r) {
        values[r] = tile.turned() ? value(second, first, r, values[r]) : value(first, second, r, values[r]);
      }
    }
  }
};

template <class T>
struct TileColumns {
  const T* column[kTile];
  double centre[kTile];

  TileColumns(const Work& work, const T* base, Features features) {
    for (std::size_t i = 0; i < features.size(); ++i) {
      column[i] = base + features[i] * work.table.n_rows();
      centre[i] = work.moments[features[i] * work.table.n_replicates()].centre;
    }
  }
};

// While one piece is computed the columns of the next are fetched.
template <class T>
void compute_short(const Work& work, const T* base, std::span<const Tile> tiles) {
  const std::size_t n_rows = work.table.n_rows();
  for (std::size_t t = 0; t < tiles.size(); ++t) {
    const Tile& tile = tiles[t];
    const TileColumns<T> columns(work, base, tile.columns()), others(work, base, tile.others());
    if (t + 1 < tiles.size()) work.fetch_moments(tiles[t + 1].features);
    for (std::size_t o = 0; o < tile.others().size(); ++o) {
      const bool last = o + 1 == tile.others().size();
      const Features soon = last ? tiles[std::min(t + 1, tiles.size() - 1)].read_with(0) : tile.read_with(o + 1);
      const T* next[kTile];
      for (std::size_t c = 0; c < kTile; ++c) next[c] = base + soon[std::min(c, soon.size() - 1)] * n_rows;
      double dots[kTile];
      typed(work.kernels, base)
          .direct_dots(columns.column, next, columns.centre, tile.columns().size(), others.column[o], others.centre[o],
                       n_rows, work.tile_rows, dots);
      work.store(tile, o, dots, kTile);
    }
  }
}

// Segment by segment, each in tiles of rows that are read for all pairs before the next: each column comes from memory
// once.
template <class T>
void compute_tall(const Work& work, const T* base, const Tile& tile) {
  constexpr std::size_t kSums = kTile * kTwinLanes;
  const auto segments = work.table.layout().segments();
  const std::size_t n_others = tile.others().size();
  const TileColumns<T> columns(work, base, tile.columns()), others(work, base, tile.others());
  std::vector<double> dots((segments.size() - 1) * n_others * kTile);
  for (std::size_t s = 0; s + 1 < segments.size(); ++s) {
    alignas(64) double lanes[kTile * kSums] = {};
    for (std::size_t row = segments[s]; row < segments[s + 1]; row += work.tile_rows) {
      const std::size_t rows = std::min(work.tile_rows, segments[s + 1] - row);
      const T* here[kTile];
      for (std::size_t c = 0; c < tile.columns().size(); ++c) here[c] = columns.column[c] + row;
      for (std::size_t o = 0; o < n_others; ++o) {
        typed(work.kernels, base)
            .direct_lanes(here, columns.centre, tile.columns().size(), others.column[o] + row, others.centre[o], rows,
                          lanes + o * kSums);
      }
    }
    for (std::size_t o = 0; o < n_others; ++o) {
      work.kernels.totals(lanes + o * kSums, tile.columns().size(), dots.data() + (s * n_others + o) * kTile);
    }
  }
  for (std::size_t o = 0; o < n_others; ++o) work.store(tile, o, dots.data() + o * kTile, n_others * kTile);
}

std::vector<Tile> cut_into_tiles(std::span<const TermRequest> requests, std::size_t n_replicates) {
  std::vector<Tile> tiles;
  for (const TermRequest& request : requests) {
    const std::size_t n_references = request.references.size();
    for (std::size_t first = 0; first < request.features.size(); first += kTile) {
      const std::size_t count = std::min(kTile, request.features.size() - first);
      tiles.push_back({request.features.subspan(first, count), request.references,
                       request.terms.data() + first * n_references * n_replicates});
    }
  }
  return tiles;
}

}  // namespace

static_assert(kTermsAtOnce <= kTile);

bool takes_requests(const NumericTable& table) {
  const SegmentLayout& layout = table.layout();
  return !table.pairwise() && layout.weights() == nullptr && (!layout.has_parts() || table.n_rows() > kShortRows);
}

std::vector<PackedMoments> packed(const ColumnMoments& moments, std::size_t n_replicates) {
  std::vector<PackedMoments> out(moments.norm.size());
  for (std::size_t at = 0; at < out.size(); ++at) {
    out[at] = {moments.centre[at / n_replicates], moments.kept_sum[at], moments.norm[at], moments.error[at]};
  }
  return out;
}

void associate(const NumericTable& table, std::span<const PackedMoments> moments, ExactFallback& fallback,
               NumericKind kind, std::span<const TermRequest> requests, std::size_t n_threads) {
  std::vector<Tile> tiles = cut_into_tiles(requests, table.n_replicates());
  // The small ones last: they fill the time in which other threads still work on large ones.
  if (n_threads > 1) std::ranges::stable_sort(tiles, std::greater<>(), &Tile::n_pairs);
  const Work work{table, moments, fallback, kind, THRESHER_DISPATCH(moment_kernels)};
  const std::size_t grain = std::max<std::size_t>((std::size_t{1} << 17) / (table.n_rows() * kTile + 1), 1);
  parallel_for(tiles.size(), grain, n_threads, [&](std::size_t begin, std::size_t end) {
    const auto mine = std::span<const Tile>(tiles).subspan(begin, end - begin);
    visit_type(table.matrix(), [&](const auto* base) {
      if (table.n_rows() <= kShortRows) {
        compute_short(work, base, mine);
      } else {
        for (const Tile& tile : mine) compute_tall(work, base, tile);
      }
    });
  });
}

}  // namespace thresher
