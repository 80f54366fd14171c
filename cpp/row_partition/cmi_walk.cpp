#include "row_partition/cmi_walk.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "row_partition/row_blocks.hpp"

namespace thresher {
namespace {

// Equal values from different counts differ by a few units of the fixed point; a larger value must be larger by this.
constexpr double kMarginBits = 1e-10;

// The rows of one replicate.
struct Replicate {
  OpenBlocks open;
  double unit;  // of the fixed point, in bits

  double bits(std::int64_t value) const { return static_cast<double>(std::max<std::int64_t>(value, 0)) * unit; }
};

// The next of the list that tells more than its successor.
class AheadOfSuccessor final : public Criterion<CmiResult> {
 public:
  explicit AheadOfSuccessor(const CmiOptions& options)
      : options_(options),
        order_(open_candidates(options.relevance, options.candidates)),
        blocks_(absent_rows(options)),
        codes_(options.n_rows()) {
    const std::size_t n = options.n_rows();
    const bool weighted = !options.weights.empty();
    for (std::size_t r = 0; r < (weighted ? options.weights.size() / n : 1); ++r) {
      const auto weights = weighted ? options.weights.subspan(r * n, n) : options.weights;
      const auto total =
          static_cast<double>(weighted ? std::reduce(weights.begin(), weights.end()) : static_cast<std::int64_t>(n));
      replicates_.push_back({OpenBlocks(options.classes, options.n_classes, weights, *options.xlogx),
                             1.0 / (total * options.xlogx->scale())});
    }
  }

  Step keep(std::span<const std::uint32_t>, std::span<const std::uint32_t> kept, Interrupt&) override {
    return accept(kept.front(), information(kept.front()));
  }

  std::optional<Step> next(std::span<const std::uint32_t> selected, Interrupt& interrupt) override {
    std::optional<double> here;  // known where the last comparison has left it
    while (result_.n_walked < order_.size() && !settled()) {
      interrupt.check();
      const std::uint32_t feature = order_[result_.n_walked++];
      if (selected.empty()) return accept(feature, information(feature));
      if (!here) here = evaluate(feature);
      const bool is_last = result_.n_walked == order_.size();
      const double there = is_last ? 0.0 : evaluate(order_[result_.n_walked]);
      result_.examined.push_back(feature);
      result_.value.push_back(*here);
      result_.successor_value.push_back(there);
      if (*here > there + kMarginBits && (!is_last || options_.take_last)) return accept(feature, *here);
      here = there;
    }
    return std::nullopt;
  }

  CmiResult seen() const override { return result_; }

 private:
  static std::vector<std::uint8_t> absent_rows(const CmiOptions& options) {
    std::vector<std::uint8_t> absent(options.n_rows(), !options.weights.empty());
    for (std::size_t i = 0; i < options.weights.size(); ++i) {
      if (options.weights[i] > 0) absent[i % options.n_rows()] = 0;
    }
    return absent;
  }

  bool settled() const {
    return std::all_of(replicates_.begin(), replicates_.end(), [](const Replicate& r) { return r.open.settled(); });
  }

  // The mean over replicates.
  template <class Value>
  double mean_of(Value value) {
    double sum = 0.0;
    for (Replicate& replicate : replicates_) sum += replicate.bits(value(replicate.open));
    return sum / static_cast<double>(replicates_.size());
  }

  double information(std::uint32_t feature) {
    options_.read(feature, codes_.data());
    return mean_of([&](OpenBlocks& open) { return open.information(codes_.data()); });
  }

  double evaluate(std::uint32_t feature) {
    ++result_.n_evaluations;
    return information(feature);
  }

  Step accept(std::uint32_t feature, double gain) {
    options_.read(feature, codes_.data());
    for (Replicate& replicate : replicates_) replicate.open.refine(codes_.data());
    blocks_.refine(codes_.data());
    result_.unknown.push_back(mean_of([](const OpenBlocks& open) { return open.unknown(); }));
    result_.n_blocks.push_back(blocks_.n_blocks());
    return {feature, gain, options_.relevance[feature]};
  }

  CmiOptions options_;
  std::vector<std::uint32_t> order_;
  std::vector<Replicate> replicates_;
  BlockNumbers blocks_;
  std::vector<std::uint8_t> codes_;
  CmiResult result_;
};

}  // namespace

ForwardSearch<CmiResult> cmi_walk(const CmiOptions& options) {
  return {std::make_unique<AheadOfSuccessor>(options), options};
}

}  // namespace thresher
