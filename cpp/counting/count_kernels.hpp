// The inner loops of counting, one build per instruction set.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/isa.hpp"

namespace thresher {

// Bit-planes of one column: plane l begins at words + l * stride.
struct PlaneBlock {
  const std::uint64_t* words;
  std::size_t n_planes;
  std::size_t stride;
};

// Words of a plane that hold the rows of one part.
struct WordRange {
  std::uint32_t begin, end;
};

// One packed feature. With few levels: one bit-plane per level but the last (with missing values: per level), rows
// laid out in words by part. Otherwise one byte per row, rows ordered by part.
struct CodedFeature {
  const std::uint64_t* data = nullptr;
  const std::uint32_t* counts = nullptr;  // rows per level: counts[level * n_parts + part]
  const double* values = nullptr;         // the level's value in the source
  std::uint16_t levels = 0;
  bool packed = false;   // bit-planes, not bytes
  bool missing = false;  // some rows have no level

  // Members are for the table alone: kernels, built with other flags, read the fields.
  std::size_t n_planes() const { return missing || levels == 0 ? levels : levels - 1u; }
  const std::uint8_t* bytes() const { return reinterpret_cast<const std::uint8_t*>(data); }
};

struct CountKernels {
  // counts[i * b.n_planes + j] = bits set in both plane i of a and plane j of b, over n_words words.
  void (*count_pairs)(PlaneBlock a, PlaneBlock b, std::size_t n_words, std::uint32_t* counts);
  // counts[i] = bits set in plane i.
  void (*count_planes)(PlaneBlock a, std::size_t n_words, std::uint32_t* counts);
  // Bit k of plane l = (codes[k] == l) for the first n_planes levels; the last word is filled up with zeros.
  void (*pack_codes)(const std::uint8_t* codes, std::size_t n_rows, std::size_t n_planes, std::size_t stride,
                     std::uint64_t* planes);
  // The inverse; rows in no plane get `rest`.
  void (*unpack_codes)(PlaneBlock a, std::size_t n_rows, std::uint8_t rest, std::uint8_t* codes);
  // counts[a[i] * b_levels + b[i]] += 1; counts has a_levels * b_levels cells, scratch 4 times as many.
  void (*count_bytes)(const std::uint8_t* a, const std::uint8_t* b, std::size_t n, std::size_t a_levels,
                      std::size_t b_levels, std::uint32_t* counts, std::uint32_t* scratch);
};

THRESHER_DECLARE_KERNELS(CountKernels, count_kernels)

}  // namespace thresher
