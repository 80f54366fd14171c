#include "search/pair_store.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <utility>

namespace thresher {
namespace {

constexpr std::uint32_t kUnknown = 0xffffffffU;  // the pair was never requested
constexpr std::uint32_t kNotKept = 0xfffffffeU;  // it was, but its values were not kept

void check_replicate(std::size_t replicate, std::size_t n_replicates) {
  if (replicate >= n_replicates) throw std::invalid_argument("no such replicate");
}

}  // namespace

PairStore::PairStore(PairMeasure& measure, std::size_t memory_limit, bool own_replicates)
    : measure_(measure),
      n_replicates_(measure.n_replicates()),
      memory_limit_(memory_limit),
      own_replicates_(own_replicates && measure.hints().offers_replicates),
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
  // The pair may be known the other way round, if the feature was a reference too.
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

void PairStore::look_up(std::size_t replicate, std::uint32_t feature, std::span<const std::uint32_t> references,
                        std::span<double> terms) {
  const std::span<const std::uint32_t> row = rows_[feature];
  for (std::size_t i = 0; i < references.size(); ++i) {
    const std::uint32_t number = numbers_[references[i]];
    std::uint32_t pair = number < row.size() ? row[number] : kUnknown;
    if (pair == kUnknown) pair = find(references[i], feature);
    terms[i] = pair < kNotKept ? value(pair, replicate) : std::numeric_limits<double>::quiet_NaN();
  }
}

void PairStore::values(std::size_t replicate, std::uint32_t reference, std::span<const std::uint32_t> features,
                       std::span<double> out) {
  const TermRequest request = {{&reference, 1}, features, out};
  fill(replicate, {&request, 1});
}

void PairStore::fill(std::size_t replicate, std::span<const TermRequest> requests) {
  missing_.clear();
  for (const TermRequest& request : requests) {
    double* out = request.terms.data();
    for (const std::uint32_t feature : request.features) {
      for (const std::uint32_t reference : request.references) {
        const std::uint32_t pair = find(reference, feature);
        if (pair < kNotKept) {
          *out = value(pair, replicate);
        } else {
          missing_.push_back({reference, feature, out});
        }
        ++out;
      }
    }
  }
  if (missing_.empty()) return;
  if (!has_room() && compute_on(replicate)) return;
  compute();
  for (std::size_t i = 0; i < missing_.size(); ++i) *missing_[i].out = computed_[i * n_replicates_ + replicate];
}

void PairStore::fetch(std::span<const TermRequest> requests) {
  missing_.clear();
  for (const TermRequest& request : requests) {
    for (const std::uint32_t feature : request.features) {
      for (const std::uint32_t reference : request.references) {
        if (find(reference, feature) >= kNotKept) missing_.push_back({reference, feature, nullptr});
      }
    }
  }
  const auto key = [this](const MissingPair& pair) {
    const bool turn = is_symmetric_ && pair.feature < pair.reference;
    return turn ? std::pair(pair.feature, pair.reference) : std::pair(pair.reference, pair.feature);
  };
  std::ranges::stable_sort(missing_, {}, key);
  const auto repeats = std::ranges::unique(missing_, {}, key);
  missing_.erase(repeats.begin(), repeats.end());
  if (!missing_.empty()) compute();
}

// Features that lack the same references are requested together.
std::vector<TermRequest> PairStore::requests_for_missing(std::size_t n_values) {
  references_.clear();
  features_.clear();
  references_.reserve(missing_.size());
  features_.reserve(missing_.size());
  computed_.resize(missing_.size() * n_values);
  std::vector<TermRequest> requests;
  for (std::size_t first = 0, last = 0; first < missing_.size(); first = last) {
    const std::size_t n_before = references_.size();
    for (; last < missing_.size() && missing_[last].feature == missing_[first].feature; ++last) {
      references_.push_back(missing_[last].reference);
    }
    const std::span<const std::uint32_t> references(references_.data() + n_before, last - first);
    features_.push_back(missing_[first].feature);
    if (!requests.empty() && std::ranges::equal(requests.back().references, references)) {
      TermRequest& same = requests.back();
      same.features = {same.features.data(), same.features.size() + 1};
      same.terms = {same.terms.data(), same.terms.size() + references.size() * n_values};
      references_.resize(n_before);
    } else {
      requests.push_back(
          {references, {&features_.back(), 1}, {computed_.data() + first * n_values, references.size() * n_values}});
    }
  }
  return requests;
}

void PairStore::compute() {
  measure_.fill(requests_for_missing(n_replicates_));
  n_computed_ += missing_.size();
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    keep(missing_[i].reference, missing_[i].feature, computed_.data() + i * n_replicates_);
  }
}

// Computes the missing pairs on one replicate alone, if the measure can do that; returns whether it can.
bool PairStore::compute_on(std::size_t replicate) {
  if (requester_ == nullptr || asking_number_ != replicate) {
    requester_ = measure_.replicate(replicate);
    asking_number_ = replicate;
  }
  if (requester_ == nullptr) return false;
  requester_->fill(requests_for_missing(1));
  n_computed_ += missing_.size();
  for (std::size_t i = 0; i < missing_.size(); ++i) {
    const MissingPair& pair = missing_[i];
    *pair.out = computed_[i];
    if (find(pair.reference, pair.feature) == kUnknown) insert(pair.reference, pair.feature, kNotKept);
  }
  return true;
}

std::unique_ptr<PairMeasure> PairStore::own_replicate(std::size_t replicate) {
  return own_replicates_ ? measure_.replicate(replicate) : nullptr;
}

void PairStore::keep(std::uint32_t reference, std::uint32_t feature, const double* values) {
  if (find(reference, feature) != kUnknown) return;
  if (n_kept_ == blocks_.size() * kBlock) {
    const std::size_t n_bytes = (blocks_.size() + 1) * kBlock * n_replicates_ * sizeof(double);
    is_full_ = is_full_ || (memory_limit_ != 0 && n_bytes > memory_limit_) || n_kept_ + kBlock > kNotKept;
    if (!is_full_) blocks_.push_back(std::make_unique_for_overwrite<double[]>(kBlock * n_replicates_));
  }
  if (n_kept_ == blocks_.size() * kBlock) {
    insert(reference, feature, kNotKept);
    return;
  }
  insert(reference, feature, static_cast<std::uint32_t>(n_kept_));
  double* kept = &value(n_kept_++, 0);
  for (std::size_t r = 0; r < n_replicates_; ++r) kept[r * kBlock] = values[r];
}

ReplicateView::ReplicateView(PairStore& store, std::size_t replicate) : store_(store), replicate_(replicate) {
  check_replicate(replicate, store.n_replicates());
  own_ = store.own_replicate(replicate);
}

void ReplicateView::values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) {
  if (own_ == nullptr) return store_.values(replicate_, reference, features, out);
  own_->values(reference, features, out);
  store_.count_computed(features.size());
}

void ReplicateView::fill(std::span<const TermRequest> requests) {
  if (own_ == nullptr) return store_.fill(replicate_, requests);
  own_->fill(requests);
  for (const TermRequest& request : requests) store_.count_computed(request.terms.size());
}

SummedReplicates::SummedReplicates(PairMeasure& base, std::vector<std::uint32_t> replicates)
    : base_(base), replicates_(std::move(replicates)) {
  for (const std::uint32_t replicate : replicates_) check_replicate(replicate, base.n_replicates());
}

void SummedReplicates::values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) {
  all_.resize(out.size() * base_.n_replicates());
  base_.values(reference, features, all_);
  sum(all_, out);
}

void SummedReplicates::fill(std::span<const TermRequest> requests) {
  const std::size_t n_replicates = base_.n_replicates();
  std::size_t n_terms = 0;
  for (const TermRequest& request : requests) n_terms += request.terms.size();
  all_.resize(n_terms * n_replicates);
  std::vector<TermRequest> of_all(requests.begin(), requests.end());
  double* terms = all_.data();
  for (TermRequest& request : of_all) {
    request.terms = {terms, request.terms.size() * n_replicates};
    terms += request.terms.size();
  }
  base_.fill(of_all);
  for (std::size_t i = 0; i < requests.size(); ++i) sum(of_all[i].terms, requests[i].terms);
}

void SummedReplicates::sum(std::span<const double> all, std::span<double> out) const {
  const std::size_t n_replicates = base_.n_replicates();
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = 0.0;
    for (const std::uint32_t replicate : replicates_) out[i] += all[i * n_replicates + replicate];
  }
}

}  // namespace thresher
