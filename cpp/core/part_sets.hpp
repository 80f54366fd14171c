// Replicates of the data as sets of parts of the rows: sums per part become sums per replicate.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/part_set_kernels.hpp"

namespace thresher {

class PartSets {
 public:
  // One part and one replicate, which keeps it.
  PartSets();
  // Replicate i keeps all parts but part i.
  static PartSets all_but_one(std::size_t n_parts);
  // Replicate r keeps the parts with marks[r * n_parts + part] != 0.
  PartSets(std::span<const std::uint8_t> marks, std::size_t n_parts);

  std::size_t n_parts() const { return n_parts_; }
  std::size_t n_replicates() const { return n_replicates_; }
  bool keeps(std::size_t replicate, std::size_t part) const { return keeps_[replicate * n_parts_ + part] != 0; }
  bool are_all_but_one() const { return all_but_one_; }
  SetMasks masks() const { return {n_parts_, n_masks_, stride_, masks_.data()}; }
  // Where the value of each replicate is among those of all sets and, a stride further on, of all their complements.
  std::span<const std::uint32_t> positions() const { return positions_; }

  // kept[r] = the sum over the parts that replicate r keeps.
  void count(const std::uint32_t* by_part, std::uint32_t* kept) const;
  // The same for doubles, off by two roundings at most. Nothing is subtracted: a huge value in a part left out leaves
  // no trace.
  void sum(const double* by_part, double* kept) const { sum_each(by_part, 1, 1, kept, 1, 0); }
  // The same of `count` values side by side: by_part[part * part_stride + i] go to kept[r * stride + i * apart].
  void sum_each(const double* by_part, std::size_t part_stride, std::size_t count, double* kept, std::size_t stride,
                std::size_t apart) const;
  // sums[i] = the sum over the parts of one replicate of by_part[part * n + i], in the order of the parts.
  template <class T>
  void sum_rows(std::size_t replicate, const T* by_part, std::size_t n, T* sums) const {
    for (std::size_t i = 0; i < n; ++i) sums[i] = T{0};
    for (std::size_t part = 0; part < n_parts_; ++part, by_part += n) {
      if (!keeps(replicate, part)) continue;
      for (std::size_t i = 0; i < n; ++i) sums[i] += by_part[i];
    }
  }
  // The same for integers, given the totals over all parts.
  void sum_rows(std::size_t replicate, const std::uint32_t* by_part, const std::uint32_t* totals, std::size_t n,
                std::uint32_t* sums) const;
  // constant[r] = whether the parts that replicate r keeps have one distinct value at most, given the range of each.
  void find_constant(const double* low, const double* high, std::uint8_t* constant) const;

 private:
  std::size_t n_parts_;
  std::size_t n_replicates_;
  bool all_but_one_ = false;
  std::vector<std::uint8_t> keeps_;
  // Sets that are neither equal to nor the complement of one before.
  std::size_t n_masks_ = 0;
  std::size_t stride_ = 0;
  std::vector<std::uint32_t> masks_;
  std::vector<std::uint32_t> positions_;
};

}  // namespace thresher
