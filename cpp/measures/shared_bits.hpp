// Values A of a bounded measure as information: -1/2 log2(1 - A) bits, that of two normal variables with R2 = A.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <utility>

#include "measures/pair_measure.hpp"

namespace thresher {

// That of a copy. Any other value, a multiple of 2^-40, has 20 bits at most.
inline constexpr double kMostBits = 32.0;

// A multiple of 2^-40, so sums are exact. `value`: a multiple of 2^-40 in [0, 1], or NaN, which stays.
double shared_bits(double value);

// The novelty of a feature that shares this many bits: 2^(-bits), the same on every system.
double novelty(double bits);

// The logarithm to base 2 of a positive relevance, rounded to a multiple of 2^-40.
double rounded_log2(double relevance);

// The bits of another measure, which it must not outlive.
class SharedBits final : public PairMeasure {
 public:
  explicit SharedBits(PairMeasure& measure) : measure_(measure) {}
  explicit SharedBits(std::unique_ptr<PairMeasure> measure) : measure_(*measure), owned_(std::move(measure)) {}

  std::size_t n_features() const override { return measure_.n_features(); }
  std::size_t n_replicates() const override { return measure_.n_replicates(); }
  bool is_symmetric() const override { return measure_.is_symmetric(); }
  RequestHints hints() const override { return measure_.hints(); }

  void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) override {
    measure_.values(reference, features, out);
    convert(out);
  }
  std::unique_ptr<PairMeasure> replicate(std::size_t number) override {
    auto replicate = measure_.replicate(number);
    return replicate ? std::make_unique<SharedBits>(std::move(replicate)) : nullptr;
  }
  void look_up(std::uint32_t feature, std::span<const std::uint32_t> references, std::span<double> terms) override {
    measure_.look_up(feature, references, terms);
    convert(terms);
  }
  void fill(std::span<const TermRequest> requests) override {
    measure_.fill(requests);
    for (const TermRequest& request : requests) convert(request.terms);
  }

 private:
  static void convert(std::span<double> values) {
    for (double& value : values) value = shared_bits(value);
  }

  PairMeasure& measure_;
  std::unique_ptr<PairMeasure> owned_;
};

}  // namespace thresher
