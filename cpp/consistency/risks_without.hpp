// Risks of a set without one of its features.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include "consistency/risk.hpp"

namespace thresher::consistency {

class RisksWithout {
 public:
  virtual ~RisksWithout() = default;

  // Returns the risk of the whole set.
  virtual double risk() const = 0;
  // risks[member] = the risk after removing the member, for some that are still there.
  virtual void risks_without(std::span<const std::uint32_t> members, std::span<double> risks) = 0;
  virtual void remove(std::uint32_t member) = 0;
  // Returns whether many risks together cost less than one at a time.
  virtual bool prefers_many() const = 0;
};

// Makes the risks of a set of `features`; members are addressed by their position in it.
std::unique_ptr<RisksWithout> risks_without_one(const CodedRows& rows, const GroupCost& cost,
                                                std::span<const std::uint32_t> features);

}  // namespace thresher::consistency
