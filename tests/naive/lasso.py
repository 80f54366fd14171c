"""Order of entry on the lasso path, found by bisection on the optimality conditions."""

from __future__ import annotations

import numpy as np


def standardized(X):
    """Return centred columns of unit population variance; constant ones stay zero."""
    spread = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0)


def lasso_coefficients(gram, moment, penalty, start):
    """Minimize 1/2 b'Gb - m'b + penalty |b| by coordinate descent to machine accuracy."""
    b = start.copy()
    for _ in range(20000):
        largest = 0.0
        for j in range(len(b)):
            if gram[j, j] == 0:
                continue
            rest = moment[j] - gram[j] @ b + gram[j, j] * b[j]
            new = np.sign(rest) * max(abs(rest) - penalty, 0.0) / gram[j, j]
            largest = max(largest, abs(new - b[j]))
            b[j] = new
        if largest < 1e-14:
            break
    return b


def entry_penalties(X, y, n_steps=4000):
    """Return the largest penalty, on a fine falling grid, at which each feature is in the model."""
    Z = standardized(np.asarray(X, dtype=float))
    target = standardized(np.asarray(y, dtype=float)[:, None])[:, 0]
    gram, moment = Z.T @ Z / len(Z), Z.T @ target / len(Z)
    entry = np.zeros(Z.shape[1])
    b = np.zeros(Z.shape[1])
    for penalty in np.linspace(np.abs(moment).max(), 1e-6, n_steps):
        b = lasso_coefficients(gram, moment, penalty, b)
        entry = np.where((entry == 0) & (b != 0), penalty, entry)
    return entry
