#include "search/replicates.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace thresher {
namespace {

constexpr std::uint32_t kUnknown = 0xffffffffU;  // the pair was never asked for
constexpr std::uint32_t kNotKept = 0xfffffffeU;  // it was, but its values were not kept

void check_replicate(std::size_t replicate, std::size_t n_replicates) {
  if (replicate >= n_replicates) throw std::invalid_argument("no such replicate");
}

}  // namespace

PairStore::PairStore(PairMeasure& measure, std::size_t memory_limit)
    : measure_(measure),
      n_replicates_(measure.n_replicates()),
      memory_limit_(memory_limit),
      is_symmetric_(measure.is_symmetric()),
      numbers_(measure.n_features(), kUnknown),
      rows_(measure.n_features()) {}

std::uint32_t PairStore::number_of(std::uint32_t reference) {
  if (numbers_[reference] == kUnknown) numbers_[reference] = n_references_++;
  return numbers_[reference];
}

std::uint32_t PairStore::find(std::uint32_t reference, std::uint32_t feature) const {
  const auto& row = rows_[feature];
  const std::uint32_t number = numbers_[reference];
  if (number < row.size() && row[number] != kUnknown) return row[number];
  // The pair may have been met the other way round, if the feature was a reference too.
  const std::uint32_t other_number = numbers_[feature];
  if (!is_symmetric_ || other_number >= rows_[reference].size()) return kUnknown;
  return rows_[reference][other_number];
}

void PairStore::insert(std::uint32_t reference, std::uint32_t feature, std::uint32_t pair) {
  auto& row = rows_[feature];
  const std::size_t number = number_of(reference);
  if (number >= row.size()) row.resize(std::max<std::size_t>(2 * row.size(), (number / 16 + 1) * 16), kUnknown);
  row[number] = pair;
  ++n_distinct_;
}

double PairStore::value_of(std::size_t replicate, std::uint32_t reference, std::uint32_t feature) {
  const std::uint32_t pair = find(reference, feature);
  if (pair < kNotKept) return value(pair, replicate);
  double out = 0.0;
  values(replicate, reference, {&feature, 1}, {&out, 1});
  return out;
}

void PairStore::values(std::size_t replicate, std::uint32_t reference, std::span<const std::uint32_t> features,
                       std::span<double> out) {
  missing_.clear();
  position_.clear();
  for (std::size_t i = 0; i < features.size(); ++i) {
    const std::uint32_t pair = find(reference, features[i]);
    if (pair < kNotKept) {
      out[i] = value(pair, replicate);
    } else {
      missing_.push_back(features[i]);
      position_.push_back(static_cast<std::uint32_t>(i));
    }
  }
  if (!missing_.empty()) compute(replicate, reference, out);
}

void PairStore::compute(std::size_t replicate, std::uint32_t reference, std::span<double> out) {
  computed_.resize(missing_.size() * n_replicates_);
  measure_.values(reference, missing_, computed_);
  n_computed_ += missing_.size();
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    const double* values = computed_.data() + i * n_replicates_;
    out[position_[i]] = values[replicate];
    if (find(reference, missing_[i]) != kUnknown) continue;
    if (n_kept_ == blocks_.size() * kBlock) {
      const std::size_t n_bytes = (blocks_.size() + 1) * kBlock * n_replicates_ * sizeof(double);
      is_full_ = is_full_ || (memory_limit_ != 0 && n_bytes > memory_limit_) || n_kept_ + kBlock > kNotKept;
      if (!is_full_) blocks_.push_back(std::make_unique_for_overwrite<double[]>(kBlock * n_replicates_));
    }
    if (n_kept_ == blocks_.size() * kBlock) {
      insert(reference, missing_[i], kNotKept);
      continue;
    }
    insert(reference, missing_[i], static_cast<std::uint32_t>(n_kept_));
    double* kept = &value(n_kept_++, 0);
    for (std::size_t r = 0; r < n_replicates_; ++r) kept[r * kBlock] = values[r];
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
