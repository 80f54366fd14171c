// Measures of numbers over sums that Python delivers. A number in double-double is a pair of float64 there.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bindings/numeric_arrays.hpp"
#include "bindings/part_sets.hpp"
#include "bindings/python_source.hpp"
#include "measures/range.hpp"
#include "measures/summed_measure.hpp"
#include "moments/moment_request.hpp"

namespace thresher::bindings {
namespace {

// [pair][part]
using ProductArray = nb::ndarray<nb::numpy, const double, nb::shape<-1, -1, 2>, nb::c_contig, nb::device::cpu>;
// [feature][part][rows, sum, sum of squares]
using ColumnArray = nb::ndarray<nb::numpy, const double, nb::shape<-1, -1, 3, 2>, nb::c_contig, nb::device::cpu>;
using AnySums = nb::ndarray<nb::numpy, const double, nb::c_contig, nb::device::cpu>;

class PythonMoments final : public MomentSource {
 public:
  PythonMoments(nb::object request, std::size_t n_parts) : source_(std::move(request)), n_parts_(n_parts) {}

  void sum(const PairRequest& request, std::span<DoubleDouble> products) override {
    nb::gil_scoped_acquire gil;
    const std::size_t n_pairs = request.features.size();
    const std::string wanted =
        "a float64 array of shape (" + std::to_string(n_pairs) + ", " + std::to_string(n_parts_) + ", 2)";
    const auto delivered = source_.fetch<ProductArray>(request, wanted, [&](const ProductArray& array) {
      return array.shape(0) == n_pairs && array.shape(1) == n_parts_;
    });
    for (std::size_t i = 0; i < products.size(); ++i)
      products[i] = {delivered.data()[2 * i], delivered.data()[2 * i + 1]};
  }

 private:
  PythonSource source_;
  std::size_t n_parts_;
};

SummedPairs* make_summed(RequestFunction<double> request, const ColumnArray& sums, const Vector<double>& centres,
                         const Vector<double>& minimum, const Vector<double>& maximum, const std::string& measure,
                         const OptionalSets& sets, std::optional<std::size_t> round_size) {
  PartSets replicates = read_sets(std::nullopt, sets);
  if (sums.shape(1) != replicates.n_parts()) throw std::invalid_argument("sums and sets differ in parts");
  const auto copied = [](const Vector<double>& values) {
    return std::vector<double>(values.data(), values.data() + values.size());
  };
  DeliveredColumns columns{copied(centres), copied(minimum), copied(maximum), {}};
  for (const double* at = sums.data(); at != sums.data() + sums.size(); at += 6) {
    columns.sums.push_back({{at[0], at[1]}, {at[2], at[3]}, {at[4], at[5]}});
  }
  auto source = std::make_shared<PythonMoments>(std::move(request), replicates.n_parts());
  return new SummedPairs(std::move(source), std::move(columns), std::move(replicates),
                         round_size.value_or(DeliveredMeasure::usual_round_size(centres.size())),
                         numeric_kind(measure));
}

// Returns the two words of each sum, which are the last axis of the shape.
nb::ndarray<nb::numpy, double> as_array(const std::vector<DoubleDouble>& sums, const std::vector<std::size_t>& shape) {
  std::vector<double> words;
  words.reserve(2 * sums.size());
  for (const DoubleDouble& sum : sums) words.insert(words.end(), {sum.hi, sum.lo});
  return owning_array<nb::ndarray<nb::numpy, double>>(std::move(words), shape);
}

auto bound_column_sums(const NumericTable& block, const Vector<double>& centres, std::size_t n_threads) {
  std::vector<DoubleDouble> numbers;
  for (const ClassSum& sums : without_gil([&](Interrupt&) { return column_sums(block, view(centres), n_threads); })) {
    numbers.insert(numbers.end(), {sums.n, sums.x, sums.xx});
  }
  return as_array(numbers, {block.n_features(), block.layout().n_segments(), 3, 2});
}

auto bound_product_sums(const NumericTable& block, const Vector<std::uint32_t>& references,
                        const Vector<std::uint32_t>& features, const Vector<double>& centres, std::size_t n_threads) {
  const auto sums = without_gil(
      [&](Interrupt&) { return product_sums(block, {view(references), view(features)}, view(centres), n_threads); });
  return as_array(sums, {features.size(), block.layout().n_segments(), 2});
}

auto added_sums(const AnySums& a, const AnySums& b) {
  bool fit = a.ndim() == b.ndim() && a.ndim() > 0 && a.shape(a.ndim() - 1) == 2;
  for (std::size_t i = 0; fit && i < a.ndim(); ++i) fit = a.shape(i) == b.shape(i);
  if (!fit) throw nb::value_error("sums to be added must have the same shape, with two words last");
  std::vector<DoubleDouble> out(a.size() / 2);
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = DoubleDouble{a.data()[2 * i], a.data()[2 * i + 1]} + DoubleDouble{b.data()[2 * i], b.data()[2 * i + 1]};
  }
  std::vector<std::size_t> shape(a.ndim());
  for (std::size_t i = 0; i < shape.size(); ++i) shape[i] = a.shape(i);
  return as_array(out, shape);
}

auto exact_centres(const Vector<double>& minimum, const Vector<double>& maximum, const Vector<double>& mean) {
  if (minimum.size() != mean.size() || maximum.size() != mean.size()) {
    throw nb::value_error("minimum, maximum and mean must have the same length");
  }
  std::vector<double> out(mean.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (!std::isfinite(mean.data()[i])) throw nb::value_error("means must be finite");
    out[i] = Range{minimum.data()[i], maximum.data()[i]}.centre(mean.data()[i]);
  }
  return to_numpy(std::move(out));
}

}  // namespace

void bind_summed(nb::module_& module) {
  nb::class_<SummedPairs, DeliveredMeasure>(module, "SummedPairs", "A measure of two columns of numbers.")
      .def(nb::new_(&make_summed), nb::arg("request"), nb::arg("sums").noconvert(), nb::arg("centres"),
           nb::arg("minimum"), nb::arg("maximum"), nb::kw_only(), nb::arg("measure") = "pearson",
           nb::arg("sets") = nb::none(), nb::arg("round_size") = nb::none());
  module.def("exact_centres", &exact_centres, nb::arg("minimum"), nb::arg("maximum"), nb::arg("mean"),
             "Centres near the means from which the differences of all values are exact.");
  module.def("column_sums", &bound_column_sums, nb::arg("block"), nb::arg("centres"), nb::arg("n_threads") = 1,
             "Rows, sum and sum of squares of the columns of a block, by part, in two words each.");
  module.def("product_sums", &bound_product_sums, nb::arg("block"), nb::arg("references"), nb::arg("features"),
             nb::arg("centres"), nb::arg("n_threads") = 1,
             "The sums of products of pairs of features in a block of rows, by part, in two words each.");
  module.def("add_sums", &added_sums, nb::arg("a"), nb::arg("b"), "Sums in two words each, added.");
}

}  // namespace thresher::bindings
