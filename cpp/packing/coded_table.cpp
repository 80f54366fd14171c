#include "packing/coded_table.hpp"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "packing/plane_kernels.hpp"

namespace thresher {
namespace {

Weights by_position(const RowLayout& layout, Weights weights) {
  if (layout.in_order()) return weights;
  Weights arranged = weights;
  for (std::size_t position = 0; position < arranged.whole.size(); ++position)
    arranged.whole[position] = weights.whole[layout.row_at(position)];
  for (std::size_t position = 0; position < arranged.real.size(); ++position)
    arranged.real[position] = weights.real[layout.row_at(position)];
  return arranged;
}

std::uint64_t total_count(const RowLayout& layout, const Weights& weights) {
  if (weights.whole.empty()) return layout.n_rows();
  std::uint64_t total = 0;
  for (const std::int64_t weight : weights.whole) {
    if (weight < 0) throw std::invalid_argument("weights: must not be negative");
    total += static_cast<std::uint64_t>(weight);
    if (total > (std::uint64_t{1} << 50)) throw std::invalid_argument("weights: their sum is too large");
  }
  return total;
}

}  // namespace

CodedTable::CodedTable(RowLayout layout, std::size_t n_features, Weights weights, std::uint64_t n_logs)
    : layout_(std::move(layout)),
      weights_(by_position(layout_, std::move(weights))),
      xlogx_(std::max(total_count(layout_, weights_), n_logs)),
      features_(n_features) {}

std::size_t CodedTable::data_words(const CodedFeature& feature) const {
  if (feature.listed) return (feature.n_listed * (sizeof(std::uint32_t) + 1) + 7) / 8;
  return feature.packed ? checked_product(feature.n_planes(), layout_.plane_stride()) : (n_rows() + 7) / 8;
}

void CodedTable::allocate(std::size_t first, std::span<const Shape> shapes, bool zero_data, Arena* data_arena) {
  std::vector<std::size_t> words(shapes.size());
  std::size_t n_words = 0;
  std::size_t n_levels = 0;
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    CodedFeature& feature = features_[first + i];
    feature.levels = shapes[i].levels;
    feature.missing = shapes[i].missing;
    feature.packed = !is_weighted() && feature.levels <= kMaxPackedLevels;
    words[i] = data_words(feature);
    if (shapes[i].n_listed && words[i] * sizeof(std::uint64_t) > kMostBytesPerListed * *shapes[i].n_listed) {
      feature.packed = false;
      feature.listed = true;
      feature.n_listed = *shapes[i].n_listed;
      feature.rest = shapes[i].rest;
      words[i] = data_words(feature);
    }
    n_words += words[i];
    n_levels += feature.levels;
  }
  const std::size_t n_counts = checked_product(n_levels, n_parts());
  auto* data = (data_arena != nullptr ? *data_arena : arena_).allocate_array<std::uint64_t>(n_words);
  auto* counts = arena_.allocate_array<std::uint32_t>(n_counts);
  auto* values = arena_.allocate_array<double>(n_levels);
  if (zero_data && n_words > 0) std::memset(data, 0, n_words * sizeof(std::uint64_t));
  if (n_counts > 0) std::memset(counts, 0, n_counts * sizeof(std::uint32_t));
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    CodedFeature& feature = features_[first + i];
    feature.data = data;
    feature.counts = counts;
    feature.values = values;
    data += words[i];
    counts += feature.levels * n_parts();
    values += feature.levels;
  }
}

void CodedTable::adopt(LargeVector<CodedFeature> features, std::span<const std::uint32_t> counts,
                       std::span<const double> values) {
  auto* own_counts = arena_.allocate_array<std::uint32_t>(counts.size());
  auto* own_values = arena_.allocate_array<double>(values.size());
  std::ranges::copy(counts, own_counts);
  std::ranges::copy(values, own_values);
  features_ = std::move(features);
  for (CodedFeature& feature : features_) {
    feature.counts = own_counts;
    feature.values = own_values;
    own_counts += feature.levels * n_parts();
    own_values += feature.levels;
  }
}

void CodedTable::set_data(std::size_t f, const std::byte* data, bool stays) {
  if (!stays) {
    auto* copy = arena_.allocate_array<std::byte>(data_bytes(f));
    std::copy_n(data, data_bytes(f), copy);
    data = copy;
  }
  features_[f].data = reinterpret_cast<const std::uint64_t*>(data);
}

void CodedTable::store_codes(std::size_t f, const std::uint8_t* codes) {
  const CodedFeature& feature = features_[f];
  std::uint64_t* data = writable_data(f);
  if (feature.packed) {
    const PlaneKernels& kernels = THRESHER_DISPATCH(plane_kernels);
    for (std::size_t part = 0; part < n_parts(); ++part) {
      kernels.pack_codes(codes + layout_.row_begin(part), layout_.rows_in(part), feature.n_planes(),
                         layout_.plane_stride(), data + layout_.word_begin(part));
    }
  } else if (n_rows() > 0) {
    std::memcpy(data, codes, n_rows());
  }
  count_levels(f);
}

void CodedTable::store_list(std::size_t f, std::span<const Listed> rows) {
  const CodedFeature& feature = features_[f];
  auto* positions = reinterpret_cast<std::uint32_t*>(writable_data(f));
  auto* codes = reinterpret_cast<std::uint8_t*>(positions + feature.n_listed);
  std::uint32_t* counts = writable_counts(f);
  for (std::size_t part = 0, i = 0; part < n_parts(); ++part) {
    std::uint32_t* rest = counts + feature.rest * n_parts() + part;
    *rest = static_cast<std::uint32_t>(layout_.rows_in(part));
    for (; i < rows.size() && rows[i].position < layout_.row_end(part); ++i) {
      positions[i] = rows[i].position;
      codes[i] = rows[i].code;
      --*rest;
      if (rows[i].code < feature.levels) ++counts[rows[i].code * n_parts() + part];
    }
  }
}

void CodedTable::count_levels(std::size_t f) {
  const CodedFeature& feature = features_[f];
  std::uint32_t* counts = writable_counts(f);
  const PlaneKernels& kernels = THRESHER_DISPATCH(plane_kernels);
  std::uint32_t found[kMaxLevels];
  for (std::size_t part = 0; part < n_parts(); ++part) {
    if (feature.packed) {
      PlaneBlock block = planes(f);
      block.words += layout_.word_begin(part);
      kernels.count_planes(block, layout_.word_end(part) - layout_.word_begin(part), found);
    } else {
      const std::uint8_t* bytes = feature.bytes();
      std::fill_n(found, kMaxLevels, 0u);
      for (std::size_t position = layout_.row_begin(part); position < layout_.row_end(part); ++position)
        ++found[bytes[position]];
    }
    const std::size_t n_found = feature.packed ? feature.n_planes() : feature.levels;
    for (std::size_t level = 0; level < n_found; ++level) counts[level * n_parts() + part] = found[level];
  }
  if (feature.packed) complete_counts(f);
}

void CodedTable::complete_counts(std::size_t f) {
  const CodedFeature& feature = features_[f];
  if (feature.missing || feature.levels == 0) return;
  std::uint32_t* counts = writable_counts(f);
  std::uint32_t* last = counts + (feature.levels - 1u) * n_parts();
  for (std::size_t part = 0; part < n_parts(); ++part) {
    std::uint32_t rest = static_cast<std::uint32_t>(layout_.rows_in(part));
    for (std::size_t level = 0; level + 1 < feature.levels; ++level) rest -= counts[level * n_parts() + part];
    last[part] = rest;
  }
}

void CodedTable::finish() {
  for (const CodedFeature& feature : features_) {
    has_bytes_ = has_bytes_ || !feature.packed;
    has_lists_ = has_lists_ || feature.listed;
    has_missing_ = has_missing_ || feature.missing;
  }
  const auto sum_by_part = [&](const auto& weights, auto& totals) {
    if (weights.empty()) return;
    totals.resize(n_parts());
    for (std::size_t part = 0; part < n_parts(); ++part) {
      for (std::size_t position = layout_.row_begin(part); position < layout_.row_end(part); ++position)
        totals[part] += weights[position];
    }
  };
  sum_by_part(weights_.whole, whole_totals_);
  sum_by_part(weights_.real, real_totals_);
  for (std::size_t part = 0; part < n_parts(); ++part) {
    std::uint32_t used = 0;
    for (std::size_t position = layout_.row_begin(part); position < layout_.row_end(part); ++position)
      used += is_used(position);
    used_rows_.push_back(used);
  }
}

void CodedTable::decode(std::size_t f, std::uint8_t* codes) const {
  if (n_rows() == 0) return;
  const CodedFeature& feature = features_[f];
  if (feature.listed) {
    std::fill_n(codes, n_rows(), feature.rest);
    for (std::size_t i = 0; i < feature.n_listed; ++i) codes[feature.listed_positions()[i]] = feature.listed_codes()[i];
    return;
  }
  if (!feature.packed) {
    std::memcpy(codes, feature.data, n_rows());
    return;
  }
  const PlaneKernels& kernels = THRESHER_DISPATCH(plane_kernels);
  const auto rest = feature.missing ? kNoCode : static_cast<std::uint8_t>(feature.levels - 1);
  for (std::size_t part = 0; part < n_parts(); ++part) {
    PlaneBlock block = planes(f);
    block.words += layout_.word_begin(part);
    kernels.unpack_codes(block, layout_.rows_in(part), rest, codes + layout_.row_begin(part));
  }
}

void CodedTable::codes_of(std::size_t f, std::uint8_t* codes) const {
  if (layout_.in_order()) {
    decode(f, codes);
    return;
  }
  std::vector<std::uint8_t> arranged(n_rows());
  decode(f, arranged.data());
  for (std::size_t position = 0; position < n_rows(); ++position) codes[layout_.row_at(position)] = arranged[position];
}

std::size_t CodedTable::levels_by_part(std::size_t f, std::vector<std::uint32_t>& counts) const {
  const CodedFeature& feature = features_[f];
  if (!is_weighted()) {
    counts.assign(feature.counts, feature.counts + feature.levels * n_parts());
    return feature.levels;
  }
  // Rows of weight zero do not count.
  counts.assign(feature.levels * n_parts(), 0);
  for (std::size_t part = 0, i = 0; part < n_parts(); ++part) {
    const auto count = [&](std::size_t position, std::size_t code) {
      if (is_used(position) && code < feature.levels) ++counts[code * n_parts() + part];
    };
    if (!feature.listed) {
      for (std::size_t position = layout_.row_begin(part); position < layout_.row_end(part); ++position)
        count(position, feature.bytes()[position]);
      continue;
    }
    std::uint32_t rest = used_rows_[part];
    for (; i < feature.n_listed && feature.listed_positions()[i] < layout_.row_end(part); ++i) {
      count(feature.listed_positions()[i], feature.listed_codes()[i]);
      rest -= is_used(feature.listed_positions()[i]);
    }
    counts[feature.rest * n_parts() + part] = rest;
  }
  return feature.levels;
}

bool CodedTable::is_constant(std::size_t f) const {
  if (surely_varies(f)) return false;
  std::vector<std::uint32_t> counts;
  const std::size_t n_levels = levels_by_part(f, counts);
  std::size_t present = 0;
  for (std::size_t level = 0; level < n_levels; ++level) {
    const auto begin = counts.begin() + static_cast<std::ptrdiff_t>(level * n_parts());
    present +=
        std::any_of(begin, begin + static_cast<std::ptrdiff_t>(n_parts()), [](std::uint32_t n) { return n > 0; });
  }
  return present <= 1;
}

void CodedTable::find_constant_replicates(std::size_t f, std::uint8_t* constant) const {
  std::vector<std::uint32_t> counts;
  const std::size_t n_levels = levels_by_part(f, counts);
  std::vector<std::uint32_t> present(layout_.n_replicates());
  std::vector<std::uint32_t> kept(layout_.n_replicates());
  for (std::size_t level = 0; level < n_levels; ++level) {
    layout_.sets().count(counts.data() + level * n_parts(), kept.data());
    for (std::size_t r = 0; r < kept.size(); ++r) present[r] += kept[r] > 0;
  }
  for (std::size_t r = 0; r < present.size(); ++r) constant[r] = present[r] <= 1;
}

bool CodedTable::surely_varies(std::size_t f) const {
  if (is_weighted()) return false;  // rows of weight zero do not count
  const CodedFeature& feature = features_[f];
  const std::size_t most_left_out = n_rows() - *std::ranges::min_element(layout_.kept_rows());
  std::size_t n_large = 0;
  for (std::size_t level = 0; level < feature.levels && n_large < 2; ++level) {
    const std::uint32_t* counts = feature.counts + level * n_parts();
    n_large += std::accumulate(counts, counts + n_parts(), 0U) > most_left_out;
  }
  return n_large >= 2;
}

}  // namespace thresher
