// The distance of two features: by their similarity, and by the information of each on the target.
#pragma once

#include <cmath>

namespace thresher {

inline double feature_distance(double similarity, double relevance, double other) {
  return (1.0 - similarity + std::abs(relevance - other)) / 2.0;
}

}  // namespace thresher
