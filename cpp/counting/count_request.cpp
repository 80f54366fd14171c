#include "counting/count_request.hpp"

#include <stdexcept>

#include "core/parallel.hpp"
#include "counting/pair_counter.hpp"

namespace thresher {
namespace {

constexpr std::size_t kGrain = 64;  // pairs

// Writes the counts that determine a full table.
template <class Count>
void write_counts(const Count* cells, std::size_t a_levels, std::size_t b_levels, bool is_incomplete,
                  std::int64_t* out) {
  const std::size_t n_rows = is_incomplete ? a_levels : a_levels - 1;
  const std::size_t n_columns = is_incomplete ? b_levels : b_levels - 1;
  for (std::size_t i = 0; i < n_rows; ++i) {
    for (std::size_t j = 0; j < n_columns; ++j) *out++ = static_cast<std::int64_t>(cells[i * b_levels + j]);
  }
}

template <class Count>
void count_range(const CodedTable& block, const PairRequest& request, std::span<const std::uint8_t> incomplete,
                 std::span<const std::size_t> begin, std::size_t first, std::size_t last, std::int64_t* out) {
  CountScratch scratch;
  std::vector<Count> cells;
  ReferenceColumn reference;
  for (std::size_t i = first; i < last; ++i) {
    const std::uint32_t f = request.features[i], g = request.references[i];
    if (i == first || g != request.references[i - 1]) reference = ReferenceColumn(block, g);
    const std::size_t a_levels = block.feature(f).levels, b_levels = block.feature(g).levels;
    const std::size_t n_cells = a_levels * b_levels;
    if (n_cells == 0) continue;
    cells.resize(n_cells * block.n_parts());
    count_cells(block, reference, f, scratch, cells.data());
    const bool is_incomplete = !incomplete.empty() && (incomplete[f] != 0 || incomplete[g] != 0);
    const std::size_t n = n_counts_needed(a_levels, b_levels, is_incomplete);
    for (std::size_t part = 0; part < block.n_parts(); ++part) {
      write_counts(cells.data() + part * n_cells, a_levels, b_levels, is_incomplete, out + begin[i] + part * n);
    }
  }
}

}  // namespace

std::vector<std::int64_t> count_request(const CodedTable& block, const PairRequest& request,
                                        std::span<const std::uint8_t> incomplete, std::size_t n_threads) {
  if (!block.weights().real.empty()) throw std::invalid_argument("weights must be integers to be counted");
  if (request.references.size() != request.features.size()) {
    throw std::invalid_argument("references and features differ in length");
  }
  if (!incomplete.empty() && incomplete.size() != block.n_features()) {
    throw std::invalid_argument("incomplete must have one mark per feature");
  }
  std::vector<std::size_t> begin = {0};
  for (std::size_t i = 0; i < request.features.size(); ++i) {
    const std::uint32_t f = request.features[i], g = request.references[i];
    if (f >= block.n_features() || g >= block.n_features()) throw std::invalid_argument("no such feature");
    const bool is_incomplete = !incomplete.empty() && (incomplete[f] != 0 || incomplete[g] != 0);
    if (!is_incomplete && (block.feature(f).missing || block.feature(g).missing)) {
      throw std::invalid_argument("incomplete must mark every feature with missing values");
    }
    begin.push_back(begin.back() +
                    block.n_parts() * n_counts_needed(block.feature(f).levels, block.feature(g).levels, is_incomplete));
  }
  std::vector<std::int64_t> counts(begin.back());
  parallel_for(request.features.size(), kGrain, n_threads, [&](std::size_t first, std::size_t last) {
    if (block.weights().whole.empty()) {
      count_range<std::uint32_t>(block, request, incomplete, begin, first, last, counts.data());
    } else {
      count_range<std::int64_t>(block, request, incomplete, begin, first, last, counts.data());
    }
  });
  return counts;
}

}  // namespace thresher
