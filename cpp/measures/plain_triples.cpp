#include "measures/plain_triples.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "core/parallel.hpp"
#include "counting/joint_kernels.hpp"

namespace thresher {
namespace {

std::uint64_t count_bits(std::span<const std::uint64_t> words) {
  std::uint64_t count = 0;
  for (const std::uint64_t word : words) count += static_cast<std::uint64_t>(std::popcount(word));
  return count;
}

// Of every class, the bits of its rows among those taken.
std::vector<std::uint64_t> bits_of_classes(std::span<const std::int32_t> classes, std::size_t n_classes,
                                           std::span<const std::uint64_t> rows) {
  std::vector<std::uint64_t> bits(n_classes * rows.size(), 0);
  for (std::size_t position = 0; position < classes.size(); ++position) {
    const std::uint64_t bit = std::uint64_t{1} << position % 64;
    bits[static_cast<std::size_t>(classes[position]) * rows.size() + position / 64] |= rows[position / 64] & bit;
  }
  return bits;
}

std::vector<std::int64_t> first_logs(const XLogX& xlogx) {
  std::vector<std::int64_t> logs(kSmallCounts, 0);
  std::copy_n(xlogx.table(), std::min(kSmallCounts, xlogx.table_size()), logs.begin());
  return logs;
}

}  // namespace

Lanes::Lanes(std::span<const std::uint64_t> levels, std::size_t n_words) {
  const std::size_t n_levels = n_words == 0 ? 0 : levels.size() / n_words;
  for (std::size_t level = 0; level < n_levels; ++level) {
    counts_.push_back(count_bits(levels.subspan(level * n_words, n_words)));
    largest_ = std::max(largest_, counts_.back());
  }
  const std::size_t multiple = largest_ < kSmallCounts ? 8 : 4;
  n_lanes_ = (n_levels + multiple - 1) / multiple * multiple;
  counts_.resize(n_lanes_);
  words_.resize(n_words * n_lanes_);
  for (std::size_t level = 0; level < n_levels; ++level) {
    for (std::size_t word = 0; word < n_words; ++word) words_[word * n_lanes_ + level] = levels[level * n_words + word];
  }
}

std::int64_t Lanes::sum_logs(const std::int64_t* logs) const {
  std::int64_t sum = 0;
  for (const std::uint64_t count : counts_) sum += logs[count];
  return sum;
}

PlainTriples::PlainTriples(const CodedFeature* features, std::size_t stride, std::vector<std::uint64_t> rows,
                           std::span<const std::int32_t> classes, std::size_t n_classes, const XLogX& xlogx,
                           ThreeWayTerm term)
    : features_(features),
      stride_(stride),
      n_words_(rows.size()),
      n_rows_(count_bits(rows)),
      rows_(std::move(rows)),
      class_bits_(bits_of_classes(classes, n_classes, rows_)),
      logs_(xlogx.table()),
      small_logs_(first_logs(xlogx)),
      all_(rows_, n_words_),
      by_class_(class_bits_, n_words_),
      unit_(static_cast<double>(n_rows_) * xlogx.scale()),
      term_(term) {}

void PlainTriples::values(std::uint32_t reference, std::span<const std::uint8_t> codes,
                          std::span<const std::uint32_t> features, std::size_t n_threads, double* out) {
  if (n_rows_ == 0) {
    std::fill_n(out, features.size(), 0.0);
    return;
  }
  const Reference& column = find(reference, codes);
  // Lazy searches request a handful at a time: not worth sharing among threads.
  const std::size_t grain = std::clamp<std::size_t>(65536 / n_rows_, 1, 512);
  if (features.size() <= grain) {
    compute(column, features, out);
  } else {
    parallel_for(features.size(), grain, n_threads, [&](std::size_t begin, std::size_t end) {
      compute(column, features.subspan(begin, end - begin), out + begin);
    });
  }
}

const PlainTriples::Reference& PlainTriples::find(std::uint32_t reference, std::span<const std::uint8_t> codes) {
  const auto found = references_.find(reference);
  if (found != references_.end()) return *found->second;
  if (references_.size() >= kMostReferences) references_.clear();
  const std::vector<std::uint64_t> levels = levels_of(reference, codes);
  std::vector<std::uint64_t> joint;
  joint.reserve(n_words_ == 0 ? 0 : levels.size() / n_words_ * class_bits_.size());
  for (std::size_t first = 0; first < levels.size(); first += n_words_) {
    for (std::size_t i = 0; i < class_bits_.size(); ++i) joint.push_back(levels[first + i % n_words_] & class_bits_[i]);
  }
  auto made = std::make_unique<Reference>(Reference{Lanes(joint, n_words_), Lanes(levels, n_words_), {}});
  made->fixed.whole = logs_[n_rows_];
  made->fixed.g = made->by_level.sum_logs(logs_);
  made->fixed.c = by_class_.sum_logs(logs_);
  made->fixed.gc = made->joint.sum_logs(logs_);
  return *(references_[reference] = std::move(made));
}

// Returns the bits of each level on the rows taken; the last level has what the others leave.
std::vector<std::uint64_t> PlainTriples::levels_of(std::uint32_t reference, std::span<const std::uint8_t> codes) const {
  const CodedFeature& feature = features_[reference];
  std::vector<std::uint64_t> levels(feature.levels * n_words_, 0);
  if (!feature.packed) {
    for (std::size_t position = 0; position < codes.size(); ++position) {
      const std::uint64_t bit = std::uint64_t{1} << position % 64;
      levels[codes[position] * n_words_ + position / 64] |= rows_[position / 64] & bit;
    }
    return levels;
  }
  for (std::size_t word = 0; word < n_words_; ++word) {
    std::uint64_t rest = rows_[word];
    for (std::size_t plane = 0; plane < feature.n_planes(); ++plane) {
      const std::uint64_t bits = feature.data[plane * stride_ + word] & rows_[word];
      levels[plane * n_words_ + word] = bits;
      rest &= ~bits;
    }
    if (feature.levels > 0) levels[feature.n_planes() * n_words_ + word] = rest;
  }
  return levels;
}

void PlainTriples::compute(const Reference& reference, std::span<const std::uint32_t> features, double* out) const {
  const TripleKernels& kernels = THRESHER_DISPATCH(triple_kernels);
  const LogTables tables{logs_, small_logs_.data()};
  const bool is_interaction = term_ == ThreeWayTerm::interaction;
  std::int64_t fgc[kBatch], fg[kBatch], fc[kBatch] = {}, f[kBatch] = {};
  for (std::size_t first = 0; first < features.size(); first += kBatch) {
    const auto wanted = features.subspan(first, std::min(kBatch, features.size() - first));
    const auto sum = [&](const Lanes& lanes, std::int64_t* sums) {
      kernels.sum_lanes({features_, stride_, n_words_}, wanted.data(), wanted.size(), lanes.block(), tables, sums);
    };
    sum(reference.joint, fgc);
    sum(reference.by_level, fg);
    if (is_interaction) {
      sum(by_class_, fc);
      sum(all_, f);
    }
    for (std::size_t k = 0; k < wanted.size(); ++k) {
      TripleSums<std::int64_t> sums = reference.fixed;
      sums.fgc = fgc[k];
      sums.fg = fg[k];
      sums.fc = fc[k];
      sums.f = f[k];
      out[first + k] = term_value(term_, sums, unit_);
    }
  }
}

}  // namespace thresher
