// Continuous arrays on their way in and out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "core/column_views.hpp"
#include "core/memory.hpp"
#include "core/numeric_matrix.hpp"
#include "measures/numeric_values.hpp"

namespace thresher::bindings {

// A C-contiguous matrix of float32 or float64, one row per feature.
using NumericArray = nb::ndarray<nb::numpy, nb::ro, nb::ndim<2>, nb::c_contig, nb::device::cpu>;

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

// Returns a NumPy array that owns uninitialised memory.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<2>> empty_numpy(std::size_t rows, std::size_t columns) {
  auto* data = static_cast<T*>(allocate_array(rows * columns * sizeof(T)));
  nb::capsule owner(data, [](void* p) noexcept { free_array(p); });
  return nb::ndarray<nb::numpy, T, nb::ndim<2>>(data, {rows, columns}, owner);
}

// Returns an array (p,) for plain data, (e, p) for an ensemble, from values in the order of features.
template <class Table>
nb::ndarray<nb::numpy, double> relevance_array(const Table& table, std::vector<double>&& values) {
  using Values = nb::ndarray<nb::numpy, double>;
  if (!table.layout().has_parts()) return Values(to_numpy(std::move(values)));
  const std::size_t p = table.n_features();
  const std::size_t e = table.n_replicates();
  std::vector<double> turned(values.size());
  for (std::size_t feature = 0; feature < p; ++feature) {
    for (std::size_t r = 0; r < e; ++r) turned[r * p + feature] = values[feature * e + r];
  }
  return Values(to_numpy(std::move(turned), e, p));
}

template <class Table>
nb::ndarray<nb::numpy, bool, nb::ndim<2>> constant_parts(const Table& table) {
  const std::size_t p = table.n_features();
  const std::size_t e = table.n_replicates();
  auto out = empty_numpy<bool>(e, p);
  const auto kept = table.kept_constant();
  for (std::size_t feature = 0; feature < p; ++feature) {
    for (std::size_t r = 0; r < e; ++r) out.data()[r * p + feature] = kept[feature * e + r] != 0;
  }
  return out;
}

inline NumericKind numeric_kind(const std::string& name) { return choice_from("measure", name, kNumericKinds); }
inline ClassKind class_kind(const std::string& name) { return choice_from("measure", name, kClassKinds); }

template <class T>
DenseColumns<T> dense_columns(const Matrix<T>& columns) {
  return {columns.data(), columns.shape(0), columns.shape(1)};
}

// Returns the columns of a CSC matrix, in place.
template <class T>
SparseColumns<T> sparse_columns(const Vector<T>& values, const Vector<std::int32_t>& rows,
                                const Vector<std::int64_t>& starts, std::size_t n_rows) {
  if (starts.size() == 0 || values.size() != rows.size() || starts.data()[0] != 0 ||
      static_cast<std::size_t>(starts.data()[starts.size() - 1]) != values.size()) {
    throw nb::value_error("values, rows and starts are not those of one compressed matrix");
  }
  return {values.data(), rows.data(), starts.data(), starts.size() - 1, n_rows};
}

// Binds the measures of every feature with a target, for tables of dense and of sparse columns.
template <class Table, class Class>
void bind_relevance(Class& table_class) {
  table_class
      .def(
          "relevance_of_classes",
          [](const Table& table, const std::string& measure, const Vector<std::int32_t>& classes, std::size_t n_classes,
             std::size_t n_threads) {
            const ClassKind kind = class_kind(measure);
            const auto codes = check_classes(classes, table.n_given_rows(), n_classes);
            auto values = without_gil([&](Interrupt& interrupt) {
              return relevance_of_classes(table, kind, codes, n_classes, n_threads, interrupt);
            });
            return relevance_array(table, std::move(values));
          },
          nb::arg("measure"), nb::arg("classes"), nb::arg("n_classes"), nb::arg("n_threads") = 1)
      .def(
          "relevance_of_numbers",
          [](const Table& table, const std::string& measure, const Vector<double>& target, std::size_t n_threads) {
            const NumericKind kind = numeric_kind(measure);
            if (target.size() != table.n_given_rows()) throw nb::value_error("y must have one value per row");
            auto values =
                without_gil([&](Interrupt&) { return relevance_of_numbers(table, kind, view(target), n_threads); });
            return relevance_array(table, std::move(values));
          },
          nb::arg("measure"), nb::arg("values"), nb::arg("n_threads") = 1)
      .def_prop_ro("constant_parts", &constant_parts<Table>, nb::rv_policy::automatic);
}

}  // namespace thresher::bindings
