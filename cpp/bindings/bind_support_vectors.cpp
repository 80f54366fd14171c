// Recursive elimination by support vector machines.
#include <cstdint>
#include <utility>

#include "bindings/bindings.hpp"
#include "bindings/searching.hpp"
#include "support_vectors/elimination.hpp"

namespace thresher::bindings {
namespace {

nb::tuple recursive_elimination(const Matrix<double>& columns, const Matrix<double>& signs,
                                const Vector<std::uint32_t>& used, const Vector<std::uint8_t>& never,
                                const Vector<std::uint32_t>& counts, double penalty, double tolerance,
                                std::size_t n_threads) {
  const std::size_t n_features = columns.shape(0);
  if (signs.shape(1) != columns.shape(1) || never.size() != n_features) throw nb::value_error("lengths differ");
  for (const std::uint32_t feature : view(used)) {
    if (feature >= n_features) throw nb::index_error("feature out of range");
  }
  Eliminated found;
  {
    nb::gil_scoped_release released;
    SignalInterrupt interrupt;
    const EliminationInput input{{columns.data(), n_features, columns.shape(1)},
                                 {signs.data(), signs.size()},
                                 view(used),
                                 view(never),
                                 view(counts),
                                 n_threads};
    found = eliminate(input, {penalty, tolerance}, interrupt);
  }
  return nb::make_tuple(to_numpy(std::move(found.dropped)), to_numpy(std::move(found.scores)), found.n_unfinished);
}

}  // namespace

void bind_support_vectors(nb::module_& module) {
  module.def(
      "recursive_elimination", &recursive_elimination, nb::arg("columns").noconvert(), nb::arg("signs"),
      nb::arg("used"), nb::arg("never"), nb::arg("counts"), nb::arg("penalty"), nb::arg("tolerance"),
      nb::arg("n_threads") = 1,
      "Features of a (features, rows) array in the order in which they are dropped, their squared weights when last "
      "seen, and the number of trainings that gave up.");
}

}  // namespace thresher::bindings
