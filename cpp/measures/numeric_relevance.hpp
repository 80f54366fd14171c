// Association of every continuous feature with the target.
//
// Values come as [feature * n_replicates + replicate]; the target has one entry per row of the matrix as it was given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "moments/numeric_table.hpp"

namespace thresher {

// One-way F with the classes 0 .. n_classes-1.
std::vector<double> relevance_f(const NumericTable& table, std::span<const std::int32_t> classes, std::size_t n_classes,
                                std::size_t n_threads, Interrupt& interrupt);

// Absolute Pearson correlation, or cosine if not centred.
std::vector<double> relevance_correlation(const NumericTable& table, std::span<const double> target, bool centred,
                                          std::size_t n_threads, Interrupt& interrupt);

}  // namespace thresher
