#include "packing/column_group_builder.hpp"

#include <stdexcept>
#include <utility>

namespace thresher {

ColumnGroupBuilder::ColumnGroupBuilder(std::size_t n_rows, std::size_t n_features, BuildOptions options)
    : table_(make_layout(n_rows, options), n_features, std::move(options.weights)),
      missing_(options.missing),
      dense_bytes_(options.dense_bytes) {}

void ColumnGroupBuilder::check_room(std::size_t n_more) const {
  if (n_more > table_.n_features() - n_done()) throw std::invalid_argument("more features than were announced");
}

void ColumnGroupBuilder::append(const std::uint8_t* codes, std::span<const std::int32_t> levels, int missing_code,
                                std::size_t n_threads, const WriteBytes& write, Interrupt& interrupt) {
  check_room(levels.size());
  Arena group;
  pack_codes(table_, n_done(), codes, levels, missing_code, n_threads, interrupt, write ? &group : nullptr);
  keep(levels.size(), write);
}

void ColumnGroupBuilder::append(const SparseView& array, std::size_t n_threads, const WriteBytes& write,
                                Interrupt& interrupt) {
  check_room(array.n_columns);
  Arena group;
  pack_sparse(table_, n_done(), array, missing_, dense_bytes_, n_threads, interrupt, write ? &group : nullptr);
  keep(array.n_columns, write);
}

void ColumnGroupBuilder::keep(std::size_t n_more, const WriteBytes& write) {
  const std::size_t first = n_done();
  for (std::size_t f = first; f < first + n_more; ++f) {
    const std::size_t bytes = table_.data_bytes(f);
    if (write) {
      offsets_.push_back(n_written_);
      write_lines(table_.feature(f).data, bytes, write);
      n_written_ += whole_lines(bytes);
    } else {
      offsets_.push_back(kInMemory);
      n_bytes_ += bytes;
    }
  }
}

CodedTable ColumnGroupBuilder::finish(std::span<const std::byte> written, std::shared_ptr<const void> owner) {
  if (n_done() != table_.n_features()) throw std::invalid_argument("fewer features than were announced");
  if (written.size() < n_written_) throw std::invalid_argument("written: fewer bytes than were handed over");
  if (reinterpret_cast<std::uintptr_t>(written.data()) % kLine != 0)
    throw std::invalid_argument("written: must begin at a cache line");
  for (std::size_t f = 0; f < offsets_.size(); ++f)
    if (offsets_[f] != kInMemory) table_.set_data(f, written.data() + offsets_[f], true);
  table_.keep_alive(std::move(owner));
  table_.finish();
  offsets_.clear();
  return std::exchange(table_, CodedTable(RowLayout(0), 0, {}));
}

}  // namespace thresher
