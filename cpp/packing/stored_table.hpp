// A packed table as bytes: for files that are mapped, and for other processes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "packing/coded_table.hpp"
#include "packing/whole_lines.hpp"

namespace thresher {

// Writes the bytes of the table in pieces, each a multiple of a cache line.
void store_table(const CodedTable& table, const WriteBytes& write);

// Returns the table of these bytes, which `owner` keeps alive: columns stay in them where they begin at a cache line.
//
// Throws std::invalid_argument for bytes that are not a table, of another version or order of bytes, cut off or
// changed.
CodedTable open_table(std::span<const std::byte> bytes, std::shared_ptr<const void> owner);

}  // namespace thresher
