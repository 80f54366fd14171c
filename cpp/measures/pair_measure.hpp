// What a search asks of the data: the measure of feature pairs.
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

// How a search should ask a measure for values.
struct RequestHints {
  // Further terms of a candidate to ask for at a time: more than one where reading a candidate costs more than a term
  // that was asked for in vain.
  std::size_t terms_at_once = 1;
  // Pairs to ask for at a time, where a request costs more than its pairs do; 0 where it does not. A constant, not a
  // measured time: the pairs asked for depend on it.
  std::size_t round_size = 0;
  // Whether to take the values that are kept (PairMeasure::look_up) before asking for more.
  bool keeps_values = false;
  // Whether there is PairMeasure::replicate: offered where computing its values costs less than keeping those of all
  // replicates and finding them again.
  bool offers_replicates = false;
};

// Values of one measure for pairs of features, on one or several replicates of the data at once.
//
// Values are non-negative and already rounded (bounded measures to multiples of 2^-40), so that searches may add
// them in any order and compare them exactly. An implementation computes; caching belongs to the search.
// It may keep what it computed last, so one thread at a time asks it; threads share tables, not measures.
class PairMeasure {
 public:
  virtual ~PairMeasure() = default;

  virtual std::size_t n_features() const = 0;

  // 1 for plain data; of an ensemble, the number of sets of parts of the rows that it is made on.
  virtual std::size_t n_replicates() const { return 1; }

  // Whether (f, g) and (g, f) have the same values, so that one can stand for the other.
  virtual bool is_symmetric() const { return true; }

  // out[i * n_replicates() + r] = measure(features[i], reference) on replicate r.
  // May use several threads inside; the values do not depend on how many.
  virtual void values(std::uint32_t reference, std::span<const std::uint32_t> features, std::span<double> out) = 0;

  virtual RequestHints hints() const { return {}; }

  // One replicate as a measure of its own, null if none is offered. It must not outlive this measure.
  virtual std::unique_ptr<PairMeasure> replicate(std::size_t) { return nullptr; }

  // terms[i] = measure(feature, references[i]) if that is kept, NaN if not.
  virtual void look_up(std::uint32_t feature, std::span<const std::uint32_t> references, std::span<double> terms);

  // Answers several requests, of hints().terms_at_once references at most unless there is a round size: one call of
  // values for each reference, or better where a measure can overlap them.
  virtual void answer(std::span<const TermRequest> requests);
};

}  // namespace thresher
