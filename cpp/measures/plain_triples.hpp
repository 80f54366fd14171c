// Terms of two packed features and the target on one set of rows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/xlogx.hpp"
#include "counting/triple_kernels.hpp"
#include "measures/triple_values.hpp"
#include "packing/coded_feature.hpp"

namespace thresher {

// A column as one bit per row and level, levels side by side. Rows that are left out are in no level.
class Lanes {
 public:
  // levels[level * n_words + word]: the bits of each level.
  Lanes(std::span<const std::uint64_t> levels, std::size_t n_words);

  LaneBlock block() const { return {words_.data(), counts_.data(), n_lanes_, largest_}; }
  std::int64_t sum_logs(const std::int64_t* logs) const;

 private:
  std::size_t n_lanes_ = 0;
  std::uint64_t largest_ = 0;
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> counts_;
};

// The terms on a set of rows without weights, in which nothing is missing, and few enough for the table of L. The sums
// are those of the general way, so the values are too.
class PlainTriples {
 public:
  // The planes of the features, which must outlive this: n_words each, `stride` apart. rows: the bits of those taken.
  PlainTriples(const CodedFeature* features, std::size_t stride, std::vector<std::uint64_t> rows,
               std::span<const std::int32_t> classes, std::size_t n_classes, const XLogX& xlogx, ThreeWayTerm term);

  // out[i] = the term of features[i] and the reference, whose levels times the classes must be at most kMostLanes. A
  // reference that is not packed comes as one code per position.
  void values(std::uint32_t reference, std::span<const std::uint8_t> codes, std::span<const std::uint32_t> features,
              std::size_t n_threads, double* out);

  static constexpr std::size_t kMostLanes = 1024;

 private:
  // The lanes of a reference, kept for its next use.
  struct Reference {
    Lanes joint, by_level;
    TripleSums<std::int64_t> fixed;
  };
  static constexpr std::size_t kMostReferences = 512;
  static constexpr std::size_t kBatch = 64;

  const Reference& find(std::uint32_t reference, std::span<const std::uint8_t> codes);
  std::vector<std::uint64_t> levels_of(std::uint32_t reference, std::span<const std::uint8_t> codes) const;
  void compute(const Reference& reference, std::span<const std::uint32_t> features, double* out) const;

  const CodedFeature* features_;
  std::size_t stride_, n_words_, n_rows_;
  std::vector<std::uint64_t> rows_;
  std::vector<std::uint64_t> class_bits_;
  const std::int64_t* logs_;
  std::vector<std::int64_t> small_logs_;
  Lanes all_, by_class_;
  double unit_;
  ThreeWayTerm term_;
  std::unordered_map<std::uint32_t, std::unique_ptr<const Reference>> references_;
};

}  // namespace thresher
