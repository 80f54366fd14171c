"""Gram-Schmidt orthogonalisation: the largest squared partial correlation given those chosen."""

from __future__ import annotations

import numpy as np

from .rrct import COLLINEAR, Steps, explained, indicators, is_exhausted, lowest_near_best


def gso(X, y, n_features, *, nominal=False, keep=()):
    """Select by squared partial correlation of raw columns with y; stop when y is used up."""
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


def inner_gso(X, y, part, n_features, *, nominal=False):
    """Select by scores that are means over the replicates, each without the rows of one part."""
    replicates = []
    for i in np.unique(part):
        rows = X[part != i]
        labels = y[part != i]
        target = indicators(labels) if nominal else np.asarray(labels, dtype=float)[:, None]
        replicates.append((rows, target))
    steps = Steps()
    pool = [j for j in range(X.shape[1]) if np.ptp(X[:, j]) > 0]

    def squared(j, rows, target):
        if np.ptp(rows[:, j]) == 0:
            return None
        rp, share = explained(rows[:, j], target, given_on(rows), nominal)
        return rp * rp if share > COLLINEAR else None

    def given_on(rows):
        given = rows[:, steps.selected]
        return given[:, np.ptp(given, axis=0) > 0]

    def used_up(rows, target):
        if not steps.selected:
            return False
        n_lost = len(steps.selected) - given_on(rows).shape[1]
        return is_exhausted(target, given_on(rows), len(rows) - n_lost, nominal)

    while len(steps.selected) < n_features and pool:
        alive = [not used_up(*replicate) for replicate in replicates]
        if not any(alive):
            break
        scores = {}
        for j in pool:
            values = [squared(j, *replicate) for replicate in replicates]
            if all(value is None for value in values):
                continue
            values_used = [v or 0.0 if ok else 0.0 for v, ok in zip(values, alive, strict=True)]
            scores[j] = sum(values_used) / len(values_used)
        if not scores:
            break
        best = lowest_near_best(scores)
        steps.selected.append(best)
        steps.scores.append(scores[best])
        pool.remove(best)
    return steps
