// Association of every continuous feature with the target.
//
// Values come as [feature * n_replicates + replicate]; the target has one entry per row of the matrix as it was given.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "core/interrupt.hpp"
#include "measures/numeric_values.hpp"
#include "moments/numeric_table.hpp"

namespace thresher {

// With the classes 0 .. n_classes-1.
std::vector<double> relevance_of_classes(const NumericTable& table, ClassKind kind,
                                         std::span<const std::int32_t> classes, std::size_t n_classes,
                                         std::size_t n_threads, Interrupt& interrupt);

// Of some of the features: out[i * n_replicates + replicate] for features[i]. If `leaves_out_last`, the last class is
// that of rows to leave out.
void values_of_classes(const NumericTable& table, ClassKind kind, std::span<const std::int32_t> classes,
                       std::size_t n_classes, bool leaves_out_last, std::span<const std::uint32_t> features,
                       std::size_t n_threads, double* out);

// With a number per row.
std::vector<double> relevance_of_numbers(const NumericTable& table, NumericKind kind, std::span<const double> target,
                                         std::size_t n_threads);

}  // namespace thresher
