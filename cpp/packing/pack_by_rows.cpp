#include <algorithm>
#include <cstring>
#include <mutex>

#include "core/parallel.hpp"
#include "packing/build_dense.hpp"
#include "packing/byte_source.hpp"

namespace thresher {
namespace {

// Columns that are worked on together: scanned, then packed while their bytes are near. Measured, as is kBlockRows of
// ByteSource: wide enough for rows to be read as streams.
constexpr std::size_t kChunkColumns = 1024;
// Rows per piece when one chunk is shared by threads; a multiple of 64.
constexpr std::size_t kPieceRows = 16384;

// Bytes that occur in columns whose values are spread wider than the scan resolves.
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

// The facts of one tile of columns that packing needs.
struct Tile {
  std::size_t first = 0;  // within the chunk
  std::size_t n_columns = 0;
  std::size_t n_planes = 0;               // of the column that has most
  std::vector<std::uint8_t> values;       // [plane][64]: the byte of the level
  std::vector<std::uint64_t*> planes;     // [plane][64]: where its words go, or null
  std::vector<std::size_t> byte_columns;  // columns kept as bytes
  std::vector<std::uint8_t> code_of;      // [byte column][256]
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

// Words that are written together: a cache line of each plane.
constexpr std::size_t kGroupWords = 8;

// Working memory of one thread.
struct PackScratch {
  PackScratch(const ByteSource& source, std::size_t n_planes)
      : buffer(kGroupWords * source.block_buffer_size()),
        words(std::max<std::size_t>(n_planes * kTileColumns * kGroupWords, 1)) {}
  std::vector<std::uint8_t> buffer;
  const std::uint8_t* rows[kGroupWords][64];
  std::size_t n_rows[kGroupWords];
  std::size_t positions[kGroupWords];
  AlignedArray<std::uint64_t> words;
};

// Packs one tile of the rows of up to eight words; counts[word's part][plane][64] grow.
class TilePacker {
 public:
  TilePacker(CodedTable& table, std::size_t first, const Tile& tile) : table_(table), first_(first), tile_(tile) {
    counts_.resize(tile.n_planes * kTileColumns * table.n_parts());
  }

  void pack(PackScratch& scratch, std::size_t word, std::size_t n_words, const std::vector<std::uint32_t>& part_of) {
    const PackKernels& kernels = THRESHER_DISPATCH(pack_kernels);
    const std::uint8_t* used[64];
    for (std::size_t g = 0; g < n_words; ++g) {
      if (scratch.n_rows[g] == 0) continue;  // between parts
      for (std::size_t i = 0; i < scratch.n_rows[g]; ++i) used[i] = scratch.rows[g][i] + tile_.first;
      const std::size_t part = part_of.empty() ? 0 : part_of[word + g];
      kernels.pack_rows(used, scratch.n_rows[g], tile_.n_columns, tile_.values.data(), tile_.n_planes, kGroupWords,
                        scratch.words.data() + g, counts_.data() + part * tile_.n_planes * kTileColumns);
    }
    for (std::size_t k = 0; k < tile_.planes.size(); ++k) {
      if (tile_.planes[k] == nullptr) continue;
      const std::uint64_t* from = scratch.words.data() + k * kGroupWords;
      std::uint64_t* to = tile_.planes[k] + word;
      if (n_words == kGroupWords) {
        std::memcpy(to, from, kGroupWords * sizeof(std::uint64_t));
      } else {
        for (std::size_t g = 0; g < n_words; ++g) to[g] = from[g];
      }
    }
    for (std::size_t k = 0; k < tile_.byte_columns.size(); ++k) pack_bytes(scratch, n_words, k);
  }

  // Adds what was counted to the table.
  void add_counts() const {
    const std::size_t n_parts = table_.n_parts();
    for (std::size_t part = 0; part < n_parts; ++part) {
      for (std::size_t k = 0; k < tile_.planes.size(); ++k) {
        if (tile_.planes[k] == nullptr) continue;
        const std::size_t f = first_ + tile_.first + k % kTileColumns;
        table_.writable_counts(f)[k / kTileColumns * n_parts + part] += counts_[part * tile_.planes.size() + k];
      }
    }
  }

 private:
  void pack_bytes(const PackScratch& scratch, std::size_t n_words, std::size_t k) {
    const std::size_t j = tile_.byte_columns[k];
    const std::uint8_t* code_of = tile_.code_of.data() + 256 * k;
    auto* bytes = reinterpret_cast<std::uint8_t*>(table_.writable_data(first_ + j));
    for (std::size_t g = 0; g < n_words; ++g) {
      std::uint8_t* out = bytes + scratch.positions[g];
      for (std::size_t i = 0; i < scratch.n_rows[g]; ++i) out[i] = code_of[scratch.rows[g][i][j]];
    }
  }

  CodedTable& table_;
  std::size_t first_;
  const Tile& tile_;
  std::vector<std::uint32_t> counts_;
};

void pack_words(CodedTable& table, std::size_t first, const ByteSource& source, const std::vector<Tile>& tiles,
                std::size_t n_threads) {
  const RowLayout& layout = table.layout();
  std::vector<std::uint32_t> part_of;
  if (layout.has_parts()) {
    part_of.resize(layout.n_words());
    for (std::size_t part = 0; part < layout.n_parts(); ++part) {
      std::fill(part_of.begin() + static_cast<std::ptrdiff_t>(layout.word_begin(part)),
                part_of.begin() + static_cast<std::ptrdiff_t>(layout.word_end(part)), static_cast<std::uint32_t>(part));
    }
  }
  std::size_t most_planes = 0;
  for (const Tile& tile : tiles) most_planes = std::max(most_planes, tile.n_planes);
  std::mutex mutex;
  parallel_for(layout.n_words(), kPieceRows / 64, n_threads, [&](std::size_t begin, std::size_t end) {
    PackScratch scratch(source, most_planes);
    std::vector<TilePacker> packers;
    for (const Tile& tile : tiles) packers.emplace_back(table, first, tile);
    for (std::size_t word = begin; word < end; word += kGroupWords) {
      const std::size_t n_words = std::min(kGroupWords, end - word);
      for (std::size_t g = 0; g < n_words; ++g) {
        scratch.positions[g] = layout.word_position(word + g);
        scratch.n_rows[g] = layout.word_rows(word + g);
        source.rows_of_word(layout, scratch.positions[g], scratch.n_rows[g],
                            scratch.buffer.data() + g * source.block_buffer_size(), scratch.rows[g]);
      }
      for (TilePacker& packer : packers) packer.pack(scratch, word, n_words, part_of);
    }
    const std::lock_guard lock(mutex);
    for (const TilePacker& packer : packers) packer.add_counts();
  });
}

void pack_chunk(CodedTable& table, const DensePlan& plan, std::size_t first, std::size_t last, std::size_t n_threads) {
  const ByteSource source(plan.array, byte_kind(plan.array.dtype), first, last - first);
  const ChunkLevels levels(find_levels(source, n_threads), plan.array, first, plan.missing);
  table.allocate(first, levels.shapes());
  levels.write_values(table, first);
  pack_words(table, first, source, make_tiles(table, first, last - first, levels), n_threads);
  levels.store_typed(table, plan.array, first);
  for (std::size_t j = 0; j < last - first; ++j) {
    if (levels.is_typed(j)) continue;
    if (table.feature(first + j).packed) {
      table.complete_counts(first + j);
    } else {
      table.count_levels(first + j);
    }
  }
}

}  // namespace

void pack_by_rows(CodedTable& table, const DensePlan& plan, Interrupt& interrupt) {
  const std::size_t n_columns = plan.array.n_columns;
  const std::size_t n_chunks = (n_columns + kChunkColumns - 1) / kChunkColumns;
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
