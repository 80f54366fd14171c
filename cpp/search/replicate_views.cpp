#include "search/replicate_views.hpp"

#include <algorithm>
#include <stdexcept>

namespace thresher {
namespace {

std::uint64_t pair_key(std::uint32_t a, std::uint32_t b) {
  return (std::uint64_t{std::min(a, b)} << 32) | std::max(a, b);
}

std::size_t spread_bits(std::uint64_t key) {
  key ^= key >> 33;
  key *= 0xff51afd7ed558ccdULL;
  key ^= key >> 33;
  return static_cast<std::size_t>(key);
}

void check_replicate(std::size_t replicate, std::size_t n_replicates) {
  if (replicate >= n_replicates) throw std::invalid_argument("no such replicate");
}

}  // namespace

ReplicateCache::ReplicateCache(PairMeasure& base, std::size_t memory_limit)
    : base_(base), n_replicates_(base.n_replicates()), memory_limit_(memory_limit), slots_(kChunk) {}

ReplicateCache::Slot& ReplicateCache::find(std::uint64_t key) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = spread_bits(key) & mask;
  while (slots_[at].key != key && slots_[at].key != kFree) at = (at + 1) & mask;
  return slots_[at];
}

void ReplicateCache::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  for (const Slot& slot : old) {
    if (slot.key != kFree) find(slot.key) = slot;
  }
}

double* ReplicateCache::insert(std::uint64_t key) {
  if (full_) return nullptr;
  const bool grows = n_kept_ * 2 >= slots_.size();
  const bool fills = n_kept_ == chunks_.size() * kChunk;
  if (memory_limit_ != 0 && (grows || fills)) {
    const std::size_t slots = (grows ? 2 : 1) * slots_.size() * sizeof(Slot);
    const std::size_t values = (chunks_.size() + (fills ? 1 : 0)) * kChunk * n_replicates_ * sizeof(double);
    if (slots + values > memory_limit_) {
      full_ = true;
      return nullptr;
    }
  }
  if (grows) grow();
  if (fills) chunks_.emplace_back(kChunk * n_replicates_);
  find(key) = Slot{key, n_kept_};
  return block(n_kept_++);
}

void ReplicateCache::values(std::size_t replicate, std::uint32_t reference, std::span<const std::uint32_t> features,
                            std::span<double> out) {
  wanted_.clear();
  position_.clear();
  for (std::size_t i = 0; i < features.size(); ++i) {
    const Slot& slot = find(pair_key(reference, features[i]));
    if (slot.key == kFree) {
      wanted_.push_back(features[i]);
      position_.push_back(i);
    } else {
      out[i] = block(slot.index)[replicate];
    }
  }
  if (wanted_.empty()) return;
  computed_.resize(wanted_.size() * n_replicates_);
  base_.values(reference, wanted_, computed_);
  n_computed_ += wanted_.size();
  for (std::size_t i = 0; i < wanted_.size(); ++i) {
    const double* values = computed_.data() + i * n_replicates_;
    out[position_[i]] = values[replicate];
    if (double* kept = insert(pair_key(reference, wanted_[i]))) std::copy_n(values, n_replicates_, kept);
  }
}

ReplicateView::ReplicateView(ReplicateCache& cache, std::size_t replicate) : cache_(cache), replicate_(replicate) {
  check_replicate(replicate, cache.n_replicates());
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
