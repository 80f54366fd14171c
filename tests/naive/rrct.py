"""RRCT and its relatives by explicit regressions, one candidate at a time."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from scipy.stats import rankdata

HALF_LOG = 0.5 * np.log(2 * np.pi * np.e)
COLLINEAR = 1e-10


@dataclass
class Steps:
    """The selected features, step by step."""

    selected: list[int] = field(default_factory=list)
    scores: list[float] = field(default_factory=list)
    relevance: list[float] = field(default_factory=list)
    redundancy: list[float] = field(default_factory=list)
    complementarity: list[float] = field(default_factory=list)


def information(squared):
    """Return the mutual information, in nats, of two Gaussians with this squared correlation."""
    rest = 1 - min(squared, 1.0)
    return -0.5 * np.log(rest) if rest > 1e-12 else 1000.0


def magnitude(squared):
    """Return the absolute correlation."""
    return float(np.sqrt(min(squared, 1.0)))


def sign(value):
    """Return the sign with a dead zone of 1e-12."""
    return 0 if abs(value) <= 1e-12 else int(np.sign(value))


def pearson(a, b):
    """Return the signed correlation; 0 if either is constant."""
    if np.ptp(a) == 0 or np.ptp(b) == 0:
        return 0.0
    a = a - a.mean()
    b = b - b.mean()
    return float(np.clip(a @ b / np.sqrt((a @ a) * (b @ b)), -1, 1))


def residuals(columns, given):
    """Return the residuals of the columns after regression on an intercept and the given columns."""
    columns = columns - columns.mean(axis=0)
    if given.shape[1]:
        given = (given - given.mean(axis=0)) / given.std(axis=0)
        for _ in range(2):
            columns = columns - given @ np.linalg.lstsq(given, columns, rcond=1e-9)[0]
    return columns


def squared_multiple(column, targets, scale):
    """Return the share of the column's variance that the target columns explain."""
    length = np.linalg.norm(column)
    if length == 0:
        return 0.0
    left, values, _ = np.linalg.svd(targets / scale, full_matrices=False)
    basis = left[:, values**2 > COLLINEAR]
    return min(1.0, float(np.sum((basis.T @ (column / length)) ** 2)))


def indicators(y):
    """Return an orthonormal basis of the centred class indicators."""
    dummies = (y[:, None] == np.unique(y)).astype(float)
    left, values, _ = np.linalg.svd(dummies - dummies.mean(axis=0), full_matrices=False)
    return left[:, values > 1e-9]


def lowest_near_best(scores):
    """Return the lowest index whose score is within 1e-10 max(1, |best|) of the best."""
    best = max(scores.values())
    return min(j for j, score in scores.items() if score >= best - 1e-10 * max(1, abs(best)))


def explained(x, target, given, nominal):
    """Return the signed (two columns) or multiple correlation of residuals, and the share of the candidate."""
    x_rest = residuals(x[:, None], given)[:, 0]
    share = float(x_rest @ x_rest / np.sum((x - x.mean()) ** 2))
    y_rest = residuals(target, given)
    if nominal:
        return magnitude(squared_multiple(x_rest, y_rest, 1.0)), share
    return pearson(x_rest, y_rest[:, 0]), share


def is_exhausted(target, given, n_rows, nominal):
    """Return whether the selected features explain the target fully, or too few rows are left to decide."""
    rest = residuals(target, given)
    if nominal:
        rank = int(np.sum(np.linalg.svd(rest, compute_uv=False) ** 2 > COLLINEAR))
        return rank == 0 or n_rows - 1 - given.shape[1] - rank <= 0
    share = np.sum(rest**2) / np.sum((target - target.mean()) ** 2)
    return share <= COLLINEAR or n_rows - 2 - given.shape[1] <= 0


def rrct(
    X,
    y,
    n_features,
    *,
    use_information=True,
    complementarity=True,
    normalize=True,
    sign_rule="signed",
    redundancy="pearson",
    nominal=False,
    keep=(),
    exclude=(),
    pearson_columns=None,
):
    """Compute RRCT as in its equations; y contains numbers, or classes if nominal."""
    n_rows, n_columns = X.shape
    value = information if use_information else magnitude
    scale = HALF_LOG if normalize and use_information else 1.0
    ranks = np.column_stack([rankdata(column) for column in X.T])
    raw = ranks if redundancy == "spearman" else X if pearson_columns is None else pearson_columns
    target = indicators(y) if nominal else rankdata(y)[:, None]
    if nominal:
        sign_rule = "magnitude"
    nothing = np.empty((n_rows, 0))
    marginal = [explained(ranks[:, j], target, nothing, nominal)[0] if np.ptp(X[:, j]) else 0.0
                for j in range(n_columns)]  # fmt: skip
    relevance = [value(r * r) for r in marginal]
    steps = Steps()
    pool = [j for j in range(n_columns) if np.ptp(X[:, j]) > 0 and j not in exclude]
    pool = [j for j in pool if j not in keep]
    while len(steps.selected) < n_features and (pool or len(steps.selected) < len(keep)):
        chosen = steps.selected
        given = ranks[:, chosen]
        exhausted = not complementarity or not chosen
        exhausted = exhausted or is_exhausted(target, given, n_rows, nominal)
        forced = len(chosen) < len(keep)
        parts = {}
        collinear = set()
        for j in [keep[len(chosen)]] if forced else pool:
            others = [value(pearson(raw[:, j], raw[:, s]) ** 2) for s in chosen]
            redundant = float(np.sum(others)) / len(chosen) / scale if chosen else 0.0
            gain = 0.0
            if not exhausted:
                rp, share = explained(ranks[:, j], target, given, nominal)
                r = marginal[j]
                if share <= COLLINEAR:
                    collinear.add(j)
                elif sign_rule == "signed":
                    gain = sign(rp) * sign(rp - r) * value(rp * rp)
                else:
                    gain = sign(abs(rp) - abs(r)) * value(rp * rp)
            parts[j] = (relevance[j], redundant, gain)
        scores = {j: a - b + c for j, (a, b, c) in parts.items()}
        if len(collinear) < len(scores):
            scores = {j: score for j, score in scores.items() if j not in collinear}
        best = lowest_near_best(scores)
        steps.selected.append(best)
        steps.scores.append(scores[best])
        for name, number in zip(
            ("relevance", "redundancy", "complementarity"), parts[best], strict=True
        ):
            getattr(steps, name).append(number)
        if not forced:
            pool.remove(best)
    return steps
