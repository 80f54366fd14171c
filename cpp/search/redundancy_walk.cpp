#include "search/redundancy_walk.hpp"

#include <algorithm>
#include <limits>

namespace thresher {
namespace {

constexpr std::size_t kMaxAhead = 512;
constexpr std::size_t kBlockOfKept = 32;

// Similarities of the coming candidates with one reference, computed ahead in growing blocks.
class Ahead {
 public:
  Ahead(PairMeasure& similarity, std::span<const std::uint32_t> order, bool speculate)
      : similarity_(similarity), order_(order), speculate_(speculate) {}

  double value(std::uint32_t reference, std::size_t position) {
    if (reference != reference_) {
      reference_ = reference;
      size_ = 1;
      begin_ = end_ = position;
    }
    if (position >= end_) {
      begin_ = position;
      end_ = std::min(order_.size(), begin_ + size_);
      values_.resize(end_ - begin_);
      similarity_.values(reference, order_.subspan(begin_, end_ - begin_), values_);
      if (speculate_) size_ = std::min(2 * size_, kMaxAhead);
    }
    return values_[position - begin_];
  }

 private:
  PairMeasure& similarity_;
  std::span<const std::uint32_t> order_;
  bool speculate_;
  std::uint32_t reference_ = std::numeric_limits<std::uint32_t>::max();
  std::size_t size_ = 1;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::vector<double> values_;
};

struct Comparison {
  double similarity = std::numeric_limits<double>::quiet_NaN();
  std::int64_t rival = -1;
  bool rejected = false;
};

// Compares a candidate with the kept features. The first that is too close, in order of keeping, decides.
Comparison compare_with_all(PairMeasure& similarity, std::uint32_t candidate, const Walk& walk, double limit,
                            std::vector<double>& values, std::size_t& n_evaluations) {
  Comparison comparison;
  for (std::size_t first = 0; first < walk.kept.size(); first += kBlockOfKept) {
    const std::size_t count = std::min(kBlockOfKept, walk.kept.size() - first);
    values.resize(count);
    similarity.values(candidate, std::span(walk.kept).subspan(first, count), values);
    for (std::size_t i = 0; i < count; ++i) {
      ++n_evaluations;
      const bool rejects = !(values[i] < limit);
      if (rejects || !(values[i] <= comparison.similarity)) {
        comparison = {values[i], static_cast<std::int64_t>(walk.kept[first + i]), rejects};
      }
      if (rejects) return comparison;
    }
  }
  return comparison;
}

}  // namespace

Walk redundancy_walk(PairMeasure& similarity, std::span<const std::uint32_t> order, std::span<const double> relevance,
                     const WalkOptions& options, Interrupt& interrupt) {
  Walk walk;
  Ahead ahead(similarity, order, options.n_threads > 1);
  std::vector<double> values;
  double mass = 0.0;
  for (std::size_t position = 0; position < order.size(); ++position) {
    if (position % 64 == 0) interrupt.check();
    const bool given = position < std::max<std::size_t>(options.n_kept_before, 1);
    if (!given && walk.kept.size() >= options.max_kept) break;
    if (!given && options.stop_mass >= 0.0 && mass >= options.stop_mass) break;
    const std::uint32_t candidate = order[position];
    Comparison comparison;
    if (given) {
      // Nothing to compare.
    } else if (options.against_all) {
      comparison = compare_with_all(similarity, candidate, walk, options.max_similarity, values, walk.n_evaluations);
    } else {
      const std::uint32_t last = walk.kept.back();
      comparison.similarity = ahead.value(last, position);
      comparison.rival = static_cast<std::int64_t>(last);
      comparison.rejected = !(comparison.similarity < options.max_similarity);
      ++walk.n_evaluations;
    }
    walk.similarity.push_back(comparison.similarity);
    walk.rival.push_back(comparison.rival);
    ++walk.n_scanned;
    if (comparison.rejected) continue;
    walk.kept.push_back(candidate);
    if (options.stop_mass >= 0.0) mass += relevance[candidate];
  }
  return walk;
}

}  // namespace thresher
