#include "neighbours/relief.hpp"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "core/elementary.hpp"
#include "core/parallel.hpp"
#include "neighbours/distance_kernels.hpp"
#include "neighbours/exact_strip.hpp"
#include "neighbours/nearest.hpp"

namespace thresher {
namespace {

struct Pair {
  std::uint32_t first;
  std::uint32_t second;
  double weight;
};

// Each pair of rows once, with the sum of its weights, ordered by rows.
struct Pairs {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> second;
  std::vector<double> weight;

  explicit Pairs(std::vector<Pair>&& pairs) {
    std::sort(pairs.begin(), pairs.end(), [](const Pair& a, const Pair& b) {
      if (a.first != b.first) return a.first < b.first;
      if (a.second != b.second) return a.second < b.second;
      return a.weight < b.weight;
    });
    for (const Pair& pair : pairs) {
      if (!first.empty() && first.back() == pair.first && second.back() == pair.second) {
        weight.back() += pair.weight;
      } else {
        first.push_back(pair.first);
        second.push_back(pair.second);
        weight.push_back(pair.weight);
      }
    }
  }
};

template <class T>
class Weigher {
 public:
  Weigher(const RowTable<T>& table, const ReliefOptions& options)
      : table_(table), options_(options), size_(table.n_classes) {
    for (std::size_t r = 0; r < table.columns.n_rows; ++r) ++size_[static_cast<std::size_t>(table.class_of(r))];
  }

  std::vector<Pair> pairs(Interrupt& interrupt) const {
    return options_.kind == ReliefKind::multisurf ? pairs_by_border(interrupt) : pairs_by_number(interrupt);
  }

 private:
  // Misses of class c weigh P(c) / (1 - P(class of the row)), hits weigh -1, each set averaged, over the sampled rows.
  void append(std::size_t query, std::size_t group, std::span<const std::uint32_t> rows, std::vector<Pair>& out) const {
    if (rows.empty()) return;
    const std::uint32_t row = options_.rows[query];
    const auto own = static_cast<std::size_t>(table_.class_of(row));
    const double n = static_cast<double>(table_.columns.n_rows);
    double weight = -1.0;
    if (group != own) weight = static_cast<double>(size_[group]) / (n - static_cast<double>(size_[own]));
    weight /= static_cast<double>(rows.size()) * static_cast<double>(options_.rows.size());
    for (const std::uint32_t other : rows) out.push_back({std::min(row, other), std::max(row, other), weight});
  }

  std::vector<Pair> pairs_by_number(Interrupt& interrupt) const {
    NearestOptions options;
    options.squared = options_.kind == ReliefKind::relief;
    options.n_neighbours = options_.kind == ReliefKind::relief ? 1 : options_.n_neighbours;
    options.n_threads = options_.n_threads;
    const NearestRows nearest = nearest_rows(table_, options_.rows, options, interrupt);
    std::vector<Pair> result;
    for (std::size_t query = 0; query < options_.rows.size(); ++query) {
      for (std::size_t group = 0; group < table_.n_classes; ++group)
        append(query, group, nearest.of(query, group), result);
    }
    return result;
  }

  // Neighbours are the rows nearer than the mean less half a standard deviation of the distances of the row.
  std::vector<Pair> pairs_by_border(Interrupt& interrupt) const {
    const ExactStrips<T> strips(table_, options_.rows, false, options_.n_threads);
    std::vector<Pair> result;
    std::mutex guard;
    strips.for_each(options_.n_threads, interrupt, [&](std::size_t query, std::span<const double> distances) {
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
      std::vector<std::vector<std::uint32_t>> near(table_.n_classes);
      for (std::size_t r = 0; r < distances.size(); ++r) {
        if (r != self && distances[r] < border) {
          near[static_cast<std::size_t>(table_.class_of(r))].push_back(static_cast<std::uint32_t>(r));
        }
      }
      const std::lock_guard lock(guard);  // the order does not matter: pairs are sorted before they are added
      for (std::size_t group = 0; group < table_.n_classes; ++group) append(query, group, near[group], result);
    });
    return result;
  }

  const RowTable<T>& table_;
  const ReliefOptions& options_;
  std::vector<std::size_t> size_;
};

}  // namespace

template <class T>
std::vector<double> relief_weights(const RowTable<T>& table, const ReliefOptions& options, Interrupt& interrupt) {
  const Pairs pairs(Weigher<T>(table, options).pairs(interrupt));
  const bool squared = options.kind == ReliefKind::relief;
  std::vector<double> weights(table.columns.n_features);
  const auto weigh = [&](auto kernel, std::size_t feature) {
    return kernel(table.columns.column(feature).data(), pairs.first.data(), pairs.second.data(), pairs.weight.data(),
                  pairs.first.size());
  };
  const auto& kernels = THRESHER_DISPATCH(distance_kernels).of(table.columns.data);
  constexpr std::size_t kFeaturesBetweenQuestions = 256;
  for (std::size_t start = 0; start < table.numeric.size(); start += kFeaturesBetweenQuestions) {
    interrupt.check();
    const std::size_t count = std::min(kFeaturesBetweenQuestions, table.numeric.size() - start);
    parallel_for(count, 8, options.n_threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = start + begin; i < start + end; ++i) {
        const std::size_t f = table.numeric[i];
        const double scale = table.scale[f];
        weights[f] =
            squared ? weigh(kernels.weigh_squared, f) / (scale * scale) : weigh(kernels.weigh_absolute, f) / scale;
      }
    });
  }
  for (const std::uint32_t f : table.nominal) {
    interrupt.check();
    weights[f] = weigh(kernels.weigh_mismatch, f);
  }
  for (const MissingFeature& feature : table.missing) {
    interrupt.check();
    double sum = 0.0;
    for (std::size_t i = 0; i < pairs.first.size(); ++i) {
      const double d = table.missing_diff(feature, pairs.first[i], pairs.second[i]);
      sum += pairs.weight[i] * (squared ? d * d : d);
    }
    weights[feature.feature] = sum;
  }
  for (double& w : weights) w = round_bounded(w);
  return weights;
}

template std::vector<double> relief_weights(const RowTable<float>&, const ReliefOptions&, Interrupt&);
template std::vector<double> relief_weights(const RowTable<double>&, const ReliefOptions&, Interrupt&);

}  // namespace thresher
