#include "partition/cmi_walk.hpp"

#include <algorithm>
#include <utility>

#include "partition/row_blocks.hpp"

namespace thresher {
namespace {

// Equal values from different counts differ by a few units of the fixed point; a larger value must be larger by this.
constexpr double kMarginBits = 1e-10;

std::uint64_t total_weight(const CmiOptions& options) {
  if (options.weights.empty()) return options.n_rows();
  std::uint64_t total = 0;
  for (const std::int64_t weight : options.weights) total += static_cast<std::uint64_t>(weight);
  return total;
}

// The next of the list that tells more than its successor.
class AheadOfSuccessor {
 public:
  AheadOfSuccessor(const CmiOptions& options, Interrupt& interrupt)
      : options_(options),
        interrupt_(interrupt),
        order_(open_candidates(options.relevance, options.candidates)),
        xlogx_(total_weight(options)),
        open_(options.classes, options.n_classes, options.weights, xlogx_),
        blocks_(options.n_rows()),
        codes_(options.n_rows()),
        unit_(1.0 / (static_cast<double>(xlogx_.n()) * xlogx_.scale())) {}

  Step keep(std::span<const std::uint32_t>, std::span<const std::uint32_t> kept) {
    return accept(kept.front(), information(kept.front()));
  }

  std::optional<Step> next(std::span<const std::uint32_t> selected) {
    std::optional<double> here;  // known where the last comparison has left it
    while (result_.n_walked < order_.size() && !open_.settled()) {
      interrupt_.check();
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

  CmiResult& result() { return result_; }

 private:
  double bits(std::int64_t value) const { return static_cast<double>(std::max<std::int64_t>(value, 0)) * unit_; }

  double information(std::uint32_t feature) {
    options_.read(feature, codes_.data());
    return bits(open_.information(codes_.data()));
  }

  double evaluate(std::uint32_t feature) {
    ++result_.n_evaluations;
    return information(feature);
  }

  Step accept(std::uint32_t feature, double gain) {
    options_.read(feature, codes_.data());
    open_.refine(codes_.data());
    blocks_.refine(codes_.data());
    result_.unknown.push_back(bits(open_.unknown()));
    result_.n_blocks.push_back(blocks_.n_blocks());
    return {feature, gain, options_.relevance[feature]};
  }

  const CmiOptions& options_;
  Interrupt& interrupt_;
  std::vector<std::uint32_t> order_;
  XLogX xlogx_;
  OpenBlocks open_;
  BlockNumbers blocks_;
  std::vector<std::uint8_t> codes_;
  double unit_;
  CmiResult result_;
};

}  // namespace

CmiResult cmi_walk(const CmiOptions& options, Interrupt& interrupt) {
  AheadOfSuccessor criterion(options, interrupt);
  search_forward(criterion, options, interrupt, criterion.result());
  return std::move(criterion.result());
}

}  // namespace thresher
