// One packed column, as kernels read it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thresher {

// Bit-planes of one column: plane l begins at words + l * stride.
struct PlaneBlock {
  const std::uint64_t* words;
  std::size_t n_planes;
  std::size_t stride;
};

// Words of a plane that contain the rows of one part.
struct WordRange {
  std::uint32_t begin, end;
};

// One packed feature. With few levels: one bit-plane per level but the last (with missing values: per level), rows laid
// out in words by part. Otherwise one byte per row, rows ordered by part. Where nearly all rows have one level, the
// others are listed: their positions, ascending, then their codes.
struct CodedFeature {
  const std::uint64_t* data = nullptr;
  const std::uint32_t* counts = nullptr;  // rows per level: counts[level * n_parts + part]
  const double* values = nullptr;         // the level's value in the source
  std::uint32_t n_listed = 0;
  std::uint16_t levels = 0;
  std::uint8_t rest = 0;    // the level of rows that are not listed
  bool packed : 1 = false;  // bit-planes, not bytes or a list
  bool listed : 1 = false;
  bool missing : 1 = false;  // some rows have no level

  // Members are for the table alone: kernels, built with other flags, read the fields.
  std::size_t n_planes() const { return missing || levels == 0 ? levels : levels - 1u; }
  const std::uint8_t* bytes() const { return reinterpret_cast<const std::uint8_t*>(data); }
  const std::uint32_t* listed_positions() const { return reinterpret_cast<const std::uint32_t*>(data); }
  const std::uint8_t* listed_codes() const {
    return reinterpret_cast<const std::uint8_t*>(listed_positions() + n_listed);
  }
};
// There may be a million of them.
static_assert(sizeof(CodedFeature) <= 32);

}  // namespace thresher
