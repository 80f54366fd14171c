// Memory for large arrays.
#pragma once

#include <cstddef>
#include <limits>
#include <new>
#include <vector>

namespace thresher {

// Bytes of a large page.
inline constexpr std::size_t kLargePage = std::size_t{1} << 21;

// Requests large pages from the system where a block contains whole ones. A refusal changes nothing but speed.
void request_large_pages(void* memory, std::size_t bytes);

// Aligned to cache lines at least; large blocks request large pages, which makes first use several times faster. Throws
// std::bad_alloc. Give back with free_array.
void* allocate_array(std::size_t bytes);
void free_array(void* memory) noexcept;

// Has the system's allocator keep the memory of a search for the next one, instead of giving it back at once and
// requesting for every page again, which took a quarter of the time of a search in 100,000 features.
void keep_freed_memory();

template <class T>
struct LargePageAllocator {
  using value_type = T;

  LargePageAllocator() = default;
  template <class U>
  LargePageAllocator(const LargePageAllocator<U>&) {}

  T* allocate(std::size_t n) {
    if (n > std::numeric_limits<std::size_t>::max() / sizeof(T)) throw std::bad_array_new_length();
    return static_cast<T*>(allocate_array(n * sizeof(T)));
  }
  void deallocate(T* memory, std::size_t) noexcept { free_array(memory); }
  friend bool operator==(const LargePageAllocator&, const LargePageAllocator&) { return true; }
};

// An entry or more for each feature.
template <class T>
using LargeVector = std::vector<T, LargePageAllocator<T>>;

// Leaves numbers as they are found: a caller that fills an array of gigabytes need not wait for zeros first.
template <class T>
struct UninitialisedAllocator : LargePageAllocator<T> {
  UninitialisedAllocator() = default;
  template <class U>
  UninitialisedAllocator(const UninitialisedAllocator<U>&) {}

  template <class U>
  void construct(U* target) {
    ::new (static_cast<void*>(target)) U;
  }
  template <class U, class Value>
  void construct(U* target, Value&& value) {
    ::new (static_cast<void*>(target)) U(static_cast<Value&&>(value));
  }
};

template <class T>
using UninitialisedVector = std::vector<T, UninitialisedAllocator<T>>;

}  // namespace thresher
