"""FCBF as Yu and Liu define it."""

from __future__ import annotations


def fcbf(relevance, redundancy, threshold=0.0, candidates=None, kept=()):
    """Return the selected features and the number of pairs evaluated."""
    p = len(relevance)
    left = [
        f
        for f in sorted(range(p), key=lambda f: (-relevance[f], f))
        if relevance[f] > threshold and (candidates is None or candidates[f]) and f not in kept
    ]
    out, n_pairs = [], 0
    queue = list(kept)
    while queue or left:
        feature = queue.pop(0) if queue else left.pop(0)
        out.append(feature)
        n_pairs += len(left)
        left = [q for q in left if not redundancy[feature][q] >= relevance[q]]
    return out, n_pairs
