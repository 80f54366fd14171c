// Parts of the rows and the replicates made of them, as Python passes them.
#pragma once

#include <nanobind/stl/optional.h>

#include <algorithm>
#include <optional>

#include "bindings/bindings.hpp"
#include "core/part_sets.hpp"

namespace thresher::bindings {

using OptionalParts = std::optional<Vector<std::int32_t>>;
using OptionalSets = std::optional<Matrix<std::uint8_t>>;

// Reads one row of marks per replicate, one column per part. Without them each replicate leaves one part out.
inline PartSets read_sets(const OptionalParts& parts, const OptionalSets& sets) {
  if (sets) return PartSets({sets->data(), sets->size()}, sets->shape(1));
  if (!parts) return PartSets();
  std::size_t n_parts = 1;
  for (const std::int32_t part : view(parts)) {
    n_parts = std::max(n_parts, static_cast<std::size_t>(std::max(part, 0)) + 1);
  }
  return PartSets::all_but_one(n_parts);
}

}  // namespace thresher::bindings
