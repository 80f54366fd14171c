"""Greedy selection by criteria that accumulate one term per selected feature."""

from __future__ import annotations

CRITERIA = {
    "sum": lambda relevance, terms: sum(terms),
    "minus-sum": lambda relevance, terms: relevance - sum(terms),
    "minus-positive-sum": lambda relevance, terms: relevance - sum(max(0.0, t) for t in terms),
    "smallest": lambda relevance, terms: min(terms),
    "smallest-and-relevance": lambda relevance, terms: min(relevance, *terms),
}


def greedy_accumulate(relevance, term, n_select, accumulation, candidates=None, kept=()):
    """Return selected features and scores; ``term[g][f]`` is the term of candidate f with selected g."""
    p = len(relevance)
    left = [f for f in range(p) if (candidates is None or candidates[f]) and f not in kept]
    selected, scores = [], []

    def score(f):
        if not selected:
            return relevance[f]
        return CRITERIA[accumulation](relevance[f], [term[g][f] for g in selected])

    for f in kept:
        scores.append(score(f))
        selected.append(f)
    while left and len(selected) < n_select:
        values = [score(f) for f in left]
        best = values.index(max(values))
        scores.append(values[best])
        selected.append(left.pop(best))
    return selected, scores
