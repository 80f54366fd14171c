#include "counting/pair_counter.hpp"

#include <algorithm>
#include <cstring>

#include "counting/count_kernels.hpp"
#include "counting/listed_counts.hpp"
#include "counting/row_codes.hpp"
#include "packing/plane_kernels.hpp"

namespace thresher {
namespace {

// Planes of a reference with more levels than this would cost more than counting bytes.
constexpr std::size_t kMaxReferencePlanes = 32;

void count_by_planes(const CodedTable& table, const ReferenceColumn& reference, std::size_t f, CountScratch& scratch,
                     std::uint32_t* cells) {
  const RowLayout& layout = table.layout();
  const CodedFeature& feature = table.feature(f);
  const CountKernels& kernels = THRESHER_DISPATCH(count_kernels);
  const std::size_t a_levels = feature.levels;
  const std::size_t b_levels = reference.n_levels();
  const std::size_t a_planes = feature.n_planes();
  const std::size_t b_planes = reference.planes().n_planes;
  scratch.pairs.resize(std::max<std::size_t>(a_planes * b_planes, 1));
  for (std::size_t part = 0; part < layout.n_parts(); ++part, cells += a_levels * b_levels) {
    PlaneBlock a = table.planes(f);
    PlaneBlock b = reference.planes();
    a.words += layout.word_begin(part);
    b.words += layout.word_begin(part);
    kernels.count_pairs(a, b, layout.word_end(part) - layout.word_begin(part), scratch.pairs.data());
    // The margins give the cells of the levels without a plane.
    for (std::size_t i = 0; i < a_planes; ++i) {
      std::uint32_t rest = feature.counts[i * layout.n_parts() + part];
      for (std::size_t j = 0; j < b_planes; ++j) {
        const std::uint32_t count = scratch.pairs[i * b_planes + j];
        cells[i * b_levels + j] = count;
        rest -= count;
      }
      if (b_planes < b_levels) cells[i * b_levels + b_planes] = rest;
    }
    if (a_planes < a_levels) {
      for (std::size_t j = 0; j < b_levels; ++j) {
        std::uint32_t rest = reference.counts()[j * layout.n_parts() + part];
        for (std::size_t i = 0; i < a_planes; ++i) rest -= cells[i * b_levels + j];
        cells[a_planes * b_levels + j] = rest;
      }
    }
  }
}

const std::uint8_t* bytes_of(const CodedTable& table, std::size_t f, CountScratch& scratch) {
  if (!table.feature(f).packed) return table.feature(f).bytes();
  scratch.bytes.resize(std::max<std::size_t>(table.n_rows(), 1));
  table.decode(f, scratch.bytes.data());
  return scratch.bytes.data();
}

// Any reference, any weights.
template <class Count, class WeightAt>
void count_plainly(const CodedTable& table, const ReferenceColumn& reference, std::size_t f, CountScratch& scratch,
                   Count* cells, WeightAt weight_at) {
  const PlainCodes codes(bytes_of(table, f, scratch));
  with_codes(reference, [&](auto others) {
    count_rows(table.layout(), codes, table.feature(f).levels, others, reference.n_levels(), cells, weight_at);
  });
}

void count_by_bytes(const CodedTable& table, const ReferenceColumn& reference, std::size_t f, CountScratch& scratch,
                    std::uint32_t* cells) {
  const RowLayout& layout = table.layout();
  const CodedFeature& feature = table.feature(f);
  if (reference.bytes() == nullptr || feature.missing || reference.has_missing()) {
    count_plainly(table, reference, f, scratch, cells, [](std::size_t) { return std::uint32_t{1}; });
    return;
  }
  const std::size_t n_cells = feature.levels * reference.n_levels();
  const std::uint8_t* a = bytes_of(table, f, scratch);
  scratch.histograms.resize(std::max<std::size_t>(4 * n_cells, 1));
  std::memset(cells, 0, n_cells * layout.n_parts() * sizeof(std::uint32_t));
  const CountKernels& kernels = THRESHER_DISPATCH(count_kernels);
  for (std::size_t part = 0; part < layout.n_parts(); ++part, cells += n_cells) {
    const std::size_t begin = layout.row_begin(part);
    kernels.count_bytes(a + begin, reference.bytes() + begin, layout.rows_in(part), feature.levels,
                        reference.n_levels(), cells, scratch.histograms.data());
  }
}

}  // namespace

ReferenceColumn::ReferenceColumn(const CodedTable& table, std::size_t f, bool with_bytes) {
  const CodedFeature& feature = table.feature(f);
  n_levels_ = feature.levels;
  has_missing_ = feature.missing;
  counts_ = feature.counts;
  if (feature.packed) {
    planes_ = table.planes(f);
    has_planes_ = true;
  } else if (feature.listed) {
    listed_ = &feature;
  } else {
    bytes_ = feature.bytes();
    sum_weights(table, PlainCodes(bytes_));
  }
  if (feature.packed && table.has_bytes() && with_bytes) {
    own_bytes_.resize(table.n_rows());
    table.decode(f, own_bytes_.data());
    bytes_ = own_bytes_.data();
  }
}

ReferenceColumn::ReferenceColumn(const CodedTable& table, std::span<const std::int32_t> codes, std::size_t n_levels)
    : n_levels_(n_levels) {
  if (codes.size() != table.n_rows()) throw std::invalid_argument("y: one code per row is needed");
  std::vector<std::int32_t> arranged(codes.size());
  for (std::size_t position = 0; position < arranged.size(); ++position)
    arranged[position] = codes[table.layout().row_at(position)];
  set_codes(table, std::move(arranged));
}

ReferenceColumn ReferenceColumn::from_positions(const CodedTable& table, std::vector<std::int32_t> codes,
                                                std::size_t n_levels) {
  ReferenceColumn reference;
  reference.n_levels_ = n_levels;
  reference.set_codes(table, std::move(codes));
  return reference;
}

void ReferenceColumn::set_codes(const CodedTable& table, std::vector<std::int32_t> codes) {
  const RowLayout& layout = table.layout();
  own_counts_.assign(n_levels_ * layout.n_parts(), 0);
  for (std::size_t part = 0; part < layout.n_parts(); ++part) {
    for (std::size_t position = layout.row_begin(part); position < layout.row_end(part); ++position) {
      if (codes[position] >= static_cast<std::int64_t>(n_levels_)) throw std::invalid_argument("y: code out of range");
      if (codes[position] < 0) {
        has_missing_ = true;
      } else {
        ++own_counts_[static_cast<std::size_t>(codes[position]) * layout.n_parts() + part];
      }
    }
  }
  counts_ = own_counts_.data();
  sum_weights(table, PlainCodes(codes.data()));
  if (n_levels_ > CodedTable::kMaxLevels - (has_missing_ ? 1 : 0)) {
    wide_ = std::move(codes);
    return;
  }
  own_bytes_.resize(codes.size());
  for (std::size_t position = 0; position < codes.size(); ++position) {
    own_bytes_[position] = codes[position] < 0 ? CodedTable::kNoCode : static_cast<std::uint8_t>(codes[position]);
  }
  bytes_ = own_bytes_.data();
  const std::size_t n_planes = has_missing_ || n_levels_ == 0 ? n_levels_ : n_levels_ - 1;
  if (n_planes > kMaxReferencePlanes || table.is_weighted()) return;
  own_planes_ = AlignedArray<std::uint64_t>::zeros(std::max<std::size_t>(n_planes * layout.plane_stride(), 1));
  const PlaneKernels& kernels = THRESHER_DISPATCH(plane_kernels);
  for (std::size_t part = 0; part < layout.n_parts(); ++part) {
    kernels.pack_codes(own_bytes_.data() + layout.row_begin(part), layout.rows_in(part), n_planes,
                       layout.plane_stride(), own_planes_.data() + layout.word_begin(part));
  }
  planes_ = {own_planes_.data(), n_planes, layout.plane_stride()};
  has_planes_ = true;
}

void ReferenceColumn::mark_listed(const CodedTable& table) {
  if (listed_ == nullptr) return;
  marks_.assign(table.n_rows() / 64 + 1, 0);
  for (std::size_t i = 0; i < listed_->n_listed; ++i) {
    const std::uint32_t position = listed_->listed_positions()[i];
    marks_[position / 64] |= std::uint64_t{1} << position % 64;
  }
}

bool ReferenceColumn::surely_misses(const CodedFeature& feature) const {
  if (marks_.empty() || !feature.listed) return false;
  const std::uint32_t* positions = feature.listed_positions();
  return std::none_of(positions, positions + feature.n_listed,
                      [&](std::uint32_t position) { return (marks_[position / 64] >> position % 64 & 1) != 0; });
}

template <class Codes>
void ReferenceColumn::sum_weights(const CodedTable& table, Codes codes) {
  if (!table.has_lists()) return;
  const auto sum = [&](auto& margins, const auto& weights) {
    const RowLayout& layout = table.layout();
    if (weights.empty()) return;
    margins.resize(n_levels_ * layout.n_parts());
    for (std::size_t part = 0; part < layout.n_parts(); ++part) {
      for (std::size_t position = layout.row_begin(part); position < layout.row_end(part); ++position) {
        const std::size_t level = codes.at(position, part);
        if (level < n_levels_) margins[part * n_levels_ + level] += weights[position];
      }
    }
  };
  sum(whole_margins_, table.weights().whole);
  sum(real_margins_, table.weights().real);
}

void count_cells(const CodedTable& table, const ReferenceColumn& reference, std::size_t f, CountScratch& scratch,
                 std::uint32_t* cells) {
  if (table.feature(f).listed || reference.listed() != nullptr) return count_listed(table, reference, f, cells);
  const bool by_planes = table.feature(f).packed && reference.has_planes();
  by_planes ? count_by_planes(table, reference, f, scratch, cells)
            : count_by_bytes(table, reference, f, scratch, cells);
}

void count_cells(const CodedTable& table, const ReferenceColumn& reference, std::size_t f, CountScratch& scratch,
                 std::int64_t* cells) {
  if (table.feature(f).listed || reference.listed() != nullptr) return count_listed(table, reference, f, cells);
  const std::int64_t* weights = table.weights().whole.data();
  count_plainly(table, reference, f, scratch, cells, [weights](std::size_t position) { return weights[position]; });
}

void count_cells(const CodedTable& table, const ReferenceColumn& reference, std::size_t f, CountScratch& scratch,
                 DoubleDouble* cells) {
  if (table.feature(f).listed || reference.listed() != nullptr) return count_listed(table, reference, f, cells);
  const double* weights = table.weights().real.data();
  count_plainly(table, reference, f, scratch, cells, [weights](std::size_t position) { return weights[position]; });
}

}  // namespace thresher
