// What a search needs from the data: the measure of feature pairs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace thresher {

// Features to be measured against references, each with each; the value of features[i] and references[j] on replicate r
// goes to terms[(i * references.size() + j) * n_replicates + r].
struct TermRequest {
  std::span<const std::uint32_t> references;
  std::span<const std::uint32_t> features;
  std::span<double> terms;
};

// Hints on how a search should request values from a measure.
struct RequestHints {
  // Further terms of a candidate to request at a time: more than one where reading a candidate costs more than a term
  // that was requested in vain.
  std::size_t terms_at_once = 1;
  // Pairs to request at a time, where a request costs more than its pairs do; 0 where it does not. A constant, not a
  // measured time: the pairs requested depend on it.
  std::size_t round_size = 0;
  // Whether to take the values that are kept (PairMeasure::look_up) before requesting more.
  bool keeps_values = false;
  // Whether PairMeasure::replicate is offered: where computing its values costs less than keeping those of all
  // replicates and finding them again.
  bool offers_replicates = false;
};

// Values of one measure for pairs of features, on one or several replicates of the data at once.
//
// Values are non-negative and already rounded (bounded measures to multiples of 2^-40), so that searches may add them
// in any order and compare them exactly. An implementation computes; caching belongs to the search. It may keep what it
// computed last, so one thread at a time uses it; threads share tables, not measures.
class PairMeasure {
 public:
  virtual ~PairMeasure() = default;

  virtual std::size_t n_features() const = 0;

  // 1 for plain data; of an ensemble, the number of sets of parts of the rows that it is made on.
  virtual std::size_t n_replicates() const { return 1; }

  // Returns whether (f, g) and (g, f) have the same values, so that one can replace the other.
  virtual bool is_symmetric() const { return true; }

  // out[i * n_replicates() + r] = measure(features[i], reference) on replicate r.
  // May use several threads inside; the values do not depend on how many.
  virtual void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) = 0;

  virtual RequestHints hints() const { return {}; }

  // One replicate as a separate measure, null if none is offered. It must not outlive this measure.
  virtual std::unique_ptr<PairMeasure> replicate(std::size_t) { return nullptr; }

  // terms[i] = measure(feature, references[i]) if that is kept, NaN if not.
  virtual void look_up(std::uint32_t feature, std::span<const std::uint32_t> references, std::span<double> terms);

  // Fills in the terms of several requests, of hints().terms_at_once references at most unless there is a round size:
  // one call of values for each reference, or better where a measure can overlap them.
  virtual void fill(std::span<const TermRequest> requests);
};

}  // namespace thresher
