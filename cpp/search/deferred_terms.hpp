// Terms of a candidate that were not at hand when it was looked at, and are computed only if it still can win.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace thresher {

// A term is known by its place: that of its feature among the selected ones.
class DeferredTerms {
 public:
  // Places from here on were not looked at yet.
  std::uint32_t n_looked_up() const { return n_looked_up_; }
  void take() { ++n_looked_up_; }
  void put_off() { places_.push_back(n_looked_up_++); }

  // The first place put off, and how many of its neighbours behind it, with itself, were put off too.
  std::uint32_t first() const { return places_[n_made_up_]; }
  std::uint32_t n_neighbours(std::uint32_t most) const {
    std::uint32_t n = 1;
    while (n < most && n_made_up_ + n < places_.size() && places_[n_made_up_ + n] == first() + n) ++n;
    return n;
  }
  void make_up(std::size_t n) { n_made_up_ += n; }

 private:
  std::uint32_t n_looked_up_ = 0;
  std::size_t n_made_up_ = 0;
  std::vector<std::uint32_t> places_;
};

}  // namespace thresher
