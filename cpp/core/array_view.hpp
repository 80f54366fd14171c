// A two-dimensional array of any number type and any strides, not owned.
#pragma once

#include <cstddef>
#include <cstdint>

namespace thresher {

// Truth values are u8.
enum class DType { i8, i16, i32, i64, u8, u16, u32, u64, f32, f64 };

struct ArrayView {
  const void* data = nullptr;
  DType dtype = DType::f64;
  std::size_t n_rows = 0;
  std::size_t n_columns = 0;
  std::ptrdiff_t row_stride = 0;  // in bytes, may be negative
  std::ptrdiff_t column_stride = 0;

  template <class T>
  const T* at(std::size_t row, std::size_t column) const {
    return reinterpret_cast<const T*>(static_cast<const char*>(data) + static_cast<std::ptrdiff_t>(row) * row_stride +
                                      static_cast<std::ptrdiff_t>(column) * column_stride);
  }
};

// Calls body(T{}) with the element type.
template <class Body>
decltype(auto) visit_dtype(DType dtype, Body&& body) {
  switch (dtype) {
    case DType::i8: return body(std::int8_t{});
    case DType::i16: return body(std::int16_t{});
    case DType::i32: return body(std::int32_t{});
    case DType::i64: return body(std::int64_t{});
    case DType::u8: return body(std::uint8_t{});
    case DType::u16: return body(std::uint16_t{});
    case DType::u32: return body(std::uint32_t{});
    case DType::u64: return body(std::uint64_t{});
    case DType::f32: return body(float{});
    case DType::f64: break;
  }
  return body(double{});
}

inline std::size_t size_of(DType dtype) {
  return visit_dtype(dtype, [](auto element) { return sizeof(element); });
}

}  // namespace thresher
