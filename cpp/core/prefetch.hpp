// Prefetching of memory.
#pragma once

#include <cstdint>

namespace thresher {

// Any address will do: one that is not mapped is passed over.
inline void prefetch([[maybe_unused]] std::uintptr_t address) {
#if defined(__GNUC__)
  __builtin_prefetch(reinterpret_cast<const void*>(address));
#endif
}

inline void prefetch(const void* address) { prefetch(reinterpret_cast<std::uintptr_t>(address)); }

}  // namespace thresher
