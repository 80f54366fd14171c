// Terms of a candidate that were not known when it was examined, and are computed only if it can still win.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace thresher {

// A term is known by its position: that of its feature among the selected ones.
class DeferredTerms {
 public:
  // Positions from here on were not examined yet.
  std::uint32_t n_looked_up() const { return n_looked_up_; }
  void take() { ++n_looked_up_; }
  void put_off() {
    const std::uint32_t word = n_looked_up_ / kBits;
    if (word > later_.size()) later_.resize(word);
    marks(word) |= std::uint64_t{1} << n_looked_up_++ % kBits;
  }

  // Returns the first position put off; there must be one.
  std::uint32_t first() const {
    std::uint32_t word = 0;
    while (marks(word) == 0) ++word;
    return word * kBits + static_cast<std::uint32_t>(std::countr_zero(marks(word)));
  }
  // Returns how many neighbours behind the first, with itself, were put off too.
  std::uint32_t n_neighbours(std::uint32_t most) const {
    const std::uint32_t position = first();
    std::uint32_t n = 1;
    while (n < most && is_put_off(position + n)) ++n;
    return n;
  }
  // The first n are not put off any more.
  void make_up(std::size_t n) {
    for (; n > 0; --n) {
      std::uint64_t& word = marks(first() / kBits);
      word &= word - 1;
    }
  }

 private:
  static constexpr std::uint32_t kBits = 64;

  std::uint64_t& marks(std::uint32_t word) { return word == 0 ? early_ : later_[word - 1]; }
  std::uint64_t marks(std::uint32_t word) const { return word == 0 ? early_ : later_[word - 1]; }
  bool is_put_off(std::uint32_t position) const {
    return position < n_looked_up_ && position / kBits <= later_.size() &&
           (marks(position / kBits) >> position % kBits & 1) != 0;
  }

  std::uint32_t n_looked_up_ = 0;
  // A bit per position. Few searches choose more than 64 features, so most candidates need no memory of their own.
  std::uint64_t early_ = 0;
  std::vector<std::uint64_t> later_;
};

}  // namespace thresher
