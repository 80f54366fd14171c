// Memory aligned to cache lines.
#pragma once

#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <new>
#include <stdexcept>

namespace thresher {

// Bytes of a cache line.
inline constexpr std::size_t kLine = 64;

// `bytes` rounded up to whole cache lines.
constexpr std::size_t whole_lines(std::size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

inline std::size_t checked_product(std::size_t a, std::size_t b) {
  if (a != 0 && b > std::numeric_limits<std::size_t>::max() / a) throw std::length_error("table too large");
  return a * b;
}

// A fixed-size array on the boundary of a cache line; initialised on request only.
template <class T>
class AlignedArray {
 public:
  AlignedArray() = default;
  explicit AlignedArray(std::size_t size) : size_(size) {
    if (size > 0) {
      data_.reset(static_cast<T*>(::operator new(checked_product(size, sizeof(T)), std::align_val_t(kLine))));
    }
  }
  static AlignedArray zeros(std::size_t size) {
    AlignedArray array(size);
    if (size > 0) std::memset(array.data(), 0, size * sizeof(T));
    return array;
  }

  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  T& operator[](std::size_t i) { return data_.get()[i]; }
  const T& operator[](std::size_t i) const { return data_.get()[i]; }

 private:
  struct Free {
    void operator()(T* p) const { ::operator delete(p, std::align_val_t(kLine)); }
  };
  std::unique_ptr<T, Free> data_;
  std::size_t size_ = 0;
};

}  // namespace thresher
