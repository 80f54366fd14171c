#include "measures/short_replicates.hpp"

#include <algorithm>

#include "counting/joint_kernels.hpp"

namespace thresher {
namespace {

// Words read per pair up to which counting is cheaper than finding a kept value (found by measurement).
constexpr std::size_t kMostWords = 128;

// Where one word of the layout with gaps goes to.
struct WordMove {
  std::size_t from, to;
  unsigned shift;
  bool splits;  // its upper bits belong to the next word
};

std::vector<WordMove> moves_of(const RowLayout& layout) {
  std::vector<WordMove> moves;
  for (std::size_t word = 0; word < layout.n_words(); ++word) {
    if (layout.word_rows(word) == 0) continue;
    const std::size_t position = layout.word_position(word);
    moves.push_back(
        {word, position / 64, static_cast<unsigned>(position % 64), position % 64 + layout.word_rows(word) > 64});
  }
  return moves;
}

}  // namespace

bool ShortColumns::suit(const CodedTable& table) {
  if (!table.layout().has_parts() || table.is_weighted() || table.has_bytes() || table.has_missing()) return false;
  if (table.n_rows() == 0 || table.n_rows() >= table.xlogx().table_size()) return false;
  std::size_t n_planes = 0;
  for (std::size_t f = 0; f < table.n_features(); ++f) n_planes += table.feature(f).n_planes();
  const std::size_t mean_planes = (n_planes + table.n_features()) / (table.n_features() + 1);
  return (table.n_rows() + 63) / 64 * mean_planes * mean_planes <= kMostWords;
}

ShortColumns::ShortColumns(const CodedTable& table) : n_words_((table.n_rows() + 63) / 64) {
  std::size_t n_planes = 0;
  begin_.reserve(table.n_features());
  for (std::size_t f = 0; f < table.n_features(); ++f) {
    begin_.push_back(n_planes * n_words_);
    n_planes += table.feature(f).n_planes();
  }
  words_.assign(checked_product(n_planes, n_words_), 0);
  const std::vector<WordMove> moves = moves_of(table.layout());
  for (std::size_t f = 0; f < table.n_features(); ++f) {
    n_levels_ += table.feature(f).levels;
    const PlaneBlock source = table.planes(f);
    for (std::size_t plane = 0; plane < source.n_planes; ++plane) {
      const std::uint64_t* from = source.words + plane * source.stride;
      std::uint64_t* to = words_.data() + begin_[f] + plane * n_words_;
      for (const WordMove& move : moves) {
        to[move.to] |= from[move.from] << move.shift;
        if (move.splits) to[move.to + 1] |= from[move.from] >> (64 - move.shift);
      }
    }
  }
}

std::vector<std::uint64_t> ShortColumns::rows_of(const RowLayout& layout, std::size_t replicate) const {
  std::vector<std::uint64_t> rows(n_words_, 0);
  for (std::size_t part = 0; part < layout.n_parts(); ++part) {
    if (!layout.sets().keeps(replicate, part)) continue;
    for (std::size_t position = layout.row_begin(part); position < layout.row_end(part); ++position) {
      rows[position / 64] |= std::uint64_t{1} << position % 64;
    }
  }
  return rows;
}

ShortReplicate::ShortReplicate(const CodedTable& table, const ShortColumns& columns, const MarginSums& margins,
                               const ReplicateRows& rows, std::size_t replicate, DiscreteMeasure measure)
    : xlogx_(table.xlogx()),
      measure_(measure),
      n_words_(columns.n_words()),
      whole_(rows.whole[replicate]),
      unit_(rows.unit[replicate]),
      kept_(columns.rows_of(table.layout(), replicate)),
      features_(table.features(), table.features() + table.n_features()),
      counts_(columns.n_levels()) {
  margins_.reserve(features_.size());
  for (std::size_t f = 0; f < features_.size(); ++f) {
    features_[f].data = columns.planes(f);
    margins_.push_back(margins.of(f)[replicate]);
  }
  count_levels(table.layout().kept_rows()[replicate]);
  std::fill_n(units_, kBatch, unit_);
}

// The cells of the last level follow from the rows per level, so these must be the replicate's own.
void ShortReplicate::count_levels(std::uint32_t n_rows) {
  THRESHER_DISPATCH(joint_kernels)
      .count_levels(features_.data(), features_.size(), kept_.data(), n_words_, n_rows, counts_.data());
  const std::uint32_t* counts = counts_.data();
  for (CodedFeature& feature : features_) {
    feature.counts = counts;
    counts += feature.levels;
  }
}

void ShortReplicate::mask_planes(std::uint32_t reference) {
  const CodedFeature& feature = features_[reference];
  masked_.resize(feature.n_planes() * n_words_);
  for (std::size_t plane = 0; plane < feature.n_planes(); ++plane) {
    for (std::size_t word = 0; word < n_words_; ++word) {
      masked_[plane * n_words_ + word] = feature.data[plane * n_words_ + word] & kept_[word];
    }
  }
}

// From sums_, the joint sums of these features and the reference.
void ShortReplicate::store(std::uint32_t reference, std::span<const std::uint32_t> features, double* out) {
  const std::int64_t margin = margins_[reference];
  if (measure_ == DiscreteMeasure::mi) {
    for (std::size_t k = 0; k < features.size(); ++k) sums_[k] += whole_ - margins_[features[k]] - margin;
    THRESHER_DISPATCH(joint_kernels).bits_values(sums_, units_, features.size(), out);
    return;
  }
  for (std::size_t k = 0; k < features.size(); ++k) {
    const std::int64_t own = margins_[features[k]];
    const InformationSums<std::int64_t> sums = {whole_ + sums_[k] - own - margin, whole_ - own, whole_ - margin, unit_};
    out[k] = information_value(measure_, sums);
  }
}

void ShortReplicate::values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) {
  mask_planes(reference);
  const CodedFeature& feature = features_[reference];
  // One mask is enough: what the reference lacks is in no cell.
  const JointReference column = {{masked_.data(), feature.n_planes(), n_words_},
                                 feature.counts,
                                 xlogx_.table(),
                                 n_words_,
                                 1,
                                 nullptr,
                                 false,
                                 kept_.data()};
  const JointKernels& kernels = THRESHER_DISPATCH(joint_kernels);
  for (std::size_t first = 0; first < features.size(); first += kBatch) {
    const auto wanted = features.subspan(first, std::min(kBatch, features.size() - first));
    kernels.joint_sums(column, features_.data(), wanted.data(), wanted.size(), sums_);
    store(reference, wanted, out.data() + first);
  }
}

// The measure is symmetric: whichever side is shorter is the reference.
void ShortReplicate::fill(std::span<const TermRequest> requests) {
  for (const TermRequest& request : requests) {
    const std::size_t n_references = request.references.size();
    if (request.features.size() > n_references) {
      PairMeasure::fill({&request, 1});
      continue;
    }
    for (std::size_t i = 0; i < request.features.size(); ++i) {
      values(request.features[i], request.references, request.terms.subspan(i * n_references, n_references));
    }
  }
}

}  // namespace thresher
