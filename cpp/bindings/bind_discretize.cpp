#include "bindings/bindings.hpp"
namespace thresher::bindings {
void bind_discretize(nb::module_&) {}
}
