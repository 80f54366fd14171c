#include "core/part_set_kernels.hpp"

namespace thresher {
namespace THRESHER_LEVEL {

extern const PartSetKernels part_set_kernels;
const PartSetKernels part_set_kernels = {count_on_sets};

}  // namespace THRESHER_LEVEL
}  // namespace thresher
