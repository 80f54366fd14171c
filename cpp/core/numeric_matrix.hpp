// Feature-major continuous data, in single or double precision, not owned.
#pragma once

#include <cstddef>

namespace thresher {

struct NumericMatrix {
  const float* float32 = nullptr;
  const double* float64 = nullptr;
  std::size_t n_features = 0;
  std::size_t n_rows = 0;
};

// One feature of such a matrix, or a target.
struct NumericColumn {
  const float* float32 = nullptr;
  const double* float64 = nullptr;
};

inline NumericColumn column(const NumericMatrix& matrix, std::size_t feature) {
  const std::size_t start = feature * matrix.n_rows;
  if (matrix.float32 != nullptr) return {matrix.float32 + start, nullptr};
  return {nullptr, matrix.float64 + start};
}

// body(const float*) or body(const double*): the first value of the data.
template <class Data, class Body>
decltype(auto) visit_type(const Data& data, Body&& body) {
  return data.float32 != nullptr ? body(data.float32) : body(data.float64);
}

}  // namespace thresher
