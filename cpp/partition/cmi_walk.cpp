#include "partition/cmi_walk.hpp"

#include <algorithm>
#include <cmath>

#include "partition/row_blocks.hpp"

namespace thresher {
namespace {

// Equal values from different counts differ by a few units of the fixed point; a larger value must be larger by this.
constexpr double kMarginBits = 1e-10;

std::uint64_t total_weight(const CmiTask& task) {
  if (task.weights.empty()) return task.n_rows();
  std::uint64_t total = 0;
  for (const std::int64_t weight : task.weights) total += static_cast<std::uint64_t>(weight);
  return total;
}

class Walk {
 public:
  Walk(const CmiTask& task, Interrupt& interrupt)
      : task_(task),
        interrupt_(interrupt),
        xlogx_(total_weight(task)),
        open_(task.classes, task.n_classes, task.weights, xlogx_),
        blocks_(task.n_rows()),
        codes_(task.n_rows()),
        unit_(1.0 / (static_cast<double>(xlogx_.n()) * xlogx_.scale())),
        margin_(static_cast<std::int64_t>(kMarginBits / unit_)) {}

  CmiResult run() {
    for (const std::uint32_t feature : task_.kept) accept(feature, information(feature));
    // The value of the feature at hand, where the last comparison has left it.
    bool known = false;
    std::int64_t here = 0;
    for (std::size_t i = 0; i < task_.order.size() && !done(); ++i) {
      interrupt_.check();
      const std::uint32_t feature = task_.order[i];
      ++result_.n_walked;
      if (result_.selected.empty()) {
        accept(feature, information(feature));
        continue;
      }
      if (!known) here = evaluate(feature);
      const bool is_last = i + 1 == task_.order.size();
      const std::int64_t next = is_last ? 0 : evaluate(task_.order[i + 1]);
      result_.examined.push_back(feature);
      result_.value.push_back(bits(here));
      result_.successor_value.push_back(bits(next));
      const bool taken = here > next + margin_ && (!is_last || task_.take_last);
      if (taken) accept(feature, here);
      known = !taken;
      here = next;
    }
    return std::move(result_);
  }

 private:
  bool done() const { return result_.selected.size() >= task_.n_wanted || open_.settled(); }
  double bits(std::int64_t value) const { return static_cast<double>(std::max<std::int64_t>(value, 0)) * unit_; }

  std::int64_t information(std::uint32_t feature) {
    task_.read(feature, codes_.data());
    return open_.information(codes_.data());
  }

  std::int64_t evaluate(std::uint32_t feature) {
    ++result_.n_evaluations;
    return information(feature);
  }

  void accept(std::uint32_t feature, std::int64_t value) {
    task_.read(feature, codes_.data());
    open_.refine(codes_.data());
    blocks_.refine(codes_.data());
    result_.selected.push_back(feature);
    result_.gain.push_back(bits(value));
    result_.unknown.push_back(bits(open_.unknown()));
    result_.n_blocks.push_back(blocks_.n_blocks());
  }

  const CmiTask& task_;
  Interrupt& interrupt_;
  XLogX xlogx_;
  OpenBlocks open_;
  BlockNumbers blocks_;
  std::vector<std::uint8_t> codes_;
  double unit_;
  std::int64_t margin_;
  CmiResult result_;
};

}  // namespace

CmiResult cmi_walk(const CmiTask& task, Interrupt& interrupt) { return Walk(task, interrupt).run(); }

}  // namespace thresher
