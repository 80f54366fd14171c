#include "search/pair_store.hpp"

#include <algorithm>

namespace thresher {
namespace {

constexpr std::uint32_t kFree = 0xffffffffU;
constexpr std::size_t kFirstSlots = 64;
constexpr std::size_t kBlock = std::size_t{1} << 17;  // doubles

// Stands for values that are being computed. Null stands for values that were not kept.
const double kPendingValue = 0.0;
const double* const kPending = &kPendingValue;
// Stands for a pair never asked for, in a row that is addressed directly.
const double kAbsentValue = 0.0;
const double* const kAbsent = &kAbsentValue;

std::size_t slot_of(std::uint32_t feature, std::size_t mask) {
  return static_cast<std::size_t>((feature * std::uint64_t{0x9E3779B97F4A7C15}) >> 32) & mask;
}

}  // namespace

PairStore::PairStore(PairMeasure& measure, std::size_t memory_limit)
    : measure_(measure), n_replicates_(measure.n_replicates()), memory_limit_(memory_limit),
      rows_(measure.n_features()) {}

PairStore::Row& PairStore::row_of(std::uint32_t reference) {
  auto& row = rows_[reference];
  if (!row) {
    row = std::make_unique<Row>();
    row->reference = reference;
    row->slots.resize(kFirstSlots, {kFree, nullptr});
  }
  return *row;
}

const double** PairStore::find_in(Row& row, std::uint32_t feature) {
  if (!row.by_feature.empty()) {
    const double*& values = row.by_feature[feature];
    return values == kAbsent ? nullptr : &values;
  }
  const std::size_t mask = row.slots.size() - 1;
  for (std::size_t at = slot_of(feature, mask);; at = (at + 1) & mask) {
    if (row.slots[at].feature == feature) return &row.slots[at].values;
    if (row.slots[at].feature == kFree) return nullptr;
  }
}

const double** PairStore::insert(Row& row, std::uint32_t feature) {
  ++row.n_pairs;
  ++n_distinct_;
  if (row.by_feature.empty() && row.n_pairs * 2 > row.slots.size()) {
    const auto old = std::move(row.slots);
    if (row.n_pairs * 8 > rows_.size()) {
      row.by_feature.resize(rows_.size(), kAbsent);
      row.slots.clear();
    } else {
      row.slots.assign(old.size() * 4, {kFree, nullptr});
    }
    for (const auto& slot : old) {
      if (slot.feature == kFree) continue;
      if (!row.by_feature.empty()) {
        row.by_feature[slot.feature] = slot.values;
        continue;
      }
      const std::size_t mask = row.slots.size() - 1;
      std::size_t at = slot_of(slot.feature, mask);
      while (row.slots[at].feature != kFree) at = (at + 1) & mask;
      row.slots[at] = slot;
    }
  }
  if (!row.by_feature.empty()) {
    row.by_feature[feature] = nullptr;
    return &row.by_feature[feature];
  }
  const std::size_t mask = row.slots.size() - 1;
  std::size_t at = slot_of(feature, mask);
  while (row.slots[at].feature != kFree) at = (at + 1) & mask;
  row.slots[at] = {feature, nullptr};
  return &row.slots[at].values;
}

void PairStore::note(Row& row, std::uint32_t feature) {
  if (row.missing.empty()) pending_.push_back(&row);
  row.missing.push_back(feature);
}

const double* PairStore::find(std::uint32_t reference, std::uint32_t feature) {
  Row& row = row_of(reference);
  const double** values = find_in(row, feature);
  if (values == nullptr) {
    // The pair may have been met the other way round, if the feature was a reference too.
    Row* other = rows_[feature].get();
    if (other != nullptr) values = find_in(*other, reference);
    if (values != nullptr) {
      if (*values == nullptr) {
        note(*other, reference);
        *values = kPending;
      }
      return *values == kPending ? nullptr : *values;
    }
    values = insert(row, feature);
  }
  if (*values == nullptr) {
    note(row, feature);
    *values = kPending;
  }
  return *values == kPending ? nullptr : *values;
}

double* PairStore::allocate(std::size_t n_values, bool& is_kept) {
  const std::size_t n_bytes = n_values * sizeof(double);
  is_kept = memory_limit_ == 0 || n_kept_bytes_ + n_bytes <= memory_limit_;
  if (!is_kept) {
    is_full_ = true;
    temporary_.push_back(std::make_unique_for_overwrite<double[]>(n_values));
    return temporary_.back().get();
  }
  n_kept_bytes_ += n_bytes;
  if (n_values > n_free_) {
    n_free_ = std::max(n_values, kBlock);
    blocks_.push_back(std::make_unique_for_overwrite<double[]>(n_free_));
    free_ = blocks_.back().get();
  }
  double* out = free_;
  free_ += n_values;
  n_free_ -= n_values;
  return out;
}

void PairStore::compute_missing(Interrupt& interrupt) {
  for (Row* row : pending_) {
    interrupt.check();
    const std::size_t n = row->missing.size();
    bool is_kept = true;
    double* out = allocate(n * n_replicates_, is_kept);
    measure_.values(row->reference, row->missing, {out, n * n_replicates_});
    for (std::size_t i = 0; i < n; ++i) {
      const double** values = find_in(*row, row->missing[i]);
      *values = out + i * n_replicates_;
      if (!is_kept) forgotten_.push_back(values);
    }
    row->missing.clear();
  }
  pending_.clear();
}

void PairStore::end_round() {
  for (const double** values : forgotten_) *values = nullptr;
  forgotten_.clear();
  temporary_.clear();
}

}  // namespace thresher
