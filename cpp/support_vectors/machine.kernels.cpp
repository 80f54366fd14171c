#include <limits>

#include "support_vectors/machine_kernels.hpp"

namespace thresher::THRESHER_LEVEL {
namespace {

constexpr std::size_t kLanes = 16;
constexpr double kNever = -std::numeric_limits<double>::infinity();

inline double larger(double a, double b) { return a > b ? a : b; }

double largest(const double* lanes) {
  double most = lanes[0];
  for (std::size_t lane = 1; lane < kLanes; ++lane) most = larger(lanes[lane], most);
  return most;
}

RowFound steepest(const double* gradient, const double* allowed, std::size_t n) {
  double lanes[kLanes];
  for (double& lane : lanes) lane = kNever;
  std::size_t i = 0;
  for (; i + kLanes <= n; i += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) {
      lanes[lane] = larger(gradient[i + lane] + allowed[i + lane], lanes[lane]);
    }
  }
  for (; i < n; ++i) lanes[0] = larger(gradient[i] + allowed[i], lanes[0]);
  const double most = largest(lanes);
  if (most == kNever) return {n, most};
  std::size_t row = 0;
  while (gradient[row] + allowed[row] != most) ++row;
  return {row, most};
}

RowFound partner(const double* gradient, const double* allowed, const double* row, const double* diagonal, double top,
                 double own, std::size_t n, double* gains, double* most) {
  double best_lanes[kLanes] = {};
  double slope_lanes[kLanes];
  for (double& lane : slope_lanes) lane = kNever;
  const auto visit = [&](std::size_t j, std::size_t lane) {
    const double slope = (top - gradient[j]) + allowed[j];
    slope_lanes[lane] = larger(slope, slope_lanes[lane]);
    const double gain = slope * slope / larger(own + diagonal[j] - 2.0 * row[j], kLeastCurvature);
    gains[j] = slope > 0.0 ? gain : 0.0;
    best_lanes[lane] = larger(gains[j], best_lanes[lane]);
  };
  std::size_t j = 0;
  for (; j + kLanes <= n; j += kLanes) {
    for (std::size_t lane = 0; lane < kLanes; ++lane) visit(j + lane, lane);
  }
  for (; j < n; ++j) visit(j, 0);
  *most = largest(slope_lanes);
  const double best = largest(best_lanes);
  if (!(best > 0.0)) return {n, 0.0};
  std::size_t found = 0;
  while (gains[found] != best) ++found;
  return {found, best};
}

void descend(double* gradient, double move, const double* row, const double* other, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) gradient[i] -= move * (row[i] - other[i]);
}

}  // namespace

extern const MachineKernels machine_kernels;
const MachineKernels machine_kernels = {steepest, partner, descend};

}  // namespace thresher::THRESHER_LEVEL
