// The core without Python: its main kernels against plain loops on seeded data.
//
// Prints a digest of all results for every subject. Digests depend neither on the platform nor on the level of
// instructions (THRESHER_ISA); `make check-core` compares them with tests/cpp/digests.txt.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <memory>
#include <numeric>
#include <set>
#include <span>
#include <vector>

#include "consistency/elimination.hpp"
#include "core/interrupt.hpp"
#include "core/isa.hpp"
#include "core/parallel.hpp"
#include "counting/pair_counter.hpp"
#include "discretize/cuts.hpp"
#include "measures/discrete_measure.hpp"
#include "measures/dispersion.hpp"
#include "measures/numeric_measure.hpp"
#include "measures/numeric_relevance.hpp"
#include "measures/ranks.hpp"
#include "moments/moment_request.hpp"
#include "neighbours/laplacian.hpp"
#include "neighbours/nearest.hpp"
#include "neighbours/relief.hpp"
#include "packing/build.hpp"
#include "partial_correlation/gso.hpp"
#include "partial_correlation/rrct.hpp"
#include "search/cfs.hpp"
#include "search/cmi_walk.hpp"
#include "search/fcbf.hpp"
#include "search/greedy.hpp"
#include "seeded.hpp"

namespace {

using namespace thresher;
using namespace thresher::check;

NeverInterrupt never;
constexpr std::size_t kThreads = 3;

template <class T>
ArrayView view_of(const std::vector<T>& values, DType dtype, std::size_t n_rows, std::size_t n_columns) {
  return {values.data(), dtype, n_rows, n_columns, static_cast<std::ptrdiff_t>(n_columns * sizeof(T)), sizeof(T)};
}

BuildOptions with_threads(std::size_t n_threads) {
  BuildOptions options;
  options.n_threads = n_threads;
  return options;
}

CodedTable pack(const Problem& problem, const BuildOptions& options = with_threads(kThreads)) {
  return build_from_dense(view_of(problem.codes, DType::u8, problem.n_rows, problem.n_features), options, never);
}

std::vector<std::uint32_t> all_features(const Problem& problem) {
  std::vector<std::uint32_t> features(problem.n_features);
  std::iota(features.begin(), features.end(), 0u);
  return features;
}

// Ranks of a column's codes among its distinct ones.
std::vector<std::uint8_t> plain_ranks(const Problem& problem, std::size_t f) {
  std::set<std::uint8_t> distinct;
  for (std::size_t row = 0; row < problem.n_rows; ++row) distinct.insert(problem.code(row, f));
  std::vector<std::uint8_t> ranks;
  for (std::size_t row = 0; row < problem.n_rows; ++row) {
    ranks.push_back(static_cast<std::uint8_t>(std::distance(distinct.begin(), distinct.find(problem.code(row, f)))));
  }
  return ranks;
}

void check_codes(const CodedTable& table, const Problem& problem, Digest& digest) {
  std::vector<std::uint8_t> codes(problem.n_rows);
  for (std::size_t f = 0; f < problem.n_features; ++f) {
    table.codes_of(f, codes.data());
    require(codes == plain_ranks(problem, f), "codes are ranks among the distinct values");
    digest.add(codes);
  }
}

template <class T>
void check_dense(const Problem& problem, DType dtype, Digest& digest) {
  const std::vector<T> values(problem.codes.begin(), problem.codes.end());
  const ArrayView view = view_of(values, dtype, problem.n_rows, problem.n_features);
  check_codes(build_from_dense(view, with_threads(kThreads), never), problem, digest);
}

void packing(const Problem& problem, Digest& digest) {
  check_dense<std::uint8_t>(problem, DType::u8, digest);
  check_dense<std::int16_t>(problem, DType::i16, digest);
  check_dense<std::int64_t>(problem, DType::i64, digest);
  check_dense<float>(problem, DType::f32, digest);
  check_dense<double>(problem, DType::f64, digest);
  std::vector<std::int64_t> starts = {0}, rows;
  std::vector<float> values;
  for (std::size_t f = 0; f < problem.n_features; ++f) {
    for (std::size_t row = 0; row < problem.n_rows; ++row) {
      if (problem.code(row, f) == 0) continue;
      rows.push_back(static_cast<std::int64_t>(row));
      values.push_back(problem.code(row, f));
    }
    starts.push_back(static_cast<std::int64_t>(rows.size()));
  }
  const SparseView sparse = {starts.data(),  rows.data(),        true, true, values.data(), DType::f32, values.size(),
                             problem.n_rows, problem.n_features, true};
  for (const std::size_t dense_bytes : {std::size_t{0}, kDenseBytes}) {
    BuildOptions options = with_threads(kThreads);
    options.dense_bytes = dense_bytes;
    check_codes(build_from_sparse(sparse, options, never), problem, digest);
  }
}

void counting(const Problem& problem, Digest& digest) {
  std::vector<std::int32_t> parts;
  for (std::size_t row = 0; row < problem.n_rows; ++row) parts.push_back(static_cast<std::int32_t>(row % 4));
  for (const bool has_parts : {false, true}) {
    BuildOptions options = with_threads(1);
    if (has_parts) options.parts = parts, options.sets = PartSets::all_but_one(4);
    const CodedTable table = pack(problem, options);
    CountScratch scratch;
    for (const std::uint32_t g : {0u, 4u, 7u}) {
      const ReferenceColumn reference(table, g);
      const std::vector<std::uint8_t> ours = plain_ranks(problem, g);
      for (std::size_t f = 0; f < problem.n_features; ++f) {
        const std::size_t levels = table.feature(f).levels, width = reference.n_levels();
        std::vector<std::uint32_t> cells(table.n_parts() * levels * width), plain(cells.size());
        count_cells(table, reference, f, scratch, cells.data());
        const std::vector<std::uint8_t> theirs = plain_ranks(problem, f);
        for (std::size_t row = 0; row < problem.n_rows; ++row) {
          const std::size_t part = has_parts ? row % 4 : 0;
          ++plain[(part * levels + theirs[row]) * width + ours[row]];
        }
        require(cells == plain, "cells of a table are counted rows");
        digest.add(cells);
      }
    }
  }
}

// Mutual information in bits.
double plain_information(const Problem& problem, std::size_t f) {
  std::vector<double> joint(256 * Problem::kClasses), levels(256), classes(Problem::kClasses);
  for (std::size_t row = 0; row < problem.n_rows; ++row) {
    const auto label = static_cast<std::size_t>(problem.classes[row]);
    joint[problem.code(row, f) * Problem::kClasses + label] += 1.0;
    levels[problem.code(row, f)] += 1.0;
    classes[label] += 1.0;
  }
  const double n = static_cast<double>(problem.n_rows);
  double sum = 0.0;
  for (std::size_t cell = 0; cell < joint.size(); ++cell) {
    const double expected = levels[cell / Problem::kClasses] * classes[cell % Problem::kClasses] / n;
    if (joint[cell] > 0.0) sum += joint[cell] / n * std::log2(joint[cell] / expected);
  }
  return sum;
}

std::vector<double> relevance_of(const CodedTable& table, const Problem& problem, DiscreteMeasure measure) {
  std::vector<double> relevance(problem.n_features);
  discrete_relevance(table, problem.classes, Problem::kClasses, measure, kThreads, relevance);
  return relevance;
}

void information(const Problem& problem, Digest& digest) {
  const auto table = std::make_shared<const CodedTable>(pack(problem));
  const std::vector<double> relevance = relevance_of(*table, problem, DiscreteMeasure::mi);
  for (std::size_t f = 0; f < problem.n_features; ++f) {
    require(is_near(relevance[f], plain_information(problem, f)), "information is that of the counts");
  }
  const std::vector<std::uint32_t> features = all_features(problem);
  std::vector<double> values(features.size()), alone(features.size());
  for (const auto kind : {DiscreteMeasure::mi, DiscreteMeasure::su, DiscreteMeasure::nmi, DiscreteMeasure::chi2}) {
    digest.add(relevance_of(*table, problem, kind));
    DiscretePairMeasure(table, kind, kThreads).values(1, features, values);
    DiscretePairMeasure(table, kind, 1).values(1, features, alone);
    require(values == alone, "values do not depend on the number of threads");
    digest.add(values);
  }
}

double plain_correlation(const double* a, const double* b, std::size_t n) {
  const double mean_a = std::accumulate(a, a + n, 0.0) / static_cast<double>(n);
  const double mean_b = std::accumulate(b, b + n, 0.0) / static_cast<double>(n);
  double aa = 0.0, bb = 0.0, ab = 0.0;
  for (std::size_t i = 0; i < n; ++i) {
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
    ab += (a[i] - mean_a) * (b[i] - mean_b);
  }
  return std::abs(ab) / std::sqrt(aa * bb);
}

void moments(const Problem& problem, Digest& digest) {
  const std::vector<std::uint32_t> features = all_features(problem);
  std::vector<double> target(problem.classes.begin(), problem.classes.end()), values(features.size());
  NumericOptions options;
  options.n_threads = kThreads;
  for (const bool is_single : {false, true}) {
    const NumericMatrix matrix = {is_single ? problem.single.data() : nullptr,
                                  is_single ? nullptr : problem.columns.data(), problem.n_features, problem.n_rows};
    const NumericTable table(matrix, options, never);
    for (const NumericKind kind : {NumericKind::pearson, NumericKind::cosine}) {
      NumericPairMeasure(table, kind, kThreads).values(2, features, values);
      digest.add(values);
      if (kind != NumericKind::pearson) continue;
      for (std::size_t f = 0; f < problem.n_features; ++f) {
        const double plain = plain_correlation(problem.column(2), problem.column(f), problem.n_rows);
        require(is_near(values[f], plain, is_single ? 1e-6 : 1e-9), "Pearson's correlation is that of the definition");
      }
    }
    digest.add(relevance_of_numbers(table, NumericKind::pearson, target, kThreads));
    digest.add(relevance_of_classes(table, ClassKind::f, problem.classes, Problem::kClasses, kThreads, never));
    // Their low words differ between levels; what is made of them does not.
    const std::vector<ClassSum> sums = column_sums(table, std::vector<double>(problem.n_features), kThreads);
    for (std::size_t f = 0; f < problem.n_features; ++f) {
      const double* x = problem.column(f);
      const double plain = std::inner_product(x, x + problem.n_rows, x, 0.0);
      require(is_near(sums[f].xx.hi, plain, is_single ? 1e-6 : 1e-9), "a sum of squares is that of the definition");
    }
    RankPairMeasure ranks(matrix, {}, kThreads, never);
    ranks.values(2, features, values);
    digest.add(values);
    digest.add(ranks.relevance(target));
  }
}

void dispersion(const Problem& problem, Digest& digest) {
  // Two measures want positive numbers, the others take any.
  std::vector<double> positive;
  for (const double value : problem.columns) positive.push_back(value + 3.0);
  const DenseColumns<double> columns{positive.data(), problem.n_features, problem.n_rows};
  for (const auto kind : {Dispersion::variance, Dispersion::mad, Dispersion::mean_median, Dispersion::iqr,
                          Dispersion::am_gm, Dispersion::amgm}) {
    digest.add(dispersions(columns, {kind, false, kThreads}, never));
  }
}

void discretize(const Problem& problem, Digest& digest) {
  const CutOptions options{{}, kThreads};
  const auto check = [&](const NumericMatrix& matrix, const Cuts& cuts, const auto& columns) {
    std::vector<std::uint8_t> codes(columns.size());
    apply_cuts(matrix, cuts.cuts, cuts.offsets, kThreads, codes.data(), never);
    for (std::size_t i = 0; i < codes.size(); ++i) {
      const std::size_t f = i / problem.n_rows;
      const auto begin = cuts.cuts.begin() + cuts.offsets[f], end = cuts.cuts.begin() + cuts.offsets[f + 1];
      const auto below = std::count_if(begin, end, [&](double cut) { return cut < columns[i]; });
      require(codes[i] == below, "a code is the number of cuts below the value");
    }
    digest.add(cuts.cuts);
    digest.add(codes);
  };
  const auto check_all = [&](const NumericMatrix& matrix, const auto& columns) {
    check(matrix, cuts_equal_frequency(matrix, 5, options, never), columns);
    check(matrix, cuts_equal_width(matrix, 7, options, never), columns);
    check(matrix, cuts_mean_sd(matrix, 0.5, options, never), columns);
    check(matrix, cuts_mdl(matrix, problem.classes, Problem::kClasses, false, options, never), columns);
  };
  check_all({nullptr, problem.columns.data(), problem.n_features, problem.n_rows}, problem.columns);
  check_all({problem.single.data(), nullptr, problem.n_features, problem.n_rows}, problem.single);
}

void neighbours(const Problem& problem, Digest& digest) {
  const DenseColumns<double> columns{problem.columns.data(), problem.n_features, problem.n_rows};
  const std::vector<std::uint8_t> nominal(problem.n_features);
  const RowTable<double> table = scaled_by_range(columns, nominal, problem.classes, Problem::kClasses, kThreads);
  std::vector<std::uint32_t> rows(problem.n_rows);
  std::iota(rows.begin(), rows.end(), 0u);
  const RowTable<double> plain = unscaled(columns, kThreads);
  const NearestRows nearest = nearest_rows(plain, rows, {true, 4, kThreads}, never);
  for (std::uint32_t query = 0; query < problem.n_rows; query += 7) {
    std::vector<std::pair<double, std::uint32_t>> others;
    for (const std::uint32_t row : rows) {
      double distance = 0.0;
      for (std::size_t f = 0; f < problem.n_features; ++f) {
        const double difference = problem.column(f)[query] - problem.column(f)[row];
        distance += difference * difference;
      }
      if (row != query) others.emplace_back(distance, row);
    }
    std::partial_sort(others.begin(), others.begin() + 4, others.end());
    std::set<std::uint32_t> expected;
    for (std::size_t i = 0; i < 4; ++i) expected.insert(others[i].second);
    const auto found = nearest.of(query, 0);
    require(std::set(found.begin(), found.end()) == expected, "nearest rows are those of least distance");
    for (const std::uint32_t row : expected) digest.add(row);
  }
  const std::vector<double> target(problem.columns.begin(),
                                   problem.columns.begin() + static_cast<std::ptrdiff_t>(problem.n_rows));
  for (const auto kind : {ReliefKind::relief, ReliefKind::relieff, ReliefKind::rrelieff, ReliefKind::multisurf}) {
    digest.add(relief_weights(table, {kind, 5, rows, kThreads, target}, never));
  }
  const Edges edges = nearest_graph(columns, 5, kThreads, never);
  digest.add(edges.first);
  digest.add(edges.second);
  digest.add(edges.squared_distance);
  const std::vector<double> degree(problem.n_rows, 1.0);
  const WeightedGraph graph{edges.first, edges.second, edges.squared_distance, degree};
  digest.add(graph_scores(columns, graph, true, kThreads));
}

// The same selection that computes every pair at every step.
std::vector<std::uint32_t> plain_mrmr(PairMeasure& measure, const std::vector<double>& relevance, std::size_t n) {
  std::vector<std::uint32_t> features(relevance.size()), selected;
  std::iota(features.begin(), features.end(), 0u);
  std::vector<double> sums(relevance.size()), terms(relevance.size());
  while (selected.size() < n) {
    const double size = std::max(1.0, static_cast<double>(selected.size()));
    std::uint32_t best = 0;
    double top = -std::numeric_limits<double>::infinity();
    for (const std::uint32_t f : features) {
      const double score = relevance[f] - sums[f] / size;
      if (std::ranges::find(selected, f) == selected.end() && score > top) best = f, top = score;
    }
    selected.push_back(best);
    measure.values(best, features, terms);
    for (const std::uint32_t f : features) sums[f] += terms[f];
  }
  return selected;
}

void add_steps(const Steps& steps, Digest& digest) {
  digest.add(steps.selected);
  digest.add(steps.scores);
  digest.add(steps.redundancy);
}

void search(const Problem& problem, Digest& digest) {
  const auto table = std::make_shared<const CodedTable>(pack(problem));
  const std::vector<double> relevance = relevance_of(*table, problem, DiscreteMeasure::su);
  DiscretePairMeasure measure(table, DiscreteMeasure::su, kThreads);
  for (const Strategy strategy : {Strategy::lazy, Strategy::scan, Strategy::cached}) {
    GreedyOptions options;
    options.strategy = strategy;
    auto found = greedy_forward(measure, relevance, options);
    found.extend(12, never);
    require(found.steps().selected == plain_mrmr(measure, relevance, 12), "a search selects what all pairs select");
    add_steps(found.steps(), digest);
  }
  auto merit = cfs_forward(measure, relevance, {});
  merit.extend(problem.n_features, never);
  add_steps(merit.steps(), digest);
  auto filtered = fcbf(measure, relevance, {});
  filtered.extend(problem.n_features, never);
  add_steps(filtered.steps(), digest);
  CmiOptions walk;
  walk.table = table.get();
  walk.classes = problem.classes;
  walk.n_classes = Problem::kClasses;
  walk.xlogx = &table->xlogx();
  walk.relevance = relevance;
  auto walked = cmi_walk(walk);
  walked.extend(problem.n_features, never);
  add_steps(walked.steps(), digest);
}

void partial_correlation(const Problem& problem, Digest& digest) {
  const std::vector<double> target(problem.classes.begin(), problem.classes.end());
  const CentredColumns columns(problem.columns.data(), problem.n_features, problem.n_rows, kThreads, never);
  auto orthogonal = gso_forward({&columns, 1}, target, {}, never);
  orthogonal.extend(8, never);
  add_steps(orthogonal.steps(), digest);
  auto complementary = rrct_forward(columns, columns, target, {}, never);
  complementary.extend(8, never);
  add_steps(complementary.steps(), digest);
}

void consistency(const Problem& problem, Digest& digest) {
  std::vector<std::uint8_t> codes;
  std::vector<std::int32_t> levels;
  for (std::size_t f = 0; f < problem.n_features; ++f) {
    const std::vector<std::uint8_t> ranks = plain_ranks(problem, f);
    codes.insert(codes.end(), ranks.begin(), ranks.end());
    levels.push_back(std::ranges::max(ranks) + 1);
  }
  const auto table = std::make_shared<const CodedTable>(
      build_from_codes(codes.data(), levels, problem.n_rows, -1, with_threads(kThreads), never));
  consistency::TableColumns columns(table);
  consistency::CodedRows rows;
  rows.columns = &columns;
  rows.n_rows = problem.n_rows;
  rows.n_features = problem.n_features;
  rows.classes = problem.classes;
  rows.n_classes = Problem::kClasses;
  for (const auto kind : {consistency::RiskMeasure::bayes, consistency::RiskMeasure::binary,
                          consistency::RiskMeasure::pairs, consistency::RiskMeasure::entropy}) {
    const consistency::GroupCost cost(kind, rows, 0.0);
    for (std::uint32_t f = 0; f + 3 < problem.n_features; ++f) {
      const std::vector<std::uint32_t> set = {f, f + 1, f + 3};
      digest.add(consistency::subset_risk(rows, cost, set));
    }
  }
}

// Every index once, whatever the threads; an exception and Ctrl-C reach the caller.
void threads() {
  std::vector<int> seen(10000);
  parallel_for(seen.size(), 7, kThreads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) ++seen[i];
  });
  require(std::ranges::count(seen, 1) == 10000, "a parallel loop covers every index once");
  bool is_thrown = false;
  try {
    parallel_for(100, 1, kThreads, [](std::size_t begin, std::size_t) {
      if (begin == 57) throw std::bad_alloc();
    });
  } catch (const std::bad_alloc&) {
    is_thrown = true;
  }
  require(is_thrown, "an exception of a thread reaches the caller");
  struct Pressed final : Interrupt {
    bool requested() override { return true; }
  } pressed;
  const InterruptScope scope(pressed);
  is_thrown = false;
  try {
    parallel_for(100, 1, 1, [](std::size_t, std::size_t) {});
  } catch (const Interrupted&) {
    is_thrown = true;
  }
  require(is_thrown, "an interrupt ends a parallel loop");
}

struct Subject {
  const char* name;
  void (*check)(const Problem&, Digest&);
};

constexpr Subject kSubjects[] = {
    {"packing", packing},         {"counting", counting},     {"information", information},
    {"moments", moments},         {"dispersion", dispersion}, {"discretize", discretize},
    {"neighbours", neighbours},   {"search", search},         {"partial", partial_correlation},
    {"consistency", consistency},
};

}  // namespace

int main() {
  threads();
  // Beside words, tiles and blocks: one row more or less than whole ones.
  const std::vector<Problem> problems = {make_problem(63, 17, 1), make_problem(64, 24, 2), make_problem(257, 65, 3),
                                         make_problem(1031, 33, 4)};
  for (const Subject& subject : kSubjects) {
    Digest digest;
    for (const Problem& problem : problems) subject.check(problem, digest);
    std::printf("%-12s %016llx\n", subject.name, static_cast<unsigned long long>(digest.value()));
    std::fflush(stdout);
  }
  std::fprintf(stderr, "instructions: %.*s\n", static_cast<int>(isa_level_name(isa_level()).size()),
               isa_level_name(isa_level()).data());
}
