"""Ensembles the long way: every replicate by itself, on its own rows, from the definitions."""

from __future__ import annotations

import numpy as np

from tests.naive.association import in_bits
from tests.naive.measures_discrete import measure
from tests.naive.mrmr import mrmr
from tests.naive.rounding import XLogX


def discrete_tables(X, y, rows, name):
    """Return relevances, redundancies and candidates on some rows; c log2 c is that of all rows."""
    logs = XLogX(len(y))
    p = X.shape[1]
    levels = X.max(axis=0) + 1
    n_classes = int(y.max()) + 1
    relevance = [
        measure(X[rows, f], y[rows], name, int(levels[f]), n_classes, logs) for f in range(p)
    ]
    redundancy = [[0.0] * p for _ in range(p)]
    for f in range(p):
        for g in range(f):
            value = measure(X[rows, f], X[rows, g], name, int(levels[f]), int(levels[g]), logs)
            redundancy[f][g] = redundancy[g][f] = value
    varies = [bool(np.ptp(X[rows, f]) > 0) for f in range(p)]
    return relevance, redundancy, varies


def full_ensemble(X, y, k, part, name="mi", objective="difference", **options):
    """Return one list per replicate that has two classes."""
    lists = []
    for i in range(int(part.max()) + 1):
        rows = np.flatnonzero(part != i)
        if len(set(y[rows])) > 1:
            relevance, redundancy, varies = discrete_tables(X, y, rows, name)
            lists.append(mrmr(relevance, redundancy, k, objective, candidates=varies, **options)[0])
    return lists


def inner_ensemble(X, y, k, part, name="mi", objective="difference"):
    """Run once on sums over the replicates: the mean of the definition, less its divisor."""
    relevance, redundancy, varies = 0.0, 0.0, np.zeros(X.shape[1], bool)
    for i in range(int(part.max()) + 1):
        tables = discrete_tables(X, y, np.flatnonzero(part != i), name)
        relevance = relevance + np.array(tables[0])
        pairs = np.array(tables[1])
        redundancy = redundancy + (
            np.vectorize(in_bits)(pairs) if objective == "product" else pairs
        )
        varies |= np.array(tables[2])
    unit = int(part.max()) + 1
    return mrmr(
        relevance.tolist(), redundancy.tolist(), k, objective, candidates=varies, unit=unit
    )[0]


def take_vote(lists, p, k, vote):
    """Combine the lists by a sort of explicit keys."""
    votes = {f: sum(f in entries for entries in lists) for f in range(p)}
    positions = {
        f: [entries.index(f) + 1 if f in entries else None for entries in lists] for f in range(p)
    }
    if vote == "majority":
        key = {f: (-votes[f], sum(x for x in positions[f] if x), f) for f in range(p)}
    else:
        key = {f: (sum(x or k + 1 for x in positions[f]), -votes[f], f) for f in range(p)}
    return sorted((f for f in range(p) if votes[f]), key=key.get)[:k]
