#include "search/replicates.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace thresher {
namespace {

constexpr std::uint32_t kUnknown = 0xffffffffU;   // the pair was never asked for
constexpr std::uint32_t kNotKept = 0xfffffffeU;   // it was, but its values were not kept
constexpr std::uint64_t kFree = ~std::uint64_t{0};
constexpr std::size_t kFirstSlots = 64;

std::size_t slot_of(std::uint32_t feature, std::size_t mask) {
  return static_cast<std::size_t>((feature * std::uint64_t{0x9E3779B97F4A7C15}) >> 32) & mask;
}

void check_replicate(std::size_t replicate, std::size_t n_replicates) {
  if (replicate >= n_replicates) throw std::invalid_argument("no such replicate");
}

}  // namespace

PairStore::PairStore(PairMeasure& measure, std::size_t memory_limit)
    : measure_(measure), n_replicates_(measure.n_replicates()), memory_limit_(memory_limit),
      is_symmetric_(measure.is_symmetric()), rows_(measure.n_features()) {}

std::uint32_t PairStore::find(const Row& row, std::uint32_t feature) {
  if (row.is_direct) return static_cast<std::uint32_t>(row.slots[feature]);
  const std::size_t mask = row.slots.size() - 1;
  for (std::size_t at = slot_of(feature, mask);; at = (at + 1) & mask) {
    const std::uint64_t slot = row.slots[at];
    // A free slot answers "unknown" by its lower half.
    if (slot >> 32 == feature || slot == kFree) return static_cast<std::uint32_t>(slot);
  }
}

// Larger, or addressed by feature once the slots are as many as the features.
void PairStore::widen(Row& row) {
  const std::vector<std::uint64_t> old = std::exchange(row.slots, {});
  row.is_direct = old.size() * 2 >= rows_.size();
  row.slots.assign(row.is_direct ? rows_.size() : old.size() * 2, kFree);
  for (const std::uint64_t slot : old) {
    if (slot == kFree) continue;
    const auto feature = static_cast<std::uint32_t>(slot >> 32);
    const std::size_t mask = row.slots.size() - 1;
    std::size_t at = row.is_direct ? feature : slot_of(feature, mask);
    while (!row.is_direct && row.slots[at] != kFree) at = (at + 1) & mask;
    row.slots[at] = slot;
  }
}

void PairStore::insert(Row& row, std::uint32_t feature, std::uint32_t pair) {
  if (!row.is_direct && 2 * (row.n_pairs + 1) > row.slots.size()) widen(row);
  ++row.n_pairs;
  const std::size_t mask = row.slots.size() - 1;
  std::size_t at = row.is_direct ? feature : slot_of(feature, mask);
  while (!row.is_direct && row.slots[at] != kFree) at = (at + 1) & mask;
  row.slots[at] = (std::uint64_t{feature} << 32) | pair;
}

std::uint32_t PairStore::find_pair(const Row& row, std::uint32_t reference, std::uint32_t feature) const {
  const std::uint32_t pair = find(row, feature);
  if (pair != kUnknown || !is_symmetric_) return pair;
  // It may have been met the other way round, if the feature was a reference too.
  const Row* other = rows_[feature].get();
  return other == nullptr ? kUnknown : find(*other, reference);
}

void PairStore::values(std::size_t replicate, std::uint32_t reference, std::span<const std::uint32_t> features,
                       std::span<double> out) {
  auto& row = rows_[reference];
  if (!row) {
    row = std::make_unique<Row>();
    row->slots.assign(kFirstSlots, kFree);
  }
  missing_.clear();
  position_.clear();
  for (std::size_t i = 0; i < features.size(); ++i) {
    const std::uint32_t pair = find_pair(*row, reference, features[i]);
    if (pair < kNotKept) {
      out[i] = value(pair, replicate);
    } else {
      missing_.push_back(features[i]);
      position_.push_back(static_cast<std::uint32_t>(i));
    }
  }
  if (!missing_.empty()) compute(replicate, reference, *row, out);
}

void PairStore::compute(std::size_t replicate, std::uint32_t reference, Row& row, std::span<double> out) {
  computed_.resize(missing_.size() * n_replicates_);
  measure_.values(reference, missing_, computed_);
  n_computed_ += missing_.size();
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    const double* values = computed_.data() + i * n_replicates_;
    out[position_[i]] = values[replicate];
    if (find_pair(row, reference, missing_[i]) != kUnknown) continue;
    ++n_distinct_;
    if (n_kept_ == blocks_.size() * kBlock) {
      const std::size_t n_bytes = (blocks_.size() + 1) * kBlock * n_replicates_ * sizeof(double);
      is_full_ = is_full_ || (memory_limit_ != 0 && n_bytes > memory_limit_) || n_kept_ + kBlock > kNotKept;
      if (!is_full_) blocks_.push_back(std::make_unique_for_overwrite<double[]>(kBlock * n_replicates_));
    }
    if (is_full_ && n_kept_ == blocks_.size() * kBlock) {
      insert(row, missing_[i], kNotKept);
      continue;
    }
    insert(row, missing_[i], static_cast<std::uint32_t>(n_kept_));
    for (std::size_t r = 0; r < n_replicates_; ++r) value(n_kept_, r) = values[r];
    ++n_kept_;
  }
}

ReplicateView::ReplicateView(PairStore& store, std::size_t replicate) : store_(store), replicate_(replicate) {
  check_replicate(replicate, store.n_replicates());
}

SummedReplicates::SummedReplicates(PairMeasure& base, std::vector<std::uint32_t> replicates)
    : base_(base), replicates_(std::move(replicates)) {
  for (const std::uint32_t replicate : replicates_) check_replicate(replicate, base.n_replicates());
}

void SummedReplicates::values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) {
  const std::size_t n_replicates = base_.n_replicates();
  all_.resize(features.size() * n_replicates);
  base_.values(reference, features, all_);
  for (std::size_t i = 0; i < features.size(); ++i) {
    double sum = 0.0;
    for (const std::uint32_t replicate : replicates_) sum += all_[i * n_replicates + replicate];
    out[i] = sum;
  }
}

}  // namespace thresher
