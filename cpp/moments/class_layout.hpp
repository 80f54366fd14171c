// Classes of the rows in the order of the layout.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "moments/moment_kernels.hpp"
#include "moments/segment_layout.hpp"

namespace thresher {

// Classes in the layout's order, and how many rows (weights) of each every replicate keeps.
class ClassLayout {
 public:
  ClassLayout(const SegmentLayout& layout, std::span<const std::int32_t> classes, std::size_t count)
      : n_classes(count), labels(layout.arrange(classes)), kept_rows(layout.n_replicates() * count) {
    if (n_classes <= kFewClasses) {
      narrow.assign(labels.begin(), labels.end());
      narrow.resize(narrow.size() + kMomentLanes);
    }
    const auto segments = layout.segments();
    std::vector<double> rows(layout.n_segments() * n_classes, 0.0);
    for (std::size_t s = 0; s < layout.n_segments(); ++s) {
      for (std::size_t i = segments[s]; i < segments[s + 1]; ++i) {
        rows[s * n_classes + static_cast<std::size_t>(labels[i])] +=
            layout.weights() == nullptr ? 1.0 : layout.weights()[i];
      }
    }
    layout.sets().sum_each(rows.data(), n_classes, n_classes, kept_rows.data(), n_classes, 1);
  }

  ClassCodes codes(std::size_t row) const {
    return {labels.data() + row, narrow.empty() ? nullptr : narrow.data() + row, n_classes};
  }

  const std::size_t n_classes;
  const std::vector<std::int32_t> labels;
  std::vector<std::uint8_t> narrow;
  std::vector<double> kept_rows;
};

}  // namespace thresher
