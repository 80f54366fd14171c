// Memory for a table that grows piece by piece and is given back as a whole.
#pragma once

#include <cstddef>
#include <memory>

namespace thresher {

// Allocates pieces of large chunks, on cache-line boundaries. Large chunks request large pages: with small ones, first
// touching the memory would cost more than filling it.
class Arena {
 public:
  Arena();
  ~Arena();
  Arena(Arena&&) noexcept;
  Arena& operator=(Arena&&) noexcept;
  Arena(const Arena&) = delete;
  Arena& operator=(const Arena&) = delete;

  // May be called from several threads. The memory is not initialised.
  void* allocate(std::size_t bytes);
  template <class T>
  T* allocate_array(std::size_t size) {
    return static_cast<T*>(allocate(size * sizeof(T)));
  }

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace thresher
