// Joint sums of many features against one reference, where L of every count can be looked up.
//
// On microarrays a pair takes some twenty nanoseconds, so nothing here may be decided twice: the kernel runs over a
// list of features and adds up L over the cells without ever writing the table down.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.hpp"
#include "core/part_set_kernels.hpp"
#include "counting/count_kernels.hpp"

namespace thresher {

struct JointReference {
  PlaneBlock planes;            // all levels but the last, which is there
  const std::uint32_t* counts;  // counts[level * n_parts + part]
  const std::int64_t* xlogx;    // L of every count that occurs
  std::size_t n_words;
  std::size_t n_parts;
  const WordRange* part_words;
  bool one_word_parts;                  // every part is one word
  const std::uint64_t* kept = nullptr;  // the rows that count, where the features contain others too
};

struct JointKernels {
  // sums[k] = sum of L over the cells of feature wanted[k] and the reference, on all rows (n_parts is 1).
  // The features are packed and have no missing values.
  void (*joint_sums)(const JointReference& reference, const CodedFeature* features, const std::uint32_t* wanted,
                     std::size_t n, std::int64_t* sums);
  // For any sets of parts and their complements: sums[s] on set s, sums[sets.stride + s] on its complement, of one
  // feature. scratch: as below, and sets.stride more.
  void (*joint_set_sums)(const JointReference& reference, const CodedFeature& feature, const SetMasks& sets,
                         std::uint32_t* scratch, std::int64_t* sums);
  // sums[k * n_parts + r] = the same without part r. scratch: (n_parts + 1) * levels * levels of the reference counts,
  // where no feature has more levels, and levels is 3 at least.
  void (*joint_part_sums)(const JointReference& reference, const CodedFeature* features, const std::uint32_t* wanted,
                          std::size_t n, std::uint32_t* scratch, std::int64_t* sums);
  // Rows per level of all features, one after the other, on the rows of a mask that has n_rows bits. Planes follow each
  // other without gaps.
  void (*count_levels)(const CodedFeature* features, std::size_t n, const std::uint64_t* mask, std::size_t n_words,
                       std::uint32_t n_rows, std::uint32_t* counts);
  // values[k] = max(sums[k], 0) / units[k], rounded to a multiple of 2^-40.
  void (*bits_values)(const std::int64_t* sums, const double* units, std::size_t n, double* values);
};

THRESHER_DECLARE_KERNELS(JointKernels, joint_kernels)

}  // namespace thresher
