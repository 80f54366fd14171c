#include "search/similarity_rows.hpp"

#include <algorithm>

#include "core/aligned.hpp"
#include "core/interrupt.hpp"
#include "core/parallel.hpp"
#include "search/cluster_kernels.hpp"

namespace thresher {
namespace {

// Rows computed at a time, and mirrored while they are still in the cache.
constexpr std::size_t kBlock = 64;
// Features of a row moved at a time: the sums of both groups stay in the nearest cache.
constexpr std::size_t kMoved = 2048;
// Similarities computed at a time where they are not kept.
constexpr std::size_t kMostAtOnce = std::size_t{1} << 14;

std::uint16_t coarse(double similarity) { return static_cast<std::uint16_t>(similarity * SimilarityRows::kUnit + 0.5); }

double sum_of(const double* row, std::span<const std::uint32_t> positions) {
  double lanes[4] = {0, 0, 0, 0};
  std::size_t i = 0;
  for (; i + 4 <= positions.size(); i += 4)
    for (std::size_t lane = 0; lane < 4; ++lane) lanes[lane] += row[positions[i + lane]];
  for (; i < positions.size(); ++i) lanes[0] += row[positions[i]];
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

}  // namespace

SimilarityRows::SimilarityRows(PairMeasure& measure, std::span<const std::uint32_t> features, std::size_t memory,
                               std::size_t n_threads)
    : measure_(measure),
      features_(features.begin(), features.end()),
      n_threads_(n_threads),
      most_rows_(memory / (sizeof(double) * std::max<std::size_t>(features.size(), 1))) {
  const std::size_t n_pairs = checked_product(size(), size());
  const bool holds_all = n_pairs <= memory / (sizeof(double) + sizeof(std::uint16_t));
  if (n_pairs <= memory / sizeof(std::uint16_t)) fill(holds_all);
}

void SimilarityRows::fill(bool with_rows) {
  const std::size_t p = size();
  n_evaluations_ += p * (p > 0 ? p - 1 : 0) / 2;
  if (with_rows) all_.resize(p * p);
  coarse_.resize(p * p);
  std::vector<double> passing(with_rows ? 0 : kBlock * p);
  for (std::size_t start = 0; start < p; start += kBlock) {
    const std::size_t end = std::min(start + kBlock, p);
    double* rows = with_rows ? all_.data() + start * p : passing.data();
    std::vector<TermRequest> requests;
    for (std::size_t i = start; i < end; ++i) {
      double* row = rows + (i - start) * p;
      row[i] = 1.0;
      requests.push_back(
          {std::span(features_).subspan(i, 1), std::span(features_).subspan(i + 1), {row + i + 1, row + p}});
    }
    // Threads check for Ctrl-C between their ranges; a single one does so between rows.
    const std::size_t at_once = n_threads_ == 1 ? 1 : requests.size();
    for (std::size_t r = 0; r < requests.size(); r += at_once) {
      check_interrupt();
      measure_.fill(std::span(requests).subspan(r, at_once));
    }
    parallel_for(p - start, kBlock, n_threads_, [&](std::size_t first, std::size_t last) {
      for (std::size_t i = start; i < end; ++i) {
        const double* row = rows + (i - start) * p;
        for (std::size_t j = std::max(start + first, i); j < start + last; ++j) coarse_[i * p + j] = coarse(row[j]);
      }
      for (std::size_t j = start + first; j < start + last; ++j) {
        for (std::size_t i = start; i < std::min(end, j); ++i) coarse_[j * p + i] = coarse_[i * p + j];
        for (std::size_t i = start; with_rows && i < std::min(end, j); ++i) all_[j * p + i] = all_[i * p + j];
      }
    });
  }
}

std::vector<const double*> SimilarityRows::rows(std::span<const std::uint32_t> positions) {
  std::vector<const double*> result;
  if (!all_.empty()) {
    for (const std::uint32_t position : positions) result.push_back(all_.data() + position * size());
    return result;
  }
  // Rows of earlier calls are dropped when memory is full.
  if (some_.size() + positions.size() > most_rows_) {
    std::erase_if(some_, [&](const auto& row) { return std::ranges::find(positions, row.first) == positions.end(); });
  }
  for (const std::uint32_t position : positions) {
    if (!some_.contains(position)) {
      std::vector<double> row(size());
      measure_.values(features_[position], features_, row);
      row[position] = 1.0;
      n_evaluations_ += size() - 1;
      some_.emplace(position, std::move(row));
    }
    result.push_back(some_.at(position).data());
  }
  return result;
}

void SimilarityRows::coarse_sums(std::span<const RowSum> requests, std::span<std::int64_t> sums) {
  compute_sums(requests, sums, coarse);
}

void SimilarityRows::move(std::span<const Move> moves, std::span<std::uint32_t> sums) {
  const ClusterKernels& kernels = THRESHER_DISPATCH(cluster_kernels);
  parallel_for(size(), kMoved, n_threads_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t m = 0; m < moves.size(); ++m) {
      const auto [position, from, to] = moves[m];
      const std::uint16_t* row = coarse_row(position) + begin;
      std::uint32_t* joined = sums.data() + to * size() + begin;
      if (from == Move::kNone) {
        kernels.add(row, joined, end - begin);
      } else {
        kernels.move(row, sums.data() + from * size() + begin, joined, end - begin);
      }
    }
  });
}

void SimilarityRows::exact_sums(std::span<const RowSum> requests, std::span<double> sums) {
  if (all_.empty()) return compute_sums(requests, sums, [](double similarity) { return similarity; });
  parallel_for(requests.size(), kBlock, n_threads_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      sums[r] = sum_of(all_.data() + requests[r].position * size(), requests[r].others);
    }
  });
}

template <class Sum, class Term>
void SimilarityRows::compute_sums(std::span<const RowSum> requests, std::span<Sum> sums, Term term) {
  std::vector<std::uint32_t> features;
  std::vector<double> values;
  for (std::size_t first = 0; first < requests.size();) {
    check_interrupt();
    std::size_t last = first;
    features.clear();
    while (last < requests.size() && (last == first || features.size() < kMostAtOnce)) {
      for (const std::uint32_t other : requests[last].others) features.push_back(features_[other]);
      ++last;
    }
    values.resize(features.size());
    std::vector<TermRequest> terms;
    for (std::size_t r = first, begin = 0; r < last; begin += requests[r++].others.size()) {
      const std::size_t count = requests[r].others.size();
      terms.push_back({std::span(features_).subspan(requests[r].position, 1), std::span(features).subspan(begin, count),
                       std::span(values).subspan(begin, count)});
    }
    measure_.fill(terms);
    for (std::size_t r = first, v = 0; r < last; ++r) {
      sums[r] = 0;
      for (const std::uint32_t other : requests[r].others) {
        const bool is_itself = other == requests[r].position;
        sums[r] += term(is_itself ? 1.0 : values[v]);
        n_evaluations_ += !is_itself;
        ++v;
      }
    }
    first = last;
  }
}

}  // namespace thresher
