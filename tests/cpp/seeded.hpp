// Seeded data and a digest: the same on every platform.
#pragma once

#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

namespace thresher::check {

// SplitMix64. The distributions of the standard library differ between its implementations.
class Stream {
 public:
  explicit Stream(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(next() % n); }
  // In [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  // Bell-shaped around 0.
  double normal() { return uniform() + uniform() + uniform() + uniform() - 2.0; }

 private:
  std::uint64_t state_;
};

// FNV-1a over values in little-endian order. All NaN count as one NaN and -0 as 0: these may differ by processor.
class Digest {
 public:
  template <class T>
  void add(std::span<const T> values) {
    for (const T value : values) add(value);
  }
  template <class T, class Allocator>
  void add(const std::vector<T, Allocator>& values) {
    add(std::span<const T>(values));
  }
  void add(double value) {
    const double kept = std::isnan(value) ? 0x1.8p1023 : value + 0.0;
    add(std::bit_cast<std::uint64_t>(kept));
  }
  template <class T>
    requires std::is_integral_v<T>
  void add(T value) {
    for (std::size_t byte = 0; byte < sizeof(T); ++byte) {
      hash_ = (hash_ ^ (static_cast<std::uint64_t>(value) >> (8 * byte) & 0xff)) * 0x100000001b3;
    }
  }
  std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325;
};

inline void require(bool is_true, const char* claim) {
  if (is_true) return;
  std::printf("FAILED: %s\n", claim);
  std::fflush(stdout);
  std::exit(1);
}

inline bool is_near(double a, double b, double tolerance = 1e-9) {
  return std::abs(a - b) <= tolerance * (1.0 + std::abs(b));
}

// Feature-major numbers, the first features informative about the classes.
struct Problem {
  std::size_t n_rows, n_features;
  std::vector<std::int32_t> classes;
  std::vector<double> columns;
  std::vector<float> single;
  std::vector<std::uint8_t> codes;  // row after row
  std::vector<std::size_t> levels;

  static constexpr std::size_t kClasses = 3;

  const double* column(std::size_t f) const { return columns.data() + f * n_rows; }
  std::uint8_t code(std::size_t row, std::size_t f) const { return codes[row * n_features + f]; }
};

inline Problem make_problem(std::size_t n_rows, std::size_t n_features, std::uint64_t seed) {
  Stream stream(seed);
  Problem problem{n_rows, n_features, {}, {}, {}, std::vector<std::uint8_t>(n_rows * n_features), {}};
  for (std::size_t row = 0; row < n_rows; ++row) {
    problem.classes.push_back(static_cast<std::int32_t>(stream.below(Problem::kClasses)));
  }
  constexpr std::size_t kLevels[] = {2, 3, 4, 5, 9, 10, 40, 200};
  for (std::size_t f = 0; f < n_features; ++f) {
    const std::size_t levels = kLevels[f % 8];
    problem.levels.push_back(levels);
    for (std::size_t row = 0; row < n_rows; ++row) {
      const auto label = static_cast<std::size_t>(problem.classes[row]);
      const double informed = f % 3 == 0 ? 0.7 * static_cast<double>(label) : 0.0;
      problem.columns.push_back(stream.normal() + informed);
      const std::size_t drawn = stream.below(levels);
      const bool copies = f % 4 == 0 && stream.below(3) > 0;
      problem.codes[row * n_features + f] = static_cast<std::uint8_t>(copies ? label % levels : drawn);
    }
  }
  problem.single.assign(problem.columns.begin(), problem.columns.end());
  return problem;
}

}  // namespace thresher::check
