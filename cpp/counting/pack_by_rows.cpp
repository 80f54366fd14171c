#include <algorithm>
#include <cstring>
#include <mutex>

#include "core/parallel.hpp"
#include "counting/build_dense.hpp"
#include "counting/byte_source.hpp"

namespace thresher {
namespace {

// Columns that are worked on together: scanned, then packed while their bytes are near.
constexpr std::size_t kChunkColumns = 256;
// Rows per piece when one chunk is shared by threads; a multiple of 64.
constexpr std::size_t kPieceRows = 16384;

// Bytes that occur in columns whose values lie further apart than the scan tells apart.
void add_all_bytes(const ByteSource& source, std::vector<ByteLevels>& levels) {
  std::vector<std::size_t> open;
  for (std::size_t j = 0; j < levels.size(); ++j) {
    if (!levels[j].is_exact() && !levels[j].has_other()) open.push_back(j);
  }
  if (open.empty()) return;
  std::vector<std::uint64_t> seen(4 * open.size());
  source.each_block(0, source.n_rows(), [&](const std::uint8_t* block, std::ptrdiff_t stride, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i, block += stride) {
      for (std::size_t k = 0; k < open.size(); ++k) {
        const unsigned value = static_cast<unsigned>(block[open[k]] ^ flip_of(source.kind()));
        seen[4 * k + value / 64] |= std::uint64_t{1} << (value % 64);
      }
    }
  });
  for (std::size_t k = 0; k < open.size(); ++k) levels[open[k]].add_all(seen.data() + 4 * k);
}

std::vector<ByteLevels> find_levels(const ByteSource& source, std::size_t n_threads) {
  const std::vector<ByteScan> scans = source.scan(n_threads);
  std::vector<ByteLevels> levels;
  levels.reserve(source.n_columns());
  for (std::size_t j = 0; j < source.n_columns(); ++j) {
    const ByteScan& scan = scans[j / kTileColumns];
    const std::size_t k = j % kTileColumns;
    levels.emplace_back(source.kind(), scan.minimum[k], scan.maximum[k],
                        scan.low[k] | static_cast<unsigned>(scan.high[k]) << 8);
  }
  add_all_bytes(source, levels);
  return levels;
}

// What packing needs to know of one tile of columns.
struct Tile {
  std::size_t first = 0;  // within the chunk
  std::size_t n_columns = 0;
  std::size_t n_planes = 0;  // of the column that has most
  std::vector<std::uint8_t> values;      // [plane][64]: the byte of the level
  std::vector<std::uint64_t*> planes;    // [plane][64]: where its words go, or null
  std::vector<std::size_t> byte_columns; // columns kept as bytes
  std::vector<std::uint8_t> code_of;     // [byte column][256]
};

std::vector<Tile> make_tiles(CodedTable& table, std::size_t first, std::size_t n_columns, const ChunkLevels& levels) {
  std::vector<Tile> tiles;
  for (std::size_t begin = 0; begin < n_columns; begin += kTileColumns) {
    Tile tile;
    tile.first = begin;
    tile.n_columns = std::min(kTileColumns, n_columns - begin);
    for (std::size_t j = begin; j < begin + tile.n_columns; ++j) {
      if (table.feature(first + j).packed && !levels.is_typed(j)) {
        tile.n_planes = std::max(tile.n_planes, table.feature(first + j).n_planes());
      }
    }
    tile.values.assign(tile.n_planes * kTileColumns, 0);
    tile.planes.assign(tile.n_planes * kTileColumns, nullptr);
    for (std::size_t j = begin; j < begin + tile.n_columns; ++j) {
      if (levels.is_typed(j)) continue;
      const CodedFeature& feature = table.feature(first + j);
      if (!feature.packed) {
        tile.byte_columns.push_back(j);
        tile.code_of.resize(256 * tile.byte_columns.size());
        levels.look_up(j, tile.code_of.data() + tile.code_of.size() - 256);
        continue;
      }
      levels.bytes(j).each([&](std::size_t level, std::uint8_t byte, double) {
        if (level >= feature.n_planes()) return;
        tile.values[level * kTileColumns + j - begin] = byte;
        tile.planes[level * kTileColumns + j - begin] =
            table.writable_data(first + j) + level * table.layout().plane_stride();
      });
    }
    tiles.push_back(std::move(tile));
  }
  return tiles;
}

// Packs the rows of one word.
void pack_word(CodedTable& table, std::size_t first, const Tile& tile, const std::uint8_t* const* rows, std::size_t n,
               std::size_t word, std::size_t place) {
  const std::uint8_t* used[64];
  for (std::size_t i = 0; i < n; ++i) used[i] = rows[i] + tile.first;
  std::uint64_t words[(CodedTable::kMaxPackedLevels) * kTileColumns];
  THRESHER_DISPATCH(pack_kernels)
      .pack_rows(used, n, tile.n_columns, tile.values.data(), tile.n_planes, words);
  for (std::size_t k = 0; k < tile.planes.size(); ++k) {
    if (tile.planes[k] != nullptr) tile.planes[k][word] = words[k];
  }
  for (std::size_t k = 0; k < tile.byte_columns.size(); ++k) {
    const std::size_t j = tile.byte_columns[k];
    const std::uint8_t* code_of = tile.code_of.data() + 256 * k;
    std::uint8_t* out = reinterpret_cast<std::uint8_t*>(table.writable_data(first + j)) + place;
    for (std::size_t i = 0; i < n; ++i) out[i] = code_of[rows[i][j]];
  }
}

void pack_chunk(CodedTable& table, const DensePlan& plan, std::size_t first, std::size_t last, std::size_t n_threads) {
  const RowLayout& layout = table.layout();
  const ByteSource source(plan.array, byte_kind(plan.array.dtype), first, last - first);
  const ChunkLevels levels(find_levels(source, n_threads), plan.array, first, plan.missing);
  table.allocate(first, levels.shapes(), first / kChunkColumns);
  levels.write_values(table, first);
  const std::vector<Tile> tiles = make_tiles(table, first, last - first, levels);
  parallel_for(layout.n_words(), kPieceRows / 64, n_threads, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint8_t> buffer(source.block_buffer_size());
    const std::uint8_t* rows[64];
    for (std::size_t word = begin; word < end; ++word) {
      const std::size_t place = layout.word_place(word);
      const std::size_t n = layout.word_rows(word);
      source.rows_of_word(layout, place, n, buffer.data(), rows);
      for (const Tile& tile : tiles) pack_word(table, first, tile, rows, n, word, place);
    }
  });
  levels.store_typed(table, plan.array, first);
  parallel_for(last - first, 16, n_threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) {
      if (!levels.is_typed(j)) table.count_levels(first + j);
    }
  });
}

}  // namespace

void pack_by_rows(CodedTable& table, const DensePlan& plan, Interrupt& interrupt) {
  const std::size_t n_columns = plan.array.n_columns;
  const std::size_t n_chunks = (n_columns + kChunkColumns - 1) / kChunkColumns;
  table.reserve_chunks(n_chunks);
  interrupt.check();
  // Few chunks are packed one after the other with all threads inside each.
  const std::size_t outer = n_chunks >= 2 * plan.n_threads ? plan.n_threads : 1;
  const std::size_t inner = outer == 1 ? plan.n_threads : 1;
  parallel_for(n_columns, kChunkColumns, outer, [&](std::size_t first, std::size_t last) {
    pack_chunk(table, plan, first, last, inner);
    if (outer == 1) interrupt.check();
  });
}

}  // namespace thresher
