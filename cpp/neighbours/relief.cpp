#include "neighbours/relief.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "core/elementary.hpp"
#include "core/parallel.hpp"
#include "core/rounding.hpp"
#include "neighbours/distance_kernels.hpp"
#include "neighbours/exact_strip.hpp"
#include "neighbours/nearest.hpp"
#include "neighbours/pairs.hpp"

namespace thresher {
namespace {

// The sigma of RReliefF: the influence of the neighbour of rank r is exp(-(r / sigma)^2).
constexpr double kInfluenceWidth = 20.0;

template <class T>
class Weigher {
 public:
  Weigher(const RowTable<T>& table, const ReliefOptions& options)
      : table_(table), options_(options), size_(table.n_classes) {
    for (std::size_t r = 0; r < table.columns.n_rows; ++r) ++size_[static_cast<std::size_t>(table.class_of(r))];
  }

  Pairs pairs(Interrupt& interrupt) const {
    const std::size_t n = table_.columns.n_rows;
    switch (options_.kind) {
      case ReliefKind::multisurf:
        return covers_all_rows(options_.rows, n) ? pairs_of_all_rows(interrupt) : Pairs(pairs_by_border(interrupt), n);
      case ReliefKind::rrelieff: return Pairs(pairs_by_target(interrupt), n);
      case ReliefKind::relief:
      case ReliefKind::relieff: break;
    }
    return Pairs(pairs_by_number(interrupt), n);
  }

 private:
  // Misses of class c weigh P(c) by the priors of all classes that have misses here, hits weigh -1, each set averaged,
  // over the sampled rows. `count[c]` neighbours are of class c; weight[c] is that of each of them.
  void weigh_classes(std::size_t query, std::span<const std::size_t> count, std::span<double> weight) const {
    const auto own = static_cast<std::size_t>(table_.class_of(options_.rows[query]));
    std::size_t missed = 0;
    for (std::size_t group = 0; group < table_.n_classes; ++group) {
      if (group != own && count[group] > 0) missed += size_[group];
    }
    for (std::size_t group = 0; group < table_.n_classes; ++group) {
      weight[group] = 0.0;
      if (count[group] == 0) continue;
      weight[group] = group == own ? -1.0 : static_cast<double>(size_[group]) / static_cast<double>(missed);
      weight[group] /= static_cast<double>(count[group]) * static_cast<double>(options_.rows.size());
    }
  }

  std::vector<Pair> pairs_by_number(Interrupt& interrupt) const {
    NearestOptions options;
    options.squared = options_.kind == ReliefKind::relief;
    options.n_neighbours = options_.kind == ReliefKind::relief ? 1 : options_.n_neighbours;
    options.n_threads = options_.n_threads;
    const NearestRows nearest = nearest_rows(table_, options_.rows, options, interrupt);
    std::vector<Pair> result;
    std::vector<std::size_t> count(table_.n_classes);
    std::vector<double> weight(table_.n_classes);
    for (std::size_t query = 0; query < options_.rows.size(); ++query) {
      for (std::size_t group = 0; group < table_.n_classes; ++group) count[group] = nearest.of(query, group).size();
      weigh_classes(query, count, weight);
      for (std::size_t group = 0; group < table_.n_classes; ++group) {
        for (const std::uint32_t other : nearest.of(query, group)) {
          result.push_back(pair_of(options_.rows[query], other, weight[group]));
        }
      }
    }
    return result;
  }

  // Robnik-Sikonja and Kononenko: with d the influence of a neighbour and c the difference of the targets, the weight
  // of a feature is sum(diff c d) / sum(c d) - sum(diff (1 - c) d) / (m - sum(c d)), a sum over pairs of diff times
  // something that no feature enters.
  std::vector<Pair> pairs_by_target(Interrupt& interrupt) const {
    std::vector<Pair> result = influences(interrupt);
    const auto [low, high] = std::minmax_element(options_.target.begin(), options_.target.end());
    const double range = 0.5 * *high - 0.5 * *low;  // halves: the whole could overflow
    const auto apart = [&](const Pair& pair) {
      return std::fabs(0.5 * options_.target[pair.first] - 0.5 * options_.target[pair.second]) / range;
    };
    double unlike = 0.0;
    for (const Pair& pair : result) unlike += pair.weight * apart(pair);
    const double alike = static_cast<double>(options_.rows.size()) - unlike;
    for (Pair& pair : result) {
      const double c = apart(pair);
      const double gain = unlike > 0.0 ? c / unlike : 0.0;
      const double loss = alike > 0.0 ? (1.0 - c) / alike : 0.0;
      pair.weight *= gain - loss;
    }
    return result;
  }

  // Every sampled row with its neighbours; their weights fall with the rank of their distance and sum to 1.
  std::vector<Pair> influences(Interrupt& interrupt) const {
    const NearestRows nearest =
        nearest_rows(table_, options_.rows, {false, options_.n_neighbours, options_.n_threads}, interrupt);
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> second;
    for (std::size_t query = 0; query < options_.rows.size(); ++query) {
      const auto rows = nearest.of(query, 0);
      first.insert(first.end(), rows.size(), options_.rows[query]);
      second.insert(second.end(), rows.begin(), rows.end());
    }
    const auto distances = pair_distances(table_, first, second, false, options_.n_threads, interrupt);
    std::vector<double> influence;
    double total = 0.0;
    for (std::size_t rank = 1; rank <= nearest.of(0, 0).size(); ++rank) {
      const double scaled_rank = static_cast<double>(rank) / kInfluenceWidth;
      influence.push_back(plain_exp(-scaled_rank * scaled_rank));
      total += influence.back();
    }
    std::vector<Pair> result;
    std::vector<std::pair<double, std::uint32_t>> ranked;
    for (std::size_t start = 0; start < first.size(); start += influence.size()) {
      ranked.clear();
      for (std::size_t i = start; i < start + influence.size(); ++i) {
        ranked.emplace_back(round_distance(distances[i]), second[i]);
      }
      std::stable_sort(ranked.begin(), ranked.end());  // stays inside also if data that change make a distance NaN
      for (std::size_t rank = 0; rank < ranked.size(); ++rank) {
        result.push_back(pair_of(first[start], ranked[rank].second, influence[rank] / total));
      }
    }
    return result;
  }

  // Neighbours are the rows nearer than the border: the mean less half a standard deviation of the distances of the
  // row. Returns it, and the weight of the neighbours of each class.
  double weigh_near(std::size_t query, std::span<const double> distances, std::span<double> weight) const {
    const std::size_t self = options_.rows[query];
    const double others = static_cast<double>(distances.size() - 1);
    double sum = 0.0;
    for (std::size_t r = 0; r < distances.size(); ++r) sum += r == self ? 0.0 : distances[r];
    const double mean = sum / others;
    double square = 0.0;
    for (std::size_t r = 0; r < distances.size(); ++r) {
      square += r == self ? 0.0 : (distances[r] - mean) * (distances[r] - mean);
    }
    const double border = round_distance(mean - 0.5 * std::sqrt(square / others));
    std::vector<std::size_t> count(table_.n_classes);
    for (std::size_t r = 0; r < distances.size(); ++r) {
      count[static_cast<std::size_t>(table_.class_of(r))] += r != self && distances[r] < border ? 1 : 0;
    }
    weigh_classes(query, count, weight);
    return border;
  }

  std::vector<Pair> pairs_by_border(Interrupt& interrupt) const {
    const ExactStrips<T> strips(table_, options_.rows, false);
    std::vector<Pair> result;
    std::mutex guard;
    strips.for_each(options_.n_threads, interrupt, [&](std::size_t query, std::span<const double> distances) {
      const std::uint32_t self = options_.rows[query];
      std::vector<double> weight(table_.n_classes);
      const double border = weigh_near(query, distances, weight);
      const std::lock_guard lock(guard);  // the order does not matter: pairs are sorted before they are added
      for (std::uint32_t r = 0; r < distances.size(); ++r) {
        if (r != self && distances[r] < border) {
          result.push_back(pair_of(self, r, weight[static_cast<std::size_t>(table_.class_of(r))]));
        }
      }
    });
    return result;
  }

  // Returns the same, each pair visited once.
  Pairs pairs_of_all_rows(Interrupt& interrupt) const {
    const std::size_t n = table_.columns.n_rows;
    const auto distances = ExactStrips<T>(table_, options_.rows, false).all(options_.n_threads, interrupt);
    const std::size_t n_classes = table_.n_classes;
    std::vector<double> weight(n * n_classes);
    std::vector<double> border(n);
    parallel_for(n, 16, options_.n_threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t r = begin; r < end; ++r) {
        border[r] = weigh_near(r, {distances.data() + r * n, n}, {weight.data() + r * n_classes, n_classes});
      }
    });
    Pairs result(n * (n - 1) / 2);
    for (std::uint32_t a = 0; a < n; ++a) {
      const double* from_a = weight.data() + a * n_classes;
      const auto class_of_a = static_cast<std::size_t>(table_.class_of(a));
      for (std::uint32_t b = a + 1; b < n; ++b) {
        const double d = distances[a * n + b];
        if (!(d < border[a]) && !(d < border[b])) continue;
        const double seen_by_a = d < border[a] ? from_a[static_cast<std::size_t>(table_.class_of(b))] : 0.0;
        const double seen_by_b = d < border[b] ? weight[b * n_classes + class_of_a] : 0.0;
        result.append(a, b, seen_by_a + seen_by_b);
      }
    }
    return result;
  }

  const RowTable<T>& table_;
  const ReliefOptions& options_;
  std::vector<std::size_t> size_;
};

// Calls weigh(rows, pairs, sums) for kWeighed features at a time.
template <class T, class Weigh>
void weigh_features(const RowTable<T>& table, std::span<const std::uint32_t> features, const Pairs& pairs,
                    std::size_t n_threads, const Weigh& weigh, std::vector<double>& weights) {
  constexpr std::size_t kPairsBetweenChecks = std::size_t{1} << 21;
  const std::size_t n_blocks = (features.size() + kWeighed - 1) / kWeighed;
  parallel_for(n_blocks, 1, n_threads, [&](std::size_t begin, std::size_t end) {
    std::vector<double> rows(table.columns.n_rows * kWeighed);
    for (std::size_t block = begin; block < end; ++block) {
      const auto some = features.subspan(block * kWeighed, std::min(kWeighed, features.size() - block * kWeighed));
      for (std::size_t f = 0; f < some.size(); ++f) {
        const auto x = table.columns.column(some[f]);
        for (std::size_t r = 0; r < x.size(); ++r) rows[r * kWeighed + f] = static_cast<double>(x[r]);
      }
      double sums[kWeighed] = {};
      for (std::size_t start = 0; start < pairs.size(); start += kPairsBetweenChecks) {
        check_interrupt();
        weigh(rows.data(), pairs.part(start, std::min(kPairsBetweenChecks, pairs.size() - start)), sums);
      }
      for (std::size_t f = 0; f < some.size(); ++f) weights[some[f]] = sums[f];
    }
  });
}

}  // namespace

template <class T>
std::vector<double> relief_weights(const RowTable<T>& table, const ReliefOptions& options, Interrupt& interrupt) {
  const Pairs pairs = Weigher<T>(table, options).pairs(interrupt);
  const bool squared = options.kind == ReliefKind::relief;
  std::vector<double> weights(table.columns.n_features);
  const auto& kernels = THRESHER_DISPATCH(distance_kernels);
  weigh_features(table, table.numeric, pairs, options.n_threads,
                 squared ? kernels.weigh_squares : kernels.weigh_absolute, weights);
  for (const std::uint32_t f : table.numeric) weights[f] /= squared ? table.scale[f] * table.scale[f] : table.scale[f];
  weigh_features(table, table.nominal, pairs, options.n_threads, kernels.weigh_mismatch, weights);
  for (const MissingFeature& feature : table.missing) {
    interrupt.check();
    double sum = 0.0;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
      const double d = table.missing_diff(feature, pairs.first(i), pairs.second(i));
      sum += pairs.weight(i) * (squared ? d * d : d);
    }
    weights[feature.feature] = sum;
  }
  for (double& w : weights) w = round_to_grid(w);
  return weights;
}

template std::vector<double> relief_weights(const RowTable<float>&, const ReliefOptions&, Interrupt&);
template std::vector<double> relief_weights(const RowTable<double>&, const ReliefOptions&, Interrupt&);

}  // namespace thresher
