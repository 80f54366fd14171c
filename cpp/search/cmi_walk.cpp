#include "search/cmi_walk.hpp"

#include <algorithm>
#include <memory>
#include <numeric>

#include "partition/coded_blocks.hpp"
#include "partition/listed_blocks.hpp"

namespace thresher {
namespace {

// Equal values from different counts differ by a few units of the fixed point; a larger value must be larger by this.
constexpr double kMarginBits = 1e-10;

// How rows are read and parted: by the codes of all, or by those off the commonest level.
struct AllRows {
  using Open = OpenBlocks;
  using Numbers = BlockNumbers;

  explicit AllRows(const CodedTable& given) : table(given), codes(given.n_rows()) {}
  const std::uint8_t* read(std::uint32_t feature) {
    table.codes_of(feature, codes.data());
    return codes.data();
  }

  const CodedTable& table;
  std::vector<std::uint8_t> codes;
};

struct SomeRows {
  using Open = OpenListedBlocks;
  using Numbers = ListedBlockNumbers;

  explicit SomeRows(const CodedTable& table) : rows(table) {}
  const ListedRows& read(std::uint32_t feature) {
    rows.read(feature);
    return rows;
  }

  ListedRows rows;
};

// The rows of one replicate.
template <class Open>
struct Replicate {
  Open open;
  double unit;  // of the fixed point, in bits

  double bits(std::int64_t value) const { return static_cast<double>(std::max<std::int64_t>(value, 0)) * unit; }
};

// Takes the next feature of the list that is more informative than its successor.
template <class Rows>
class CmiCriterion final : public Criterion {
 public:
  explicit CmiCriterion(const CmiOptions& options)
      : options_(options),
        order_(open_candidates(options.relevance, options.candidates)),
        blocks_(absent_rows(options)),
        rows_(*options.table) {
    const std::size_t n = options.n_rows();
    const bool weighted = !options.weights.empty();
    for (std::size_t r = 0; r < (weighted ? options.weights.size() / n : 1); ++r) {
      const auto weights = weighted ? options.weights.subspan(r * n, n) : options.weights;
      const auto total =
          static_cast<double>(weighted ? std::reduce(weights.begin(), weights.end()) : static_cast<std::int64_t>(n));
      replicates_.push_back(
          {Open(options.classes, options.n_classes, weights, *options.xlogx), 1.0 / (total * options.xlogx->scale())});
    }
  }

  Step keep(std::span<const std::uint32_t>, std::span<const std::uint32_t> kept, Interrupt&) override {
    return accept(kept.front(), information(kept.front()));
  }

  std::optional<Step> next(std::span<const std::uint32_t> selected, Interrupt& interrupt) override {
    std::optional<double> here;  // known where the last comparison has left it
    while (series_.n_walked < order_.size() && !settled()) {
      interrupt.check();
      const std::uint32_t feature = order_[series_.n_walked++];
      if (selected.empty()) return accept(feature, information(feature));
      if (!here) here = evaluate(feature);
      const bool is_last = series_.n_walked == order_.size();
      const double there = is_last ? 0.0 : evaluate(order_[series_.n_walked]);
      series_.examined.push_back(feature);
      series_.value.push_back(*here);
      series_.successor_value.push_back(there);
      if (*here > there + kMarginBits && (!is_last || options_.take_last)) return accept(feature, *here);
      here = there;
    }
    return std::nullopt;
  }

  SearchResult seen() const override {
    SearchResult result;
    result.n_evaluations = n_evaluations_;
    result.walk = series_;
    return result;
  }

 private:
  using Open = typename Rows::Open;

  static std::vector<std::uint8_t> absent_rows(const CmiOptions& options) {
    std::vector<std::uint8_t> absent(options.n_rows(), !options.weights.empty());
    for (std::size_t i = 0; i < options.weights.size(); ++i) {
      if (options.weights[i] > 0) absent[i % options.n_rows()] = 0;
    }
    return absent;
  }

  bool settled() const {
    return std::all_of(replicates_.begin(), replicates_.end(), [](const auto& r) { return r.open.settled(); });
  }

  // Returns the mean over replicates.
  template <class Value>
  double mean_of(Value value) {
    double sum = 0.0;
    for (auto& replicate : replicates_) sum += replicate.bits(value(replicate.open));
    return sum / static_cast<double>(replicates_.size());
  }

  double information(std::uint32_t feature) {
    const auto& column = rows_.read(feature);
    return mean_of([&](Open& open) { return open.information(column); });
  }

  double evaluate(std::uint32_t feature) {
    ++n_evaluations_;
    return information(feature);
  }

  Step accept(std::uint32_t feature, double gain) {
    const auto& column = rows_.read(feature);
    for (auto& replicate : replicates_) replicate.open.refine(column);
    blocks_.refine(column);
    series_.unknown.push_back(mean_of([](const Open& open) { return open.unknown(); }));
    series_.n_blocks.push_back(blocks_.n_blocks());
    return {feature, gain, options_.relevance[feature]};
  }

  CmiOptions options_;
  std::vector<std::uint32_t> order_;
  std::vector<Replicate<Open>> replicates_;
  typename Rows::Numbers blocks_;
  Rows rows_;
  WalkSeries series_;
  std::size_t n_evaluations_ = 0;
};

}  // namespace

ForwardSearch cmi_walk(const CmiOptions& options) {
  if (options.table->has_lists()) return {std::make_unique<CmiCriterion<SomeRows>>(options), options};
  return {std::make_unique<CmiCriterion<AllRows>>(options), options};
}

}  // namespace thresher
