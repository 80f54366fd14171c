#include "core/isa.hpp"

#include <cstdlib>
#include <string>

namespace thresher {
namespace {

IsaLevel detect() {
#if defined(THRESHER_X86_LEVELS)
  __builtin_cpu_init();
  // Features, not processor models: a list of models misses every processor made after it.
  const bool has_avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
                        __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                        __builtin_cpu_supports("popcnt");
  if (has_avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512vpopcntdq")) {
    return IsaLevel::avx512;
  }
  if (has_avx2) return IsaLevel::avx2;
  if (__builtin_cpu_supports("sse4.2") && __builtin_cpu_supports("popcnt")) return IsaLevel::popcnt;
#endif
  return IsaLevel::baseline;
}

// A level above what the processor has falls back to the best it has: the answer is the same.
IsaLevel choose() {
  const IsaLevel best = best_isa_level();
  const char* wanted = std::getenv("THRESHER_ISA");
  if (wanted == nullptr) return best;
  for (const IsaLevel level : {IsaLevel::baseline, IsaLevel::popcnt, IsaLevel::avx2, IsaLevel::avx512}) {
    if (isa_level_name(level) == wanted) return level < best ? level : best;
  }
  return best;
}

}  // namespace

IsaLevel best_isa_level() {
  static const IsaLevel level = detect();
  return level;
}

IsaLevel isa_level() {
  static const IsaLevel level = choose();
  return level;
}

std::string_view isa_level_name(IsaLevel level) {
  switch (level) {
    case IsaLevel::avx512: return "avx512";
    case IsaLevel::avx2: return "avx2";
    case IsaLevel::popcnt: return "popcnt";
    case IsaLevel::baseline: break;
  }
  return "baseline";
}

}  // namespace thresher
