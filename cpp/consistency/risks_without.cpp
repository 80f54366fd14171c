#include "consistency/risks_without.hpp"

#include "consistency/leave_one_out.hpp"
#include "consistency/listed_leave_one_out.hpp"

namespace thresher::consistency {

std::unique_ptr<RisksWithout> risks_without_one(const CodedRows& rows, const GroupCost& cost,
                                                std::span<const std::uint32_t> features) {
  if (rows.lists != nullptr) return std::make_unique<ListedLeaveOneOut>(rows, cost, features);
  return std::make_unique<LeaveOneOut>(rows, cost, features);
}

}  // namespace thresher::consistency
