"""P-values from permuted targets, one relevance after the other."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from scipy import stats


def share_explained(x, y, is_nominal):
    """Return one-way R squared, or the squared correlation, of integers."""
    x = [Fraction(int(v)) for v in x]
    mean = sum(x) / len(x)
    total = sum((v - mean) ** 2 for v in x)
    if is_nominal:
        between = Fraction(0)
        for label in set(y.tolist()):
            own = [v for v, c in zip(x, y, strict=True) if c == label]
            between += len(own) * (sum(own) / len(own) - mean) ** 2
        return between / total
    y = [Fraction(int(v)) for v in y]
    centre = sum(y) / len(y)
    cross = sum((a - mean) * (b - centre) for a, b in zip(x, y, strict=True))
    return cross**2 / total / sum((b - centre) ** 2 for b in y)


def chi_squared_probability(x, y):
    """Return the p-value of Pearson's statistic of the table of two discrete columns."""
    table = np.array([[np.sum((x == a) & (y == b)) for b in np.unique(y)] for a in np.unique(x)])
    return stats.chi2_contingency(table, correction=False).pvalue


def pooled_pvalues(statistic, X, y, orders):
    """Return ``(1 + #{T_i^m >= T_j}) / (1 + M p)`` over all features i and orders m."""
    p = X.shape[1]
    observed = [statistic(X[:, j], y) for j in range(p)]
    permuted = [statistic(X[:, i], y[order]) for order in orders for i in range(p)]
    return [(1 + sum(t >= one for t in permuted)) / (1 + len(permuted)) for one in observed]
