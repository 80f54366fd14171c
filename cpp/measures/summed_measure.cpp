#include "measures/summed_measure.hpp"

#include <cmath>
#include <stdexcept>
#include <string>
#include <utility>

#include "measures/range.hpp"

namespace thresher {
namespace {

// Of the 106 bits of a sum of squares this many may be lost to the distance of the mean from the centre.
constexpr double kDigitsLost = 0x1p-44;

bool is_finite(DoubleDouble value) { return std::isfinite(value.hi) && std::isfinite(value.lo); }

void reject(std::size_t feature, const std::string& why) {
  throw std::invalid_argument("the sums delivered for feature " + std::to_string(feature) + " " + why);
}

void check_column(const DeliveredColumns& columns, std::size_t feature) {
  const Range range{columns.minimum[feature], columns.maximum[feature]};
  if (!(range.low <= range.high) || !std::isfinite(range.magnitude())) reject(feature, "have no finite range");
  if (range.scale() != 0) {
    reject(feature, "are of values beyond 1e140, or closer than 1e-140, which cannot be added up; scale the column");
  }
  const double centre = columns.centre[feature];
  if (centre != 0.0 && range.centre(centre) != centre) {
    reject(feature, "are about a centre from which differences are not exact; take exact_centres");
  }
}

}  // namespace

SummedPairs::SummedPairs(std::shared_ptr<MomentSource> source, DeliveredColumns columns, PartSets sets,
                         std::size_t round_size, NumericKind kind)
    : DeliveredMeasure(std::move(sets), round_size),
      source_(std::move(source)),
      centre_(std::move(columns.centre)),
      kept_(centre_.size() * n_replicates()),
      kind_(kind) {
  columns.centre = centre_;
  const std::size_t n_parts = this->sets().n_parts();
  if (columns.minimum.size() != n_features() || columns.maximum.size() != n_features() ||
      columns.sums.size() != n_features() * n_parts) {
    throw std::invalid_argument("sums, centres, minimum and maximum must be those of the same features");
  }
  for (std::size_t feature = 0; feature < n_features(); ++feature) {
    check_column(columns, feature);
    for (std::size_t part = 0; part < n_parts; ++part) {
      const ClassSum& sums = columns.sums[feature * n_parts + part];
      const DoubleDouble rows = columns.sums[part].n;
      if (!is_finite(sums.n) || !is_finite(sums.x) || !is_finite(sums.xx)) reject(feature, "are not finite");
      if (sums.n.hi != rows.hi || sums.n.lo != rows.lo) reject(feature, "are of other rows than those of feature 0");
      for (std::size_t r = 0; r < n_replicates(); ++r) {
        if (!this->sets().keeps(r, part)) continue;
        ClassSum& kept = kept_[feature * n_replicates() + r];
        for (const auto member : {&ClassSum::n, &ClassSum::x, &ClassSum::xx}) kept.*member += sums.*member;
      }
    }
    if (kind == NumericKind::cosine || columns.minimum[feature] == columns.maximum[feature]) continue;
    for (std::size_t r = 0; r < n_replicates(); ++r) {
      const ClassSum& kept = kept_[feature * n_replicates() + r];
      if (!(kept.n.hi > 0.0)) continue;
      const double scatter = (kept.xx - kept.x * kept.x / kept.n).hi;
      if (scatter < kDigitsLost * kept.xx.hi && scatter > kNothing * kept.xx.hi) {
        reject(feature, "are about a centre too distant from its values; use exact_centres, or subtract a constant");
      }
    }
  }
}

void SummedPairs::fetch(const PairRequest& request, std::span<double* const> out) {
  const std::size_t n_parts = sets().n_parts();
  std::vector<DoubleDouble> products(out.size() * n_parts);
  source_->sum(request, products);
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::uint32_t feature = request.features[i], reference = request.references[i];
    for (std::size_t r = 0; r < n_replicates(); ++r) {
      const ClassSum& x = kept_[feature * n_replicates() + r];
      const ClassSum& y = kept_[reference * n_replicates() + r];
      PairSums sums{{x.n, x.x, y.x, x.xx, y.xx, {}}, centre_[feature], centre_[reference]};
      for (std::size_t part = 0; part < n_parts; ++part) {
        if (sets().keeps(r, part)) sums.xy += products[i * n_parts + part];
      }
      // No sum of products is larger than both sums of squares allow; NaN and infinities are not smaller either.
      const double most = std::sqrt(x.xx.hi) * std::sqrt(y.xx.hi) * (1.0 + 0x1p-40);
      if (!is_finite(sums.xy) || !(std::fabs(sums.xy.hi) <= most)) {
        throw std::invalid_argument("the sums delivered for features " + std::to_string(feature) + " and " +
                                    std::to_string(reference) +
                                    " are not finite or do not fit those of the columns; every block of rows must "
                                    "be counted once");
      }
      out[i][r] = sums.value(kind_);
    }
  }
}

}  // namespace thresher
