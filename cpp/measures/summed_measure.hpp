// Measures of numbers over sums from another source.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "measures/delivered_measure.hpp"
#include "measures/numeric_sums.hpp"

namespace thresher {

// The source of the sums.
class MomentSource {
 public:
  virtual ~MomentSource() = default;
  // The sums of all rows: those that product_sums gives of each block, added up.
  virtual void sum(const PairRequest& request, std::span<DoubleDouble> products) = 0;
};

// Facts of the columns, delivered once, before any pair.
struct DeliveredColumns {
  std::vector<double> centre, minimum, maximum;  // one per feature
  std::vector<ClassSum> sums;                    // feature after feature: one per part
};

class SummedPairs final : public DeliveredMeasure {
 public:
  // Throws std::invalid_argument on sums that do not fit, or that leave too few digits for the same bits as in memory.
  SummedPairs(std::shared_ptr<MomentSource> source, DeliveredColumns columns, PartSets sets, std::size_t round_size,
              NumericKind kind);

  std::size_t n_features() const override { return centre_.size(); }

 protected:
  void fetch(const PairRequest& request, std::span<double* const> out) override;

 private:
  std::shared_ptr<MomentSource> source_;
  std::vector<double> centre_;
  std::vector<ClassSum> kept_;  // [feature * n_replicates + replicate]
  NumericKind kind_;
};

}  // namespace thresher
