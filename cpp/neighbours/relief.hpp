// Relief, ReliefF and MultiSURF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "neighbours/row_table.hpp"

namespace thresher {

enum class ReliefKind { relief, relieff, multisurf };

struct ReliefOptions {
  ReliefKind kind = ReliefKind::relieff;
  std::size_t n_neighbours = 10;
  std::span<const std::uint32_t> rows;  // the sampled rows
  std::size_t n_threads = 1;
};

// One weight per feature, a multiple of 2^-40. Neighbours of each class are averaged and weighed by the prior of the
// class; Relief uses squared differences and the nearest row of each class.
template <class T>
std::vector<double> relief_weights(const RowTable<T>& table, const ReliefOptions& options, Interrupt& interrupt);

}  // namespace thresher
