// Bytes in whole cache lines, as columns are stored in files.
#pragma once

#include <array>
#include <cstddef>
#include <cstring>
#include <functional>

#include "core/aligned.hpp"

namespace thresher {

using WriteBytes = std::function<void(const void*, std::size_t)>;

// Writes the bytes, and zeros up to the end of their last line.
template <class Write>
void write_lines(const void* data, std::size_t bytes, const Write& write) {
  const std::size_t whole = bytes / kLine * kLine;
  if (whole > 0) write(data, whole);
  if (whole == bytes) return;
  std::array<std::byte, kLine> last{};
  std::memcpy(last.data(), static_cast<const std::byte*>(data) + whole, bytes - whole);
  write(last.data(), kLine);
}

}  // namespace thresher
