// Rows in Python: requests go out, arrays come in.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "core/pair_request.hpp"

namespace thresher::bindings {

// The type of Python's callback: a function of the references and the features of the pairs that returns an array.
template <class T>
using RequestFunction =
    nb::typed<nb::callable, nb::ndarray<nb::numpy, T>(nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>,
                                                      nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>)>;

// A callable that takes the references and the features of the pairs and returns their sums.
class PythonSource {
 public:
  explicit PythonSource(nb::object request) : request_(std::move(request)) {}

  // Needs the GIL. `wanted` says in words what an Array that fits is.
  template <class Array, class Fits>
  Array fetch(const PairRequest& request, const std::string& wanted, Fits&& fits) const {
    const nb::object result = request_(to_numpy(std::vector(request.references.begin(), request.references.end())),
                                       to_numpy(std::vector(request.features.begin(), request.features.end())));
    Array delivered;
    if (!nb::try_cast(result, delivered, false) || !fits(delivered)) {
      throw nb::value_error(("a request must return " + wanted + ", got " + described(result)).c_str());
    }
    return delivered;
  }

 private:
  static std::string text(const nb::object& value) { return nb::str(value).c_str(); }
  static std::string described(const nb::object& result) {
    const bool is_array = nb::hasattr(result, "dtype") && nb::hasattr(result, "shape");
    if (!is_array) return text(result.type().attr("__name__"));
    return text(result.attr("dtype")) + " of shape " + text(result.attr("shape"));
  }

  nb::object request_;
};

}  // namespace thresher::bindings
