// Uninitialised memory for large arrays.
#pragma once

#include <cstddef>

namespace thresher {

// Aligned to cache lines at least; large blocks ask the system for large pages, which makes first use several times
// faster. Throws std::bad_alloc. Give back with free_array.
void* allocate_array(std::size_t bytes);
void free_array(void* memory) noexcept;

}  // namespace thresher
