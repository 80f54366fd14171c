// Rows packed for the distance kernels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "core/memory.hpp"
#include "core/parallel.hpp"
#include "neighbours/distance_kernels.hpp"
#include "neighbours/row_table.hpp"

namespace thresher {

// The rows requested, in panels of kPanel, as P (float or double): numeric features first, taken off their offset and
// divided by their scale and by `unit`; then the codes of nominal ones. Rows past the end are copies of the last.
template <class P>
class Panels {
 public:
  template <class T>
  Panels(const RowTable<T>& table, std::span<const std::uint32_t> rows, double unit, std::size_t n_threads)
      : n_rows_(rows.size()), n_numeric_(table.numeric.size()), n_nominal_(table.nominal.size()) {
    const std::size_t n_panels = (n_rows_ + kPanel - 1) / kPanel;
    size_ = (n_numeric_ + n_nominal_) * kPanel;
    values_.resize(n_panels * size_);
    parallel_for(n_numeric_ + n_nominal_, 16, n_threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t position = begin; position < end; ++position) {
        const bool numeric = position < n_numeric_;
        const std::size_t feature = numeric ? table.numeric[position] : table.nominal[position - n_numeric_];
        const T* x = table.columns.column(feature).data();
        const double offset = numeric ? table.offset[feature] : 0.0;
        const double width = numeric ? table.scale[feature] * unit : 1.0;
        for (std::size_t panel = 0; panel < n_panels; ++panel) {
          P* out = values_.data() + panel * size_ + position * kPanel;
          for (std::size_t r = 0; r < kPanel; ++r) {
            const std::size_t row = rows[std::min(panel * kPanel + r, n_rows_ - 1)];
            out[r] = static_cast<P>((static_cast<double>(x[row]) - offset) / width);
          }
        }
      }
    });
    if constexpr (std::is_same_v<P, float>) measure_rows(n_threads);
  }

  std::size_t n_panels() const { return size_ == 0 ? (n_rows_ + kPanel - 1) / kPanel : values_.size() / size_; }
  std::size_t n_rows() const { return n_rows_; }

  // Sum of squares of the numeric values of a row as packed.
  double square(std::size_t row) const { return squares_[row]; }

  // out (kPanel x kPanel) = distances of the rows of panel a of *this and panel b of `other`. Squared distances in
  // single precision come from products, twice as fast as from differences, and are off by at most a few hundred
  // rounding units of (|a| + |b|)^2.
  void distances(std::size_t a, const Panels& other, std::size_t b, bool squared, P* out) const {
    const auto& kernels = THRESHER_DISPATCH(distance_kernels).of(out);
    std::fill(out, out + kPanel * kPanel, P(0));
    const P* left = values_.data() + a * size_;
    const P* right = other.values_.data() + b * size_;
    constexpr bool kProducts = std::is_same_v<P, float>;
    const auto numeric = !squared ? kernels.manhattan : kProducts ? kernels.product : kernels.squared;
    for (std::size_t f = 0; f < n_numeric_; f += kPiece) {
      numeric(left + f * kPanel, right + f * kPanel, std::min(kPiece, n_numeric_ - f), out);
    }
    if constexpr (kProducts) {
      for (std::size_t i = 0; squared && i < kPanel * kPanel; ++i) {
        const double sum = squares_[a * kPanel + i / kPanel] + other.squares_[b * kPanel + i % kPanel];
        out[i] = static_cast<P>(std::max(0.0, sum - 2.0 * static_cast<double>(out[i])));
      }
    }
    for (std::size_t f = n_numeric_; f < n_numeric_ + n_nominal_; f += kPiece) {
      const std::size_t count = std::min(kPiece, n_numeric_ + n_nominal_ - f);
      kernels.mismatch(left + f * kPanel, right + f * kPanel, count, out);
    }
  }

 private:
  void measure_rows(std::size_t n_threads) {
    squares_.resize(n_panels() * kPanel);
    if (size_ == 0) return;
    parallel_for(n_panels(), 1, n_threads, [&](std::size_t panel, std::size_t) {
      const P* values = values_.data() + panel * size_;
      for (std::size_t i = 0; i < n_numeric_ * kPanel; i += kPanel) {
        for (std::size_t r = 0; r < kPanel; ++r) {
          const double v = static_cast<double>(values[i + r]);
          squares_[panel * kPanel + r] += v * v;
        }
      }
    });
  }

  std::size_t n_rows_;
  std::size_t n_numeric_;
  std::size_t n_nominal_;
  std::size_t size_ = 0;
  UninitialisedVector<P> values_;
  std::vector<double> squares_;
};

}  // namespace thresher
