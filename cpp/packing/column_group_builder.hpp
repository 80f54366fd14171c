// A table that is built one group of features after the other.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "packing/build.hpp"
#include "packing/coded_table.hpp"
#include "packing/whole_lines.hpp"

namespace thresher {

class ColumnGroupBuilder {
 public:
  ColumnGroupBuilder(std::size_t n_rows, std::size_t n_features, BuildOptions options);

  std::size_t n_rows() const { return table_.n_rows(); }
  // Features appended, and the bytes that their data take in memory.
  std::size_t n_done() const { return offsets_.size(); }
  std::size_t n_bytes() const { return n_bytes_; }
  // The next features, as for build_from_codes. Given `write`, their data are handed over, each feature from a new
  // cache line on, and not kept.
  void append(const std::uint8_t* codes, std::span<const std::int32_t> levels, int missing_code, std::size_t n_threads,
              const WriteBytes& write, Interrupt& interrupt);

  // The next features, as for build_from_sparse.
  void append(const SparseView& array, std::size_t n_threads, const WriteBytes& write, Interrupt& interrupt);

  // Returns the table, once all features are there. `written`: all that was handed over, on a cache line, kept alive by
  // `owner`. The builder is empty afterwards.
  CodedTable finish(std::span<const std::byte> written, std::shared_ptr<const void> owner);

 private:
  static constexpr std::size_t kInMemory = static_cast<std::size_t>(-1);

  void check_room(std::size_t n_more) const;
  // Hands the data of the next features over, or counts what they take.
  void keep(std::size_t n_more, const WriteBytes& write);

  CodedTable table_;
  Missing missing_;
  std::size_t dense_bytes_;
  std::vector<std::size_t> offsets_;  // of each feature's data among the bytes written
  std::size_t n_bytes_ = 0;
  std::size_t n_written_ = 0;
};

}  // namespace thresher
