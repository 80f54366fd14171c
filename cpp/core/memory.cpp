#include "core/memory.hpp"

#include <algorithm>
#include <cstdlib>
#include <new>

#include "core/aligned.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace thresher {

void request_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#if defined(__linux__)
  const auto start = reinterpret_cast<std::size_t>(memory);
  const std::size_t first = (start + kLargePage - 1) / kLargePage * kLargePage;
  const std::size_t last = (start + bytes) / kLargePage * kLargePage;
  if (last > first) (void)madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
#endif
}

// The alignment is the same for all sizes, so that free_array need not know the size.
void* allocate_array(std::size_t bytes) {
  void* memory = ::operator new(std::max<std::size_t>(bytes, 1), std::align_val_t{kLine});
  if (bytes >= 2 * kLargePage) request_large_pages(memory, bytes);
  return memory;
}

void free_array(void* memory) noexcept { ::operator delete(memory, std::align_val_t{kLine}); }

// glibc keeps up to the size of the largest block freed before, at most 32 MiB. Other allocators decide by other means,
// and a block that is never written to costs nothing.
void keep_freed_memory() {
  void* volatile untouched = std::malloc((std::size_t{1} << 25) - (std::size_t{1} << 16));
  std::free(untouched);
}

}  // namespace thresher
