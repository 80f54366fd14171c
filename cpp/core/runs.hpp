// Runs of equal keys in what is sorted by them.
#pragma once

#include <cstddef>
#include <span>

namespace thresher {

// Calls visit(run) for each of the longest runs of entries with equal key(entry), in order.
template <class Entry, class Key, class Visit>
void visit_runs(std::span<Entry> entries, Key key, Visit visit) {
  for (std::size_t begin = 0; begin < entries.size();) {
    std::size_t end = begin + 1;
    while (end < entries.size() && key(entries[end]) == key(entries[begin])) ++end;
    visit(entries.subspan(begin, end - begin));
    begin = end;
  }
}

}  // namespace thresher
