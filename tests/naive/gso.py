"""Gram-Schmidt orthogonalisation: the largest squared partial correlation given those chosen."""

from __future__ import annotations

import numpy as np

from .rrct import COLLINEAR, Steps, explained, indicators, is_exhausted, lowest_near_best


def gso(X, y, n_features, *, nominal=False, keep=()):
    """Squared partial correlation of raw columns with y; stops when y is used up."""
    n_rows, n_columns = X.shape
    target = indicators(y) if nominal else np.asarray(y, dtype=float)[:, None]
    steps = Steps()
    pool = [j for j in range(n_columns) if np.ptp(X[:, j]) > 0 and j not in keep]
    while len(steps.selected) < n_features and (pool or len(steps.selected) < len(keep)):
        given = X[:, steps.selected]
        forced = len(steps.selected) < len(keep)
        if steps.selected and not forced and is_exhausted(target, given, n_rows, nominal):
            break
        scores = {}
        for j in [keep[len(steps.selected)]] if forced else pool:
            rp, share = explained(X[:, j], target, given, nominal)
            if share > COLLINEAR:
                scores[j] = rp * rp
            elif forced:
                scores[j] = 0.0
        if not scores:
            break
        best = lowest_near_best(scores)
        steps.selected.append(best)
        steps.scores.append(scores[best])
        if not forced:
            pool.remove(best)
    return steps
