// The instruction-set level the kernels run at.
//
// Every *.kernels.cpp is compiled once per level and defines its functions in namespace thresher::<level>.
// All levels give the same bits, so the choice is invisible but for speed.
#pragma once

#include <string_view>

namespace thresher {

enum class IsaLevel { baseline, popcnt, avx2, avx512 };

// Returns the level in use: the best this processor has, or the one that the environment variable THRESHER_ISA names.
IsaLevel isa_level();

// Returns the best level this processor and this build have.
IsaLevel best_isa_level();

std::string_view isa_level_name(IsaLevel level);

// Picks among the builds of one kernel table. Use through THRESHER_DISPATCH.
template <class Table>
const Table& pick_level(const Table& baseline, [[maybe_unused]] const Table& popcnt, [[maybe_unused]] const Table& avx2,
                        [[maybe_unused]] const Table& avx512) {
  switch (isa_level()) {
    case IsaLevel::avx512: return avx512;
    case IsaLevel::avx2: return avx2;
    case IsaLevel::popcnt: return popcnt;
    case IsaLevel::baseline: break;
  }
  return baseline;
}

}  // namespace thresher

// THRESHER_DECLARE_KERNELS(Table, name): declares `extern const Table name` in each level's namespace.
// THRESHER_DISPATCH(name): the table of the level in use.
#if defined(THRESHER_X86_LEVELS)
#define THRESHER_DECLARE_KERNELS(Table, name)     \
  namespace baseline { extern const Table name; } \
  namespace popcnt { extern const Table name; }   \
  namespace avx2 { extern const Table name; }     \
  namespace avx512 { extern const Table name; }
#define THRESHER_DISPATCH(name)                                                                        \
  ::thresher::pick_level(::thresher::baseline::name, ::thresher::popcnt::name, ::thresher::avx2::name, \
                         ::thresher::avx512::name)
#else
#define THRESHER_DECLARE_KERNELS(Table, name) \
  namespace baseline { extern const Table name; }
#define THRESHER_DISPATCH(name) (::thresher::baseline::name)
#endif
