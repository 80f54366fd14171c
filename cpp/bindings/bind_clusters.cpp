// Clusters of features around medoids.
#include <cstdint>
#include <span>

#include "bindings/results.hpp"
#include "bindings/searching.hpp"
#include "search/feature_clusters.hpp"

namespace thresher::bindings {
namespace {

void check_positions(const FeatureClusters& clusters, std::span<const std::uint32_t> positions) {
  for (const std::uint32_t position : positions) {
    if (position >= clusters.size()) throw nb::index_error("a position is out of range");
  }
}

}  // namespace

void bind_clusters(nb::module_& module) {
  nb::class_<Clustering> clustering(module, "Clustering", "Features in clusters around medoids.");
  def_indices(clustering, "medoids", &Clustering::medoids);
  def_indices(clustering, "clusters", &Clustering::clusters);
  clustering.def_prop_ro("own", array_of<Clustering>(&Clustering::own), "Distances to the medoid of the own cluster.")
      .def_prop_ro("other", array_of<Clustering>(&Clustering::other), "Distances to the nearest other medoid.");
  nb::class_<FeatureClusters>(module, "FeatureClusters", "Features in clusters around medoids, addressed by position.")
      .def(
          "__init__",
          [](FeatureClusters* self, PairMeasure& measure, const Vector<std::uint32_t>& features,
             const Vector<double>& relevance, std::size_t memory, std::size_t n_threads) {
            if (measure.n_replicates() != 1) throw nb::value_error("the measure must be on one replicate");
            if (features.size() != relevance.size()) throw nb::value_error("one relevance per feature is needed");
            for (const std::uint32_t f : view(features)) {
              if (f >= measure.n_features()) throw nb::index_error("a feature is out of range");
            }
            without_gil([&](Interrupt&) {
              return new (self) FeatureClusters(measure, view(features), view(relevance), memory, n_threads);
            });
          },
          nb::arg("measure"), nb::arg("features"), nb::arg("relevance"), nb::arg("memory"), nb::arg("n_threads") = 1,
          nb::keep_alive<1, 2>())
      .def(
          "far_apart",
          [](FeatureClusters& self, std::size_t count) {
            return to_numpy(without_gil([&](Interrupt&) { return self.far_apart(count); }));
          },
          nb::arg("count"), "The most relevant feature, then again and again the one farthest from those taken.")
      .def(
          "cluster",
          [](FeatureClusters& self, const Vector<std::uint32_t>& starts, std::size_t max_rounds) {
            check_positions(self, view(starts));
            if (starts.size() == 0) throw nb::value_error("starts must not be empty");
            return without_gil([&](Interrupt&) { return self.cluster(view(starts), max_rounds); });
          },
          nb::arg("starts"), nb::arg("max_rounds"), "k-medoids from the given starts.")
      .def(
          "similarities",
          [](FeatureClusters& self, std::uint32_t position) {
            check_positions(self, {&position, 1});
            return to_numpy(without_gil([&](Interrupt&) { return self.similarities(position); }));
          },
          nb::arg("position"), "Of every feature to one of them.")
      .def_prop_ro("n_evaluations", &FeatureClusters::n_evaluations, "Number of similarities computed.");
}

}  // namespace thresher::bindings
