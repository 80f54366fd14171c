#include "core/isa.hpp"

#include <cstdint>
#include <cstdlib>

#if defined(THRESHER_X86_LEVELS)
#include <cpuid.h>
#endif

namespace thresher {
namespace {

#if defined(THRESHER_X86_LEVELS)
struct Registers {
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
};

// Zeros where the processor does not know the leaf.
Registers cpuid(std::uint32_t leaf) {
  Registers found;
  return __get_cpuid_count(leaf, 0, &found.a, &found.b, &found.c, &found.d) ? found : Registers();
}

bool has_all(std::uint32_t features, std::uint32_t wanted) { return (features & wanted) == wanted; }

// Bits of the register sets that the system saves when threads change.
constexpr std::uint32_t kAvxState = 0x06;
constexpr std::uint32_t kAvx512State = 0xe6;

std::uint32_t saved_state() {
  std::uint32_t low = 0, high = 0;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return low;
}
#endif

// By the instruction cpuid: the builtin of GCC and Clang needs a library that clang-cl does not link. Features, not
// processor models: a list of models misses every processor made after it.
IsaLevel detect() {
#if defined(THRESHER_X86_LEVELS)
  const Registers first = cpuid(1);
  const Registers more = cpuid(7);
  if (!has_all(first.c, bit_SSE4_2 | bit_POPCNT)) return IsaLevel::baseline;
  const std::uint32_t state = has_all(first.c, bit_OSXSAVE) ? saved_state() : 0;
  if (!has_all(state, kAvxState) || !has_all(first.c, bit_AVX | bit_FMA) ||
      !has_all(more.b, bit_AVX2 | bit_BMI | bit_BMI2)) {
    return IsaLevel::popcnt;
  }
  constexpr std::uint32_t kAvx512 = bit_AVX512F | bit_AVX512BW | bit_AVX512DQ | bit_AVX512VL;
  if (!has_all(state, kAvx512State) || !has_all(more.b, kAvx512) || !has_all(more.c, bit_AVX512VPOPCNTDQ)) {
    return IsaLevel::avx2;
  }
  return IsaLevel::avx512;
#else
  return IsaLevel::baseline;
#endif
}

// A level above what the processor has falls back to the best it has: the result is the same.
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
