"""CFS from the definition of the merit: greedy forward, and Weka's best-first search."""

from __future__ import annotations

import math


def merit(subset, relevance, redundancy):
    """Return the summed relevance over the root of the size plus twice the summed redundancy of pairs."""
    if not subset:
        return 0.0
    pairs = sum(redundancy[f][g] for i, f in enumerate(subset) for g in subset[:i])
    return sum(relevance[f] for f in subset) / math.sqrt(len(subset) + 2 * pairs)


def cfs_forward(relevance, redundancy, n_select=None, candidates=None, kept=()):
    """Return the selected features and the merit after each."""
    p = len(relevance)
    left = [f for f in range(p) if (candidates is None or candidates[f]) and f not in kept]
    selected, merits = [], []
    for f in kept:
        selected.append(f)
        merits.append(merit(selected, relevance, redundancy))
    while left and (n_select is None or len(selected) < n_select):
        gains = [merit([*selected, f], relevance, redundancy) for f in left]
        best = max(gains)
        if not best > (merits[-1] if merits else 0.0):
            break
        selected.append(left.pop(gains.index(best)))
        merits.append(best)
    return selected, merits


def cfs_best_first(relevance, redundancy, max_stale=5, min_gain=1e-5, zero_to_one=False,
                   locally_predictive=False, candidates=None, kept=()):  # fmt: skip
    """Return the selected features (kept ones, then by column), the best merit and the number of distinct subsets."""
    p = len(relevance)
    if zero_to_one:
        redundancy = [[1.0 if v < 1e-6 else v for v in row] for row in redundancy]
    usable = [f for f in range(p) if (candidates is None or candidates[f]) and f not in kept]
    start = tuple(sorted(kept))
    best, best_merit = start, merit(start, relevance, redundancy)
    seen = {start: best_merit}
    open_list = [(best_merit, start)]
    stale = 0
    while stale < max_stale and open_list:
        _, head = open_list.pop(0)
        progress = False
        for f in usable:
            if f in head:
                continue
            subset = tuple(sorted([*head, f]))
            if subset not in seen:
                seen[subset] = merit(subset, relevance, redundancy)
            value = seen[subset]
            index = next((i for i, (m, _) in enumerate(open_list) if value > m), len(open_list))
            open_list.insert(index, (value, subset))
            del open_list[max_stale:]
            if value - best_merit > min_gain:
                best, best_merit, progress = subset, value, True
        stale = 0 if progress else stale + 1
    chosen = list(best)
    if locally_predictive:
        for f in sorted(set(usable) - set(chosen), key=lambda f: (-relevance[f], f)):
            if not any(redundancy[f][g] > relevance[f] for g in chosen):
                chosen.append(f)
    return [*kept, *sorted(set(chosen) - set(kept))], best_merit, len(seen)
