// Risks of sets of features: rows are grouped by their values on the set, and every group has a cost.
//
// All costs are doubles. With integer weights they are integers (or, for the entropy, multiples of a fixed quantum)
// below 2^53, so sums are exact in any order; `tolerance` is then 0, or the entropy's margin.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "consistency/columns.hpp"
#include "core/choices.hpp"
#include "packing/listed_rows.hpp"

namespace thresher::consistency {

// Between rows that no feature separates, or had to separate.
inline constexpr std::int32_t kTogetherInBlock = -1;

enum class RiskMeasure { bayes, binary, pairs, entropy };

inline constexpr Choice<RiskMeasure> kRiskMeasures[] = {{"bayes", RiskMeasure::bayes},
                                                        {"binary", RiskMeasure::binary},
                                                        {"pairs", RiskMeasure::pairs},
                                                        {"entropy", RiskMeasure::entropy}};

// Discrete data and its classes. The memory is the caller's.
struct CodedRows {
  TableColumns* columns = nullptr;
  std::size_t n_rows = 0;
  std::size_t n_features = 0;
  std::span<const std::int32_t> classes;
  std::span<const double> weights;  // none: one each; rows of weight 0 are left out everywhere
  std::size_t n_classes = 0;
  ListedRows* lists = nullptr;  // of the same columns, where some are kept as lists

  // Returns the rows of a feature off its commonest level; valid until the next call.
  const std::vector<CodedTable::Listed>& listed(std::size_t feature) const {
    lists->read(static_cast<std::uint32_t>(feature));
    return lists->rows();
  }
  // Valid until the next call.
  const std::uint8_t* column(std::size_t feature) const { return columns->column(feature); }
  double weight(std::size_t row) const { return weights.empty() ? 1.0 : weights[row]; }
  // Returns the rows that count.
  std::vector<std::uint32_t> used() const;
  bool has_whole_weights() const;
};

// The cost of one group from its weight per class:
//   bayes    all but the largest class            pairs    pairs of rows that differ in class
//   binary   1 if it has two classes               entropy  weight times H(class | group), bits
class GroupCost {
 public:
  GroupCost(RiskMeasure measure, const CodedRows& rows, double tolerance);

  double operator()(const double* class_weights) const;

  // Returns the risk of a partition whose groups cost `sum` together.
  double risk(double sum) const { return measure_ == RiskMeasure::binary && sum > 1.0 ? 1.0 : sum; }

  double tolerance() const { return tolerance_; }
  bool at_most(double risk, double bound) const { return risk <= bound + tolerance_; }

 private:
  double x_log_x(double x) const;

  RiskMeasure measure_;
  std::size_t n_classes_;
  double tolerance_;
  double per_quantum_ = 0.0;     // entropy with integer weights: 1 / quantum
  std::vector<double> x_log_x_;  // the same, for small x
};

// Returns the risk of one set, by refining the rows feature after feature. Groups of one class are not split further.
double subset_risk(const CodedRows& rows, const GroupCost& cost, std::span<const std::uint32_t> features);

}  // namespace thresher::consistency
