// One small thread pool for all kernels.
//
// Threads split features, never a sum, so results cannot depend on their number.
#pragma once

#include <cstddef>
#include <functional>

namespace thresher {

// Calls body(begin, end) over disjoint ranges that cover 0..n_items, on at most n_threads threads (the calling one
// included; fewer where the system has no memory for more), and returns when all are done. Ranges contain `grain` items
// at most; they are handed out on demand. The first exception thrown by a body is rethrown here, and no further range
// is begun. Between ranges the calling thread checks the interrupt in force (interrupt.hpp); a range of less than a
// tenth of a second lets Ctrl-C stop the loop in time. Calls from inside a body run on the calling thread alone.
void parallel_for(std::size_t n_items, std::size_t grain, std::size_t n_threads,
                  const std::function<void(std::size_t begin, std::size_t end)>& body);

// Allocates the thread_local variables of the core and of the C++ library for this thread. Where their first use finds
// no memory, the C library ends the process.
void allocate_thread_locals() noexcept;

}  // namespace thresher
