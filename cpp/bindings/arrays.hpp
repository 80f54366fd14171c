// NumPy arrays of any number type and stride, read in place.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bindings/bindings.hpp"
#include "core/array_view.hpp"

namespace thresher::bindings {

// An array and the object that keeps it alive.
struct HeldArray {
  nb::object owner;
  ArrayView view;
};

// Returns the element type of a NumPy type string such as "<f8"; none for types that have to be converted first.
inline std::optional<DType> dtype_of(const std::string& type) {
  if (type.size() < 3 || type[0] == '>') return std::nullopt;
  const std::string kind = type.substr(1);
  constexpr std::pair<std::string_view, DType> kTypes[] = {{"b1", DType::u8},  {"u1", DType::u8},  {"i1", DType::i8},
                                                           {"i2", DType::i16}, {"i4", DType::i32}, {"i8", DType::i64},
                                                           {"u2", DType::u16}, {"u4", DType::u32}, {"u8", DType::u64},
                                                           {"f4", DType::f32}, {"f8", DType::f64}};
  for (const auto& [name, dtype] : kTypes) {
    if (kind == name) return dtype;
  }
  return std::nullopt;
}

// Reads an array in place. Other real types (half, long double, foreign byte order) are converted to float64; complex
// ones are rejected.
inline HeldArray hold_array(nb::object array, std::size_t n_dimensions) {
  nb::dict description = nb::cast<nb::dict>(array.attr("__array_interface__"));
  auto type = nb::cast<std::string>(nb::str(description["typestr"]));
  std::optional<DType> dtype = dtype_of(type);
  if (!dtype) {
    const char kind = type.size() > 1 ? type[1] : '?';
    if (kind != 'f' && kind != 'i' && kind != 'u') throw nb::type_error("the array must contain real numbers");
    array = array.attr("astype")("float64");
    description = nb::cast<nb::dict>(array.attr("__array_interface__"));
    dtype = DType::f64;
  }
  if (!nb::cast<bool>(array.attr("flags").attr("aligned"))) {
    array = array.attr("copy")();
    description = nb::cast<nb::dict>(array.attr("__array_interface__"));
  }
  const nb::tuple shape = nb::cast<nb::tuple>(description["shape"]);
  if (shape.size() != n_dimensions) throw nb::value_error("the array has the wrong number of dimensions");
  HeldArray held;
  held.view.data = reinterpret_cast<const void*>(nb::cast<std::uintptr_t>(nb::cast<nb::tuple>(description["data"])[0]));
  held.view.dtype = *dtype;
  held.view.n_rows = nb::cast<std::size_t>(shape[0]);
  held.view.n_columns = n_dimensions == 2 ? nb::cast<std::size_t>(shape[1]) : 1;
  const nb::tuple strides = nb::cast<nb::tuple>(array.attr("strides"));
  held.view.row_stride = nb::cast<std::ptrdiff_t>(strides[0]);
  held.view.column_stride = n_dimensions == 2 ? nb::cast<std::ptrdiff_t>(strides[1]) : 0;
  held.owner = std::move(array);
  return held;
}

// Returns a view of the vector's bytes as NumPy truth values; takes the vector over.
inline nb::ndarray<nb::numpy, bool, nb::ndim<1>> to_numpy_bool(std::vector<std::uint8_t>&& values) {
  return owning_array<nb::ndarray<nb::numpy, bool, nb::ndim<1>>>(std::move(values), {values.size()});
}

inline nb::ndarray<nb::numpy, bool, nb::ndim<2>> to_numpy_bool(std::vector<std::uint8_t>&& values, std::size_t rows,
                                                               std::size_t columns) {
  return owning_array<nb::ndarray<nb::numpy, bool, nb::ndim<2>>>(std::move(values), {rows, columns});
}

}  // namespace thresher::bindings
