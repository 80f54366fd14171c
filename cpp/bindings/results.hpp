// Results as Python sees them: classes with read-only attributes.
#pragma once

#include <cstdint>
#include <vector>

#include "bindings/bindings.hpp"

namespace thresher::bindings {

// Makes a getter of a vector that returns a view of it, an array that keeps the result alive.
template <class Result, class Values, class Base>
auto array_of(Values Base::* member) {
  return [member](Result& result) {
    Values& values = result.*member;
    return nb::ndarray<nb::numpy, typename Values::value_type, nb::ndim<1>>(values.data(), {values.size()});
  };
}

// Returns the same of marks, as truth values.
template <class Result, class Base>
auto marks_of(std::vector<std::uint8_t> Base::* member) {
  return [member](Result& result) {
    std::vector<std::uint8_t>& values = result.*member;
    return nb::ndarray<nb::numpy, bool, nb::ndim<1>>(values.data(), {values.size()});
  };
}

// Positions of features or other indices as an array of their own, of the type that NumPy indexes by.
inline nb::ndarray<nb::numpy, std::int64_t, nb::ndim<1>> as_indices(const std::vector<std::uint32_t>& values) {
  return to_numpy(std::vector<std::int64_t>(values.begin(), values.end()));
}

// Defines an attribute that contains indices.
template <class Result, class Base>
void def_indices(nb::class_<Result>& bound, const char* name, std::vector<std::uint32_t> Base::* member) {
  bound.def_prop_ro(
      name, [member](const Result& result) { return as_indices(result.*member); }, nb::rv_policy::automatic);
}

}  // namespace thresher::bindings
