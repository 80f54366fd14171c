// Relief, ReliefF, RReliefF and MultiSURF.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/choices.hpp"
#include "core/interrupt.hpp"
#include "neighbours/row_table.hpp"

namespace thresher {

enum class ReliefKind { relief, relieff, rrelieff, multisurf };

inline constexpr Choice<ReliefKind> kReliefKinds[] = {{"relief", ReliefKind::relief},
                                                      {"multisurf", ReliefKind::multisurf},
                                                      {"relieff", ReliefKind::relieff},
                                                      {"rrelieff", ReliefKind::rrelieff}};

struct ReliefOptions {
  ReliefKind kind = ReliefKind::relieff;
  std::size_t n_neighbours = 10;
  std::span<const std::uint32_t> rows;  // the sampled rows
  std::size_t n_threads = 1;
  std::span<const double> target;  // RReliefF: one number per row, not all equal
};

// One weight per feature, a multiple of 2^-40. Neighbours of each class are averaged and weighed by the prior of the
// class, among the classes that have any; Relief uses squared differences and the nearest row of each class. RReliefF
// reads a numeric target instead of classes.
template <class T>
std::vector<double> relief_weights(const RowTable<T>& table, const ReliefOptions& options, Interrupt& interrupt);

}  // namespace thresher
