#include "core/part_sets.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>

namespace thresher {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

std::vector<std::uint8_t> marks_without_each(std::size_t n_parts) {
  std::vector<std::uint8_t> marks(n_parts * n_parts, 1);
  for (std::size_t part = 0; part < n_parts; ++part) marks[part * n_parts + part] = 0;
  return marks;
}

}  // namespace

PartSets::PartSets() : PartSets(std::vector<std::uint8_t>{1}, 1) {}

PartSets PartSets::all_but_one(std::size_t n_parts) { return PartSets(marks_without_each(n_parts), n_parts); }

PartSets::PartSets(std::span<const std::uint8_t> marks, std::size_t n_parts) : n_parts_(n_parts) {
  if (n_parts == 0 || marks.empty() || marks.size() % n_parts != 0) {
    throw std::invalid_argument("sets: each replicate needs one mark per part, and there must be one of each");
  }
  n_replicates_ = marks.size() / n_parts;
  if (n_replicates_ > std::numeric_limits<std::uint32_t>::max() / 4) throw std::length_error("too many replicates");
  for (const std::uint8_t mark : marks) keeps_.push_back(mark != 0);
  all_but_one_ = n_replicates_ == n_parts && n_parts > 1 && keeps_ == marks_without_each(n_parts);
  if (all_but_one_) return;
  std::map<std::string, std::size_t> found;
  std::vector<std::pair<std::size_t, bool>> set_of;  // and whether the replicate is its complement
  for (std::size_t r = 0; r < n_replicates_; ++r) {
    // Of a set and its complement, the one without the first part represents both.
    const bool is_complement = keeps(r, 0);
    std::string set(n_parts, '-');
    for (std::size_t part = 0; part < n_parts; ++part) set[part] = keeps(r, part) == is_complement ? '-' : 'x';
    set_of.emplace_back(found.try_emplace(std::move(set), found.size()).first->second, is_complement);
  }
  n_masks_ = found.size();
  stride_ = (n_masks_ + kSetBlock - 1) / kSetBlock * kSetBlock;
  masks_.assign(n_parts * stride_, 0);
  for (const auto& [set, number] : found) {
    for (std::size_t part = 0; part < n_parts; ++part) masks_[part * stride_ + number] = set[part] == 'x' ? ~0U : 0U;
  }
  for (const auto& [number, is_complement] : set_of) {
    positions_.push_back(static_cast<std::uint32_t>(number + (is_complement ? stride_ : 0)));
  }
}

void PartSets::count(const std::uint32_t* by_part, std::uint32_t* kept) const {
  const std::uint32_t total = std::accumulate(by_part, by_part + n_parts_, 0U);
  if (all_but_one_) {
    for (std::size_t part = 0; part < n_parts_; ++part) kept[part] = total - by_part[part];
    return;
  }
  if (n_parts_ == 1) {
    for (std::size_t r = 0; r < n_replicates_; ++r) kept[r] = keeps_[r] != 0 ? total : 0;
    return;
  }
  std::vector<std::uint32_t> counts(stride_);
  THRESHER_DISPATCH(part_set_kernels).count(masks(), by_part, counts.data());
  for (std::size_t r = 0; r < n_replicates_; ++r) {
    const std::uint32_t position = positions_[r];
    kept[r] = position < stride_ ? counts[position] : total - counts[position - stride_];
  }
}

void PartSets::sum_each(const double* by_part, std::size_t part_stride, std::size_t count, double* kept,
                        std::size_t stride, std::size_t apart) const {
  if (n_parts_ == 1) {
    for (std::size_t r = 0; r < n_replicates_; ++r) {
      for (std::size_t i = 0; i < count; ++i) kept[r * stride + i * apart] = keeps_[r] != 0 ? by_part[i] : 0.0;
    }
    return;
  }
  const PartSums sums = {by_part, part_stride, count, kept, stride, apart};
  const PartSetKernels& kernels = THRESHER_DISPATCH(part_set_kernels);
  if (!all_but_one_) return kernels.sum(sums, keeps_.data(), n_parts_, n_replicates_);
  constexpr std::size_t kFew = 64;
  double few[kFew * kSumRoom];
  std::vector<double> many(n_parts_ > kFew ? n_parts_ * kSumRoom : 0);
  kernels.sum_all_but_one(sums, n_parts_, many.empty() ? few : many.data());
}

void PartSets::sum_rows(std::size_t replicate, const std::uint32_t* by_part, const std::uint32_t* totals, std::size_t n,
                        std::uint32_t* sums) const {
  const auto kept = std::span(keeps_).subspan(replicate * n_parts_, n_parts_);
  if (2 * std::ranges::count(kept, 1) <= static_cast<std::ptrdiff_t>(n_parts_)) {
    return sum_rows(replicate, by_part, n, sums);
  }
  std::copy_n(totals, n, sums);
  for (std::size_t part = 0; part < n_parts_; ++part, by_part += n) {
    if (keeps(replicate, part)) continue;
    for (std::size_t i = 0; i < n; ++i) sums[i] -= by_part[i];
  }
}

void PartSets::find_constant(const double* low, const double* high, std::uint8_t* constant) const {
  for (std::size_t r = 0; r < n_replicates_; ++r) {
    double least = kInfinity;
    double most = -kInfinity;
    for (std::size_t part = 0; part < n_parts_ && !(least < most); ++part) {
      if (!keeps(r, part)) continue;
      least = std::min(least, low[part]);
      most = std::max(most, high[part]);
    }
    constant[r] = !(least < most);
  }
}

}  // namespace thresher
