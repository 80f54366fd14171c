// The walk of the relevance-redundancy filter: down a ranking, dropping features too similar to one kept before.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "measures/pair_measure.hpp"

namespace thresher {

struct WalkOptions {
  std::size_t max_kept = 0;
  double max_similarity = 0.8;    // kept only if strictly below
  bool against_all = false;       // compare with every kept feature, not only with the last one
  double stop_mass = -1.0;        // stop when the relevance kept reaches it; negative: never
  std::size_t n_kept_before = 0;  // that many at the head of the order are kept without a comparison
  std::size_t n_threads = 1;
};

struct Walk {
  std::vector<std::uint32_t> kept;
  // For every feature of the order that was examined: the similarity that rejected it, or the largest one if it was
  // kept (nan: nothing to compare with), and the kept feature it was measured with.
  std::vector<double> similarity;
  std::vector<std::int64_t> rival;
  std::size_t n_scanned = 0;
  std::size_t n_evaluations = 0;  // similarities the plain walk needs, not counting those computed ahead
};

// `relevance` is by feature and needed only with stop_mass. With one thread each similarity is computed when it is
// needed; with more, those of the next candidates are computed ahead while candidates are being rejected.
Walk redundancy_walk(PairMeasure& similarity, std::span<const std::uint32_t> order, std::span<const double> relevance,
                     const WalkOptions& options, Interrupt& interrupt);

}  // namespace thresher
