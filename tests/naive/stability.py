"""Stability indices and the cost model, term by term from their definitions."""

from __future__ import annotations

import math
from itertools import combinations


def jaccard(a, b):
    a, b = set(a), set(b)
    return len(a & b) / len(a | b) if a | b else 1.0


def mean_jaccard(sets):
    pairs = list(combinations(sets, 2))
    return sum(jaccard(a, b) for a, b in pairs) / len(pairs) if pairs else 1.0


def kuncheva(sets, p):
    k = len(sets[0])
    values = [
        (len(set(a) & set(b)) - k * k / p) / (k - k * k / p) for a, b in combinations(sets, 2)
    ]
    return sum(values) / len(values)


def nogueira(sets, p):
    spread, binomial = nogueira_terms(sets, p, [1.0] * len(sets))
    return 1 - len(sets) / (len(sets) - 1) * spread / binomial


def nogueira_terms(sets, p, weights):
    """Return the mean variance of the features' indicators, and the variance of one drawn at random."""
    total = sum(weights)
    share = [
        sum(w for w, members in zip(weights, sets, strict=True) if f in members) / total
        for f in range(p)
    ]
    mean_size = sum(share)
    return sum(q * (1 - q) for q in share) / p, mean_size / p * (1 - mean_size / p)


def nogueira_standard_error(sets, p, step=1e-4):
    """Return the standard error by the delta method, from differences with the weight of each run."""
    value = nogueira(sets, p)
    binomial = nogueira_terms(sets, p, [1.0] * len(sets))[1]

    def moved(i, by):
        weights = [1.0 + by * (j == i) for j in range(len(sets))]
        spread, other = nogueira_terms(sets, p, weights)
        return ((1 - value) * other - spread) / binomial

    slopes = [(moved(i, step) - moved(i, -step)) / (2 * step) for i in range(len(sets))]
    return math.sqrt(sum(s * s for s in slopes))


def weighted_consistency(counts, runs):
    total = sum(counts)
    return sum(c * (c - 1) for c in counts) / (total * (runs - 1))


def weighted_consistency_range(total, runs, p):
    """Return the smallest and largest value over all ways to distribute `total` members, by enumeration."""
    values = [weighted_consistency(c, runs) for c in _placements(total, runs, p)]
    return min(values), max(values)


def _placements(total, runs, p):
    if p == 0:
        if total == 0:
            yield ()
        return
    for count in range(min(total, runs) + 1):
        for rest in _placements(total - count, runs, p - 1):
            yield (count, *rest)


def pairs_plain(p, k):
    return p + sum(p - j for j in range(1, k))


def pairs_fast(lists, p, k):
    """Run the cache of Algorithm 2 and count what it has to fill."""
    seen = set()
    for entries in lists:
        for position, chosen in enumerate(entries[: k - 1], start=1):
            for other in range(p):
                if other not in entries[:position]:
                    seen.add(frozenset((chosen, other)))
    return p + len(seen)


def estimate(p, k, e, jaccard_index, q):
    """Return equation (16), with the recursion (14) for the shares that are already known."""
    ratio = 2 * jaccard_index / (jaccard_index + 1)
    known = []
    for _ in range(e):
        known.append(ratio * sum(1 - share for share in known))
    return p + (k - 1) * q * (e - sum(known))
