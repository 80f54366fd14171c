#include "core/arena.hpp"

#include <algorithm>
#include <limits>
#include <mutex>
#include <new>
#include <vector>

#include "core/aligned.hpp"
#include "core/memory.hpp"

namespace thresher {
namespace {

constexpr std::size_t kFirstChunk = std::size_t{1} << 16;
constexpr std::size_t kLargestChunk = std::size_t{1} << 24;

struct Chunk {
  char* data;
  std::size_t size;
  std::size_t alignment;
};

Chunk make_chunk(std::size_t size) {
  const std::size_t alignment = size >= kLargePage ? kLargePage : kLine;
  size = (size + alignment - 1) / alignment * alignment;
  auto* data = static_cast<char*>(::operator new(size, std::align_val_t(alignment)));
  if (alignment == kLargePage) request_large_pages(data, size);
  return {data, size, alignment};
}

}  // namespace

struct Arena::Impl {
  std::mutex mutex;
  std::vector<Chunk> chunks;
  std::size_t used = 0;  // of the last chunk
};

Arena::Arena() : impl_(std::make_unique<Impl>()) {}
Arena::Arena(Arena&&) noexcept = default;

Arena& Arena::operator=(Arena&& other) noexcept {
  std::swap(impl_, other.impl_);
  return *this;
}

Arena::~Arena() {
  if (!impl_) return;
  for (const Chunk& chunk : impl_->chunks) ::operator delete(chunk.data, std::align_val_t(chunk.alignment));
}

void* Arena::allocate(std::size_t bytes) {
  if (bytes > std::numeric_limits<std::size_t>::max() / 2) throw std::bad_alloc();
  bytes = whole_lines(bytes);
  const std::lock_guard lock(impl_->mutex);
  if (impl_->chunks.empty() || impl_->used + bytes > impl_->chunks.back().size) {
    // Chunks double, so that small tables stay small and large ones need few.
    const std::size_t next =
        impl_->chunks.empty() ? kFirstChunk : std::min(2 * impl_->chunks.back().size, kLargestChunk);
    impl_->chunks.push_back(make_chunk(std::max(bytes, next)));
    impl_->used = 0;
  }
  char* piece = impl_->chunks.back().data + impl_->used;
  impl_->used += bytes;
  return piece;
}

}  // namespace thresher
