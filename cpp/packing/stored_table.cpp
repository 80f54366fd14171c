#include "packing/stored_table.hpp"

#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <utility>
#include <vector>

#include "packing/whole_lines.hpp"

namespace thresher {
namespace {

constexpr std::array<char, 8> kMagic = {'t', 'h', 'r', 'c', 'o', 'd', 'e', '1'};
constexpr std::uint64_t kByteOrder = 0x0102030405060708;

// The first line. After it, each from a new line on: parts by row and marks of sets (with parts), weights by row, the
// features, all counts, all values, the data of each feature, the last line.
struct Head {
  std::array<char, 8> magic = kMagic;
  std::uint64_t byte_order = kByteOrder;
  std::uint64_t n_rows = 0;
  std::uint64_t n_features = 0;
  std::uint64_t n_logs = 0;
  std::uint64_t n_replicates = 0;
  std::uint64_t n_bytes = 0;  // of everything, with the last line
  std::uint32_t n_parts = 0;  // 0: no parts
  std::uint8_t all_but_one = 0;
  std::uint8_t weights = 0;  // none, whole, real
  std::uint8_t unused[2] = {};
};
static_assert(sizeof(Head) == kLine);

struct StoredFeature {
  std::uint32_t n_listed;
  std::uint16_t levels;
  std::uint8_t rest, packed, listed, missing;
  std::uint8_t unused[6];
};
static_assert(sizeof(StoredFeature) == 16);

// A sum of whole lines in which every bit and its position count: eight sums side by side, for speed.
class Checksum {
 public:
  void add(const void* data, std::size_t bytes) {
    const auto* at = static_cast<const std::byte*>(data);
    for (const std::byte* end = at + bytes; at != end; at += kLine) {
      std::array<std::uint64_t, 8> words;
      std::memcpy(words.data(), at, kLine);
      for (std::size_t i = 0; i < 8; ++i) sums_[i] = (std::rotl(sums_[i], 29) ^ words[i]) * 0x9E3779B97F4A7C15;
    }
  }
  std::array<std::uint64_t, 8> value() const { return sums_; }

 private:
  std::array<std::uint64_t, 8> sums_{1, 2, 3, 4, 5, 6, 7, 8};
};

template <class T>
std::vector<T> by_row(const RowLayout& layout, const std::vector<T>& arranged) {
  std::vector<T> values(arranged.size());
  for (std::size_t position = 0; position < arranged.size(); ++position)
    values[layout.row_at(position)] = arranged[position];
  return values;
}

class Writer {
 public:
  explicit Writer(const WriteBytes& write) : write_(write) {}

  void put(const void* data, std::size_t bytes) {
    write_lines(data, bytes, [this](const void* lines, std::size_t size) {
      checksum_.add(lines, size);
      write_(lines, size);
    });
  }
  template <class T>
  void put(const std::vector<T>& values) {
    put(values.data(), values.size() * sizeof(T));
  }
  void end() {
    const auto sums = checksum_.value();
    write_(sums.data(), kLine);
  }

 private:
  const WriteBytes& write_;
  Checksum checksum_;
};

// The section between head and data, as stored and as read.
struct Middle {
  std::vector<std::int32_t> parts;
  std::vector<std::uint8_t> marks;
  Weights weights;
  std::vector<StoredFeature> features;
  std::vector<std::uint32_t> counts;
  std::vector<double> values;

  template <class Visit>
  void each(const Visit& visit) {
    visit(parts);
    visit(marks);
    visit(weights.whole);
    visit(weights.real);
    visit(features);
    visit(counts);
    visit(values);
  }
};

Middle middle_of(const CodedTable& table) {
  const RowLayout& layout = table.layout();
  Middle middle;
  if (layout.has_parts()) {
    middle.parts.resize(table.n_rows());
    for (std::size_t part = 0; part < layout.n_parts(); ++part)
      for (std::size_t position = layout.row_begin(part); position < layout.row_end(part); ++position)
        middle.parts[layout.row_at(position)] = static_cast<std::int32_t>(part);
    for (std::size_t r = 0; r < layout.n_replicates(); ++r)
      for (std::size_t part = 0; part < layout.n_parts(); ++part) middle.marks.push_back(layout.sets().keeps(r, part));
  }
  middle.weights = {by_row(layout, table.weights().whole), by_row(layout, table.weights().real)};
  for (std::size_t f = 0; f < table.n_features(); ++f) {
    const CodedFeature& feature = table.feature(f);
    middle.features.push_back(
        {feature.n_listed, feature.levels, feature.rest, feature.packed, feature.listed, feature.missing, {}});
    const std::size_t n_counts = feature.levels * layout.n_parts();
    middle.counts.insert(middle.counts.end(), feature.counts, feature.counts + n_counts);
    middle.values.insert(middle.values.end(), feature.values, feature.values + feature.levels);
  }
  return middle;
}

[[noreturn]] void reject(const char* why) { throw std::invalid_argument(why); }

class Reader {
 public:
  explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  const std::byte* take(std::size_t bytes) {
    if (bytes > bytes_.size() - at_ || whole_lines(bytes) > bytes_.size() - at_) reject("its sizes do not fit");
    const std::byte* found = bytes_.data() + at_;
    at_ += whole_lines(bytes);
    return found;
  }
  template <class T>
  void take(std::vector<T>& values, std::size_t size) {
    const std::byte* found = take(checked_product(size, sizeof(T)));
    values.resize(size);
    if (size > 0) std::memcpy(values.data(), found, size * sizeof(T));
  }
  bool is_at_end() const { return at_ == bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
  std::size_t at_ = kLine;
};

Head checked_head(std::span<const std::byte> bytes) {
  Head head;
  if (bytes.size() < 2 * kLine || std::memcmp(bytes.data(), kMagic.data(), 7) != 0) reject("it does not begin as one");
  std::memcpy(&head, bytes.data(), kLine);
  if (head.magic != kMagic) reject("it is of another version");
  if (head.byte_order != kByteOrder) reject("it was written on a machine with another order of bytes");
  if (head.n_bytes != bytes.size()) reject("it is cut off or continued");
  Checksum checksum;
  checksum.add(bytes.data(), bytes.size() - kLine);
  const auto sums = checksum.value();
  if (std::memcmp(sums.data(), bytes.data() + bytes.size() - kLine, kLine) != 0) reject("its checksum is wrong");
  return head;
}

Middle read_middle(Reader& reader, const Head& head) {
  Middle middle;
  const std::size_t n_parts = head.n_parts == 0 ? 1 : head.n_parts;
  if (head.n_parts > 0) {
    reader.take(middle.parts, head.n_rows);
    reader.take(middle.marks, checked_product(head.n_replicates, n_parts));
  }
  if (head.weights == 1) reader.take(middle.weights.whole, head.n_rows);
  if (head.weights == 2) reader.take(middle.weights.real, head.n_rows);
  reader.take(middle.features, head.n_features);
  std::size_t n_levels = 0;
  for (const StoredFeature& feature : middle.features) n_levels += feature.levels;
  reader.take(middle.counts, checked_product(n_levels, n_parts));
  reader.take(middle.values, n_levels);
  return middle;
}

RowLayout layout_of(const Head& head, const Middle& middle) {
  if (head.n_parts == 0) return RowLayout(head.n_rows);
  PartSets sets = head.all_but_one ? PartSets::all_but_one(head.n_parts) : PartSets(middle.marks, head.n_parts);
  return RowLayout(middle.parts, std::move(sets));
}

LargeVector<CodedFeature> features_of(const Middle& middle) {
  LargeVector<CodedFeature> features(middle.features.size());
  for (std::size_t f = 0; f < features.size(); ++f) {
    const StoredFeature& stored = middle.features[f];
    features[f].n_listed = stored.n_listed;
    features[f].levels = stored.levels;
    features[f].rest = stored.rest;
    features[f].packed = stored.packed != 0;
    features[f].listed = stored.listed != 0;
    features[f].missing = stored.missing != 0;
  }
  return features;
}

}  // namespace

void store_table(const CodedTable& table, const WriteBytes& write) {
  const RowLayout& layout = table.layout();
  Middle middle = middle_of(table);
  Head head;
  head.n_rows = table.n_rows();
  head.n_features = table.n_features();
  head.n_logs = table.xlogx().n();
  if (layout.has_parts()) {
    head.n_parts = static_cast<std::uint32_t>(layout.n_parts());
    head.n_replicates = layout.n_replicates();
    head.all_but_one = layout.sets().are_all_but_one();
  }
  head.weights = !middle.weights.whole.empty() ? 1 : !middle.weights.real.empty() ? 2 : 0;
  head.n_bytes = 2 * kLine;
  middle.each([&](const auto& values) { head.n_bytes += whole_lines(values.size() * sizeof(values[0])); });
  for (std::size_t f = 0; f < table.n_features(); ++f) head.n_bytes += whole_lines(table.data_bytes(f));

  Writer writer(write);
  writer.put(&head, sizeof(head));
  middle.each([&](const auto& values) { writer.put(values); });
  for (std::size_t f = 0; f < table.n_features(); ++f) writer.put(table.feature(f).data, table.data_bytes(f));
  writer.end();
}

CodedTable open_table(std::span<const std::byte> bytes, std::shared_ptr<const void> owner) {
  const Head head = checked_head(bytes);
  Reader reader(bytes.first(bytes.size() - kLine));
  const Middle middle = read_middle(reader, head);
  CodedTable table(layout_of(head, middle), head.n_features, middle.weights, head.n_logs);
  table.adopt(features_of(middle), middle.counts, middle.values);
  const bool stays = reinterpret_cast<std::uintptr_t>(bytes.data()) % kLine == 0;
  for (std::size_t f = 0; f < head.n_features; ++f) table.set_data(f, reader.take(table.data_bytes(f)), stays);
  if (!reader.is_at_end()) reject("its sizes do not fit");
  if (stays) table.keep_alive(std::move(owner));
  table.finish();
  return table;
}

}  // namespace thresher
