#include "neighbours/nearest.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "core/order_statistics.hpp"
#include "core/parallel.hpp"
#include "neighbours/all_distances.hpp"
#include "neighbours/exact_strip.hpp"
#include "neighbours/panels.hpp"

namespace thresher {
namespace {

constexpr double kUnit = 5.9604644775390625e-08;  // 2^-24, the rounding unit of single precision
constexpr std::size_t kBatchDistances = std::size_t{1} << 22;

// The error bound of a distance in single precision.
class Bounds {
 public:
  Bounds(std::size_t n_features, bool squared) : squared_(squared) {
    const double pieces = static_cast<double>(n_features / kPiece + 1);
    // Additions inside a piece and of pieces, the operation itself.
    relative_ = (static_cast<double>(kPiece) + pieces + 4.0) * kUnit * 1.05;
    // Rounding of packed values between 0 and 1.
    absolute_ = 4.0 * kUnit * static_cast<double>(n_features);
  }

  // For squared distances from products: |a.b| <= |a||b| <= (|a| + |b|)^2 / 4, and rounding of the packed values moves
  // the squared distance by less than 5 units of (|a| + |b|)^2.
  double error(float value, double norms) const {
    const double plain = static_cast<double>(value) * relative_;
    return squared_ ? plain + (0.5 * relative_ + 6.0 * kUnit) * norms * norms + 1e-30 : plain + absolute_;
  }

 private:
  bool squared_;
  double relative_;
  double absolute_;
};

struct Candidate {
  float distance;
  float error;
  std::uint32_t row;

  float lower() const { return distance - error; }
  float upper() const { return distance + error; }
};

// A query and group whose last neighbours single precision could not settle: `wanted` of the listed rows are to be
// added.
struct Undecided {
  std::size_t slot = 0;
  std::size_t wanted = 0;
  std::vector<std::uint32_t> rows;
};

template <class T>
class Search {
 public:
  Search(const RowTable<T>& table, std::span<const std::uint32_t> queries, const NearestOptions& options)
      : table_(table), queries_(queries), options_(options), members_(table.n_classes) {
    for (std::size_t r = 0; r < table.columns.n_rows; ++r) {
      members_[static_cast<std::size_t>(table.class_of(r))].push_back(static_cast<std::uint32_t>(r));
    }
    result_.n_groups = table.n_classes;
    result_.n_neighbours = std::min(options.n_neighbours, table.columns.n_rows);
    result_.rows.resize(queries.size() * result_.n_groups * result_.n_neighbours);
    result_.count.resize(queries.size() * result_.n_groups);
  }

  NearestRows run(Interrupt& interrupt) {
    if (table_.missing.empty()) {
      from_single(interrupt);
    } else {
      from_double(interrupt);
    }
    return std::move(result_);
  }

 private:
  std::size_t n_rows() const { return table_.columns.n_rows; }

  void from_single(Interrupt& interrupt) {
    std::vector<std::uint32_t> all(n_rows());
    std::iota(all.begin(), all.end(), 0u);
    const double unit = options_.squared ? largest_value() : 1.0;
    const Panels<float> rows(table_, all, unit, options_.n_threads);
    const std::size_t n_features = table_.numeric.size() + table_.nominal.size();
    const Bounds bounds(n_features, options_.squared);
    norms_.resize(n_rows());
    for (std::size_t r = 0; r < n_rows(); ++r) norms_[r] = std::sqrt(rows.square(r));
    if (covers_all_rows(queries_, n_rows())) {
      const auto distances = all_distances(rows, options_.squared, options_.n_threads, interrupt);
      std::vector<std::vector<Undecided>> undecided(n_rows());
      parallel_for(n_rows(), 16, options_.n_threads, [&](std::size_t begin, std::size_t end) {
        std::vector<Candidate> work;
        for (std::size_t q = begin; q < end; ++q) {
          choose(q, {distances.data() + q * n_rows(), n_rows()}, bounds, work, undecided[q]);
        }
      });
      settle(undecided, interrupt);
      return;
    }
    const Panels<float> queries(table_, queries_, unit, options_.n_threads);
    const std::size_t batch = std::max<std::size_t>(1, kBatchDistances / (kPanel * n_rows()));
    for (std::size_t first = 0; first < queries.n_panels(); first += batch) {
      const std::size_t count = std::min(batch, queries.n_panels() - first);
      std::vector<std::vector<Undecided>> undecided(count);
      for (std::size_t done = 0; done < count; done += options_.n_threads) {
        interrupt.check();
        const std::size_t now = std::min(options_.n_threads, count - done);
        parallel_for(now, 1, options_.n_threads, [&](std::size_t begin, std::size_t end) {
          for (std::size_t i = done + begin; i < done + end; ++i) strip(queries, rows, first + i, bounds, undecided[i]);
        });
      }
      settle(undecided, interrupt);
    }
  }

  // Single precision overflows at 1e38: bring values to at most 1.
  double largest_value() const {
    std::vector<double> largest(table_.numeric.size());
    parallel_for(table_.numeric.size(), 64, options_.n_threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::size_t f = table_.numeric[i];
        for (const T v : table_.columns.column(f)) {
          largest[i] = std::max(largest[i], std::fabs(static_cast<double>(v) - table_.offset[f]) / table_.scale[f]);
        }
      }
    });
    const double value = largest.empty() ? 0.0 : *std::max_element(largest.begin(), largest.end());
    return value > 0.0 && table_.nominal.empty() ? std::max(value, 1e-290) : 1.0;
  }

  void strip(const Panels<float>& queries, const Panels<float>& rows, std::size_t panel, const Bounds& bounds,
             std::vector<Undecided>& undecided) {
    alignas(64) float tile[kPanel * kPanel];
    std::vector<float> distances(kPanel * n_rows());
    for (std::size_t b = 0; b < rows.n_panels(); ++b) {
      check_interrupt();
      queries.distances(panel, rows, b, options_.squared, tile);
      const std::size_t width = std::min(kPanel, n_rows() - b * kPanel);
      for (std::size_t r = 0; r < kPanel; ++r) {
        std::copy_n(tile + r * kPanel, width, distances.data() + r * n_rows() + b * kPanel);
      }
    }
    std::vector<Candidate> work;
    for (std::size_t r = 0; r < kPanel && panel * kPanel + r < queries_.size(); ++r) {
      choose(panel * kPanel + r, {distances.data() + r * n_rows(), n_rows()}, bounds, work, undecided);
    }
  }

  void choose(std::size_t query, std::span<const float> distances, const Bounds& bounds, std::vector<Candidate>& work,
              std::vector<Undecided>& undecided) {
    const std::size_t k = result_.n_neighbours;
    const std::uint32_t self = queries_[query];
    for (std::size_t group = 0; group < result_.n_groups; ++group) {
      const std::size_t slot = query * result_.n_groups + group;
      work.clear();
      for (const std::uint32_t row : members_[group]) {
        if (row == self) continue;
        // A tenth more covers the rounding of the bounds themselves.
        const double error = 1.1 * bounds.error(distances[row], norms_[self] + norms_[row]);
        work.push_back({distances[row], static_cast<float>(error), row});
      }
      if (work.size() <= k) {
        for (const Candidate& c : work) add(slot, c.row);
        continue;
      }
      // No more than k rows can be nearer than the (k + 1)-th smallest lower bound.
      const auto position = work.begin() + static_cast<std::ptrdiff_t>(k);
      const auto by_lower = [](const Candidate& a, const Candidate& b) { return is_before(a.lower(), b.lower()); };
      std::nth_element(work.begin(), position, work.end(), by_lower);
      const float surely_in = position->lower();
      const auto by_upper = [](const Candidate& a, const Candidate& b) { return is_before(a.upper(), b.upper()); };
      std::nth_element(work.begin(), position - 1, work.end(), by_upper);
      const float surely_out = (position - 1)->upper();
      Undecided open;
      for (const Candidate& c : work) {
        if (c.upper() < surely_in) {
          add(slot, c.row);
        } else if (c.lower() <= surely_out) {
          open.rows.push_back(c.row);
        }
      }
      open.wanted = k - result_.count[slot];
      if (open.wanted == open.rows.size()) {
        for (const std::uint32_t row : open.rows) add(slot, row);
      } else {
        open.slot = slot;
        undecided.push_back(std::move(open));
      }
    }
  }

  void add(std::size_t slot, std::uint32_t row) {
    // NaN distances make more rows seem near than there can be.
    if (result_.count[slot] == result_.n_neighbours) return;
    result_.rows[slot * result_.n_neighbours + result_.count[slot]++] = row;
  }

  // Measures the rows left open in double precision and takes the nearest of them.
  void settle(const std::vector<std::vector<Undecided>>& undecided, Interrupt& interrupt) {
    std::vector<std::uint32_t> first;
    std::vector<std::uint32_t> second;
    for (const auto& list : undecided) {
      for (const Undecided& open : list) {
        first.insert(first.end(), open.rows.size(), queries_[open.slot / result_.n_groups]);
        second.insert(second.end(), open.rows.begin(), open.rows.end());
      }
    }
    const std::vector<double> distances =
        pair_distances(table_, first, second, options_.squared, options_.n_threads, interrupt);
    std::size_t next = 0;
    std::vector<std::pair<double, std::uint32_t>> work;
    for (const auto& list : undecided) {
      for (const Undecided& open : list) {
        work.clear();
        for (const std::uint32_t row : open.rows) work.emplace_back(round_distance(distances[next++]), row);
        take_nearest(open.slot, open.wanted, work);
      }
    }
  }

  void take_nearest(std::size_t slot, std::size_t wanted, std::vector<std::pair<double, std::uint32_t>>& work) {
    const std::size_t count = std::min(wanted, work.size());
    std::nth_element(work.begin(), work.begin() + static_cast<std::ptrdiff_t>(count), work.end(),
                     [](const auto& a, const auto& b) {
                       if (is_before(a.first, b.first)) return true;
                       return !is_before(b.first, a.first) && a.second < b.second;
                     });
    for (std::size_t i = 0; i < count; ++i) add(slot, work[i].second);
  }

  void from_double(Interrupt& interrupt) {
    const ExactStrips<T> strips(table_, queries_, options_.squared);
    strips.for_each(options_.n_threads, interrupt, [&](std::size_t query, std::span<const double> distances) {
      std::vector<std::pair<double, std::uint32_t>> work;
      for (std::size_t group = 0; group < result_.n_groups; ++group) {
        work.clear();
        for (const std::uint32_t row : members_[group]) {
          if (row != queries_[query]) work.emplace_back(distances[row], row);
        }
        take_nearest(query * result_.n_groups + group, result_.n_neighbours, work);
      }
    });
  }

  const RowTable<T>& table_;
  std::span<const std::uint32_t> queries_;
  NearestOptions options_;
  std::vector<std::vector<std::uint32_t>> members_;
  std::vector<double> norms_;
  NearestRows result_;
};

}  // namespace

template <class T>
NearestRows nearest_rows(const RowTable<T>& table, std::span<const std::uint32_t> queries,
                         const NearestOptions& options, Interrupt& interrupt) {
  return Search<T>(table, queries, options).run(interrupt);
}

template <class T>
std::vector<double> pair_distances(const RowTable<T>& table, std::span<const std::uint32_t> first,
                                   std::span<const std::uint32_t> second, bool squared, std::size_t n_threads,
                                   Interrupt& interrupt) {
  std::vector<double> result(first.size());
  constexpr std::size_t kPairs = 4096;
  constexpr std::size_t kFeaturesBetweenChecks = 4096;
  for (std::size_t start = 0; start < table.numeric.size(); start += kFeaturesBetweenChecks) {
    interrupt.check();
    const std::size_t stop = std::min(table.numeric.size(), start + kFeaturesBetweenChecks);
    parallel_for(first.size(), kPairs, n_threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = start; i < stop; ++i) {
        const std::size_t f = table.numeric[i];
        const T* x = table.columns.column(f).data();
        const double scale = table.scale[f];
        for (std::size_t pair = begin; pair < end; ++pair) {
          const double d = (static_cast<double>(x[first[pair]]) - static_cast<double>(x[second[pair]])) / scale;
          result[pair] += squared ? d * d : std::fabs(d);
        }
      }
    });
  }
  for (const std::uint32_t f : table.nominal) {
    interrupt.check();
    const T* x = table.columns.column(f).data();
    for (std::size_t pair = 0; pair < first.size(); ++pair)
      result[pair] += x[first[pair]] != x[second[pair]] ? 1.0 : 0.0;
  }
  for (const MissingFeature& feature : table.missing) {
    interrupt.check();
    for (std::size_t pair = 0; pair < first.size(); ++pair) {
      const double d = table.missing_diff(feature, first[pair], second[pair]);
      result[pair] += squared ? d * d : d;
    }
  }
  return result;
}

template NearestRows nearest_rows(const RowTable<float>&, std::span<const std::uint32_t>, const NearestOptions&,
                                  Interrupt&);
template NearestRows nearest_rows(const RowTable<double>&, std::span<const std::uint32_t>, const NearestOptions&,
                                  Interrupt&);
template std::vector<double> pair_distances(const RowTable<float>&, std::span<const std::uint32_t>,
                                            std::span<const std::uint32_t>, bool, std::size_t, Interrupt&);
template std::vector<double> pair_distances(const RowTable<double>&, std::span<const std::uint32_t>,
                                            std::span<const std::uint32_t>, bool, std::size_t, Interrupt&);

}  // namespace thresher
