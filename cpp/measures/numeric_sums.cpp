#include "measures/numeric_sums.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace thresher {
namespace {

DoubleDouble squared(DoubleDouble value) { return value * value; }

// Returns the sum of squares, or of products, about the means.
DoubleDouble about_means(DoubleDouble products, DoubleDouble x, DoubleDouble y, DoubleDouble n) {
  return products - x * y / n;
}

double mean_of(double centre, DoubleDouble sum, DoubleDouble n) { return centre + sum.hi / n.hi; }

DoubleDouble signed_by(DoubleDouble value, double sign) { return {sign * value.hi, sign * value.lo}; }

}  // namespace

PairSums PairSums::about(double to_x, double to_y) const {
  // x - to = (x - centre) + shift
  const DoubleDouble shift_x = two_sum(centre_x, -to_x);
  const DoubleDouble shift_y = two_sum(centre_y, -to_y);
  PairSums moved = *this;
  moved.centre_x = to_x;
  moved.centre_y = to_y;
  moved.x = x + n * shift_x;
  moved.y = y + n * shift_y;
  moved.xx = xx + (x + moved.x) * shift_x;
  moved.yy = yy + (y + moved.y) * shift_y;
  moved.xy = xy + x * shift_y + moved.y * shift_x;
  return moved;
}

void PairSums::add(const PairSums& other, double sign) {
  const DoubleDouble rows = n + signed_by(other.n, sign);
  if (!(rows.hi > 0.0)) {
    *this = {};
    return;
  }
  const double share = sign * other.n.hi / rows.hi;
  const double to_x = n.hi > 0.0 ? mean_of(centre_x, x, n) : 0.0;
  const double to_y = n.hi > 0.0 ? mean_of(centre_y, y, n) : 0.0;
  const double its_x = other.n.hi > 0.0 ? mean_of(other.centre_x, other.x, other.n) : to_x;
  const double its_y = other.n.hi > 0.0 ? mean_of(other.centre_y, other.y, other.n) : to_y;
  PairSums sum = about(to_x + share * (its_x - to_x), to_y + share * (its_y - to_y));
  const PairSums its = other.about(sum.centre_x, sum.centre_y);
  sum.n = rows;
  for (const auto member : {&PairedSums::x, &PairedSums::y, &PairedSums::xx, &PairedSums::yy, &PairedSums::xy}) {
    sum.*member = sum.*member + signed_by(its.*member, sign);
  }
  *this = sum;
}

double PairSums::value(NumericKind kind) const {
  if (!(n.hi > 0.0)) return 0.0;
  if (kind == NumericKind::cosine && (centre_x != 0.0 || centre_y != 0.0)) return about(0.0, 0.0).value(kind);
  DoubleDouble square_x = xx, square_y = yy, cross = xy;
  if (kind != NumericKind::cosine) {
    square_x = about_means(xx, x, x, n);
    square_y = about_means(yy, y, y, n);
    cross = about_means(xy, x, y, n);
  }
  if (!(square_x.hi > kNothing * xx.hi) || !(square_y.hi > kNothing * yy.hi)) return 0.0;
  const DoubleDouble square = (cross / square_x) * (cross / square_y);
  const DoubleDouble one{1.0};
  DoubleDouble share;
  if (kind == NumericKind::mici) {
    const int apart = 2 * (scale_x - scale_y);
    share = square_y / square_x;
    share = {std::ldexp(share.hi, apart), std::ldexp(share.lo, apart)};
    if (share.hi > 1.0) share = std::isfinite(share.hi) ? one / share : DoubleDouble{};
  }
  const DoubleDouble value = pair_formula(kind, square_root(square), square.hi < 1.0 ? square : one, share, n);
  return kind == NumericKind::f ? round_significant(value) : round_bounded(value);
}

ClassSums ClassSums::about(double to) const {
  ClassSums moved = *this;
  moved.centre = to;
  const DoubleDouble shift = two_sum(centre, -to);
  for (ClassSum& sum : moved.classes) {
    const DoubleDouble before = sum.x;
    sum.x = sum.x + sum.n * shift;
    sum.xx = sum.xx + (before + sum.x) * shift;
  }
  return moved;
}

void ClassSums::add(const ClassSums& other, double sign) {
  const auto mean = [](const ClassSums& sums, double& rows) {
    rows = 0.0;
    double total = 0.0;
    for (const ClassSum& sum : sums.classes) {
      rows += sum.n.hi;
      total += sum.x.hi;
    }
    return rows > 0.0 ? sums.centre + total / rows : 0.0;
  };
  double own_rows = 0.0, its_rows = 0.0;
  const double own_mean = mean(*this, own_rows);
  const double its_mean = mean(other, its_rows);
  const double rows = own_rows + sign * its_rows;
  const double share = rows > 0.0 ? sign * its_rows / rows : 0.0;
  *this = about(own_mean + (its_rows > 0.0 ? share * (its_mean - own_mean) : 0.0));
  const ClassSums its = other.about(centre);
  classes.resize(std::max(classes.size(), its.classes.size()));
  for (std::size_t c = 0; c < its.classes.size(); ++c) {
    for (const auto member : {&ClassSum::n, &ClassSum::x, &ClassSum::xx}) {
      classes[c].*member = classes[c].*member + signed_by(its.classes[c].*member, sign);
    }
    if (!(classes[c].n.hi > 0.0)) classes[c] = {};
  }
}

double ClassSums::value(ClassKind kind) const {
  Scatter<DoubleDouble> scatter{{}, {}, {}, 0};
  DoubleDouble sum, squares, mean, spread;
  for (const ClassSum& own : classes) {
    if (!(own.n.hi > 0.0)) continue;
    ++scatter.n_classes;
    const DoubleDouble explained = squared(own.x) / own.n;
    scatter.n = scatter.n + own.n;
    sum = sum + own.x;
    squares = squares + own.xx;
    scatter.between = scatter.between + explained;
    scatter.within = scatter.within + (own.xx - explained);
    mean = own.x / own.n - mean;
    spread = spread + (own.xx - explained) / own.n;
  }
  if (scatter.n_classes < 2) return 0.0;
  scatter.between = scatter.between - squared(sum) / scatter.n;
  if (!(scatter.between.hi + scatter.within.hi > kNothing * squares.hi)) return 0.0;
  if (kind != ClassKind::fir) return rounded(kind, scatter_formula(kind, scatter));
  const DoubleDouble square = squared(mean);
  if (!(square.hi > kSmallestRatio * spread.hi)) return 0.0;
  if (!(spread.hi > kSmallestRatio * square.hi)) return std::numeric_limits<double>::infinity();
  return round_significant(square_root(square / spread));
}

}  // namespace thresher
