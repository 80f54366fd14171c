// Rows that Python holds: questions go out, arrays come in.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "bindings/bindings.hpp"
#include "core/pair_request.hpp"

namespace thresher::bindings {

// What Python passes: a function that takes the references and the features of the pairs and returns an array.
template <class T>
using AskFor = nb::typed<nb::callable, nb::ndarray<nb::numpy, T>(nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>,
                                                                 nb::ndarray<nb::numpy, std::uint32_t, nb::ndim<1>>)>;

// A callable that takes the references and the features of the pairs and returns their sums.
class PythonSource {
 public:
  explicit PythonSource(nb::object ask) : ask_(std::move(ask)) {}

  // Needs the GIL. `wanted` says in words what an Array that fits is.
  template <class Array, class Fits>
  Array answer(const PairRequest& request, const std::string& wanted, Fits&& fits) const {
    const nb::object answer = ask_(to_numpy(std::vector(request.references.begin(), request.references.end())),
                                   to_numpy(std::vector(request.features.begin(), request.features.end())));
    Array delivered;
    if (!nb::try_cast(answer, delivered, false) || !fits(delivered)) {
      throw nb::value_error(("the answer to a request must be " + wanted + ", got " + described(answer)).c_str());
    }
    return delivered;
  }

 private:
  static std::string text(const nb::object& value) { return nb::str(value).c_str(); }
  static std::string described(const nb::object& answer) {
    const bool is_array = nb::hasattr(answer, "dtype") && nb::hasattr(answer, "shape");
    if (!is_array) return text(answer.type().attr("__name__"));
    return text(answer.attr("dtype")) + " of shape " + text(answer.attr("shape"));
  }

  nb::object ask_;
};

}  // namespace thresher::bindings
