// Continuous arrays on their way in and out.
#pragma once

#include "bindings/bindings.hpp"
#include "core/memory.hpp"
#include "core/numeric_matrix.hpp"

namespace thresher::bindings {

// A C-contiguous matrix of float32 or float64, one row per feature.
using NumericArray = nb::ndarray<nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

inline NumericMatrix numeric_matrix(const NumericArray& array) {
  NumericMatrix matrix;
  if (array.dtype() == nb::dtype<float>()) {
    matrix.float32 = static_cast<const float*>(array.data());
  } else if (array.dtype() == nb::dtype<double>()) {
    matrix.float64 = static_cast<const double*>(array.data());
  } else {
    throw nb::type_error("the matrix must be float32 or float64");
  }
  matrix.n_features = array.shape(0);
  matrix.n_rows = array.shape(1);
  if (matrix.n_rows == 0) throw nb::value_error("the matrix has no rows");
  return matrix;
}

// A NumPy array that owns uninitialised memory.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<2>> empty_numpy(std::size_t rows, std::size_t columns) {
  auto* data = static_cast<T*>(allocate_array(rows * columns * sizeof(T)));
  nb::capsule owner(data, [](void* p) noexcept { free_array(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<2>>(data, {rows, columns}, owner);
}

}  // namespace thresher::bindings
