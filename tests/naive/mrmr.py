"""Greedy forward selection straight from the definitions, on a table of redundancies."""

from __future__ import annotations

import math

from tests.naive.association import in_bits, log2


def choose(keys, relevance):
    """Return the position of the best key: largest, at +inf by relevance, then the lowest feature."""
    highest = max(keys.values())
    tied = [f for f in keys if keys[f] == highest]
    if highest == math.inf:
        most_relevant = max(relevance[f] for f in tied)
        tied = [f for f in tied if relevance[f] == most_relevant]
    return min(tied)


def key_and_score(objective, weight, offset, r, b, k, unit=1):
    """Return the number compared and the number reported, for relevance r and summed redundancy b."""
    if objective == "difference":
        return (k * r - b if weight == 1 else r - weight * b / k), r - weight * b / k
    if objective == "product":
        r, b = r / unit, weight * (b / unit)
        return log2(r) - b if r > 0 else -math.inf, r * 2.0**-b
    if objective == "sum":
        return r - weight * b, r - weight * b
    if offset == 0:
        if r == 0:
            return 0.0, 0.0
        if b == 0:
            return math.inf, math.inf
        return r / b, r / (b / k)
    return r / (b / k + offset), r / (b / k + offset)


def mrmr(relevance, redundancy, n_select, objective="difference", weight=1.0, offset=0.0,
         candidates=None, kept=(), unit=None):  # fmt: skip
    """Return selected features, scores and mean redundancies; ``redundancy[f][g]`` is the pair value.

    With a `unit`, values are sums over that many replicates, and those of a product are bits.
    """
    p = len(relevance)
    if objective == "product" and unit is None:  # terms are the bits shared
        redundancy = [[in_bits(value) for value in row] for row in redundancy]
    left = [f for f in range(p) if (candidates is None or candidates[f]) and f not in kept]
    selected, scores, means = [], [], []

    def take(f):
        k = len(selected)
        b = sum(redundancy[f][g] for g in selected)
        score = (
            relevance[f]
            if k == 0
            else key_and_score(objective, weight, offset, relevance[f], b, k, unit or 1)[1]
        )
        selected.append(f)
        scores.append(score)
        means.append(b / k if k else 0.0)

    for f in kept:
        take(f)
    while len(selected) < n_select and left:
        k = len(selected)
        if k == 0:
            keys = {f: relevance[f] for f in left}
        else:
            keys = {
                f: key_and_score(
                    objective,
                    weight,
                    offset,
                    relevance[f],
                    sum(redundancy[f][g] for g in selected),
                    k,
                    unit or 1,
                )[0]
                for f in left
            }
        best = choose(keys, relevance)
        left.remove(best)
        take(best)
    return selected, scores, means
