"""Tests of methods over data sets, from their definitions, in loops."""

from __future__ import annotations

import itertools
import math


def ranks_of(row):
    """Return ranks, 1 for the largest; equal values share their mean rank."""
    return [
        1 + sum(other > value for other in row) + (sum(other == value for other in row) - 1) / 2
        for value in row
    ]


def mean_ranks(scores):
    ranked = [ranks_of(row) for row in scores]
    return [sum(column) / len(ranked) for column in zip(*ranked, strict=True)]


def friedman_uncorrected(scores):
    """Return Friedman's chi-squared as Demšar prints it, without a correction for ties."""
    n, k = len(scores), len(scores[0])
    squares = sum(rank**2 for rank in mean_ranks(scores))
    return 12 * n / (k * (k + 1)) * (squares - k * (k + 1) ** 2 / 4)


def friedman(scores):
    """Return the statistic divided by the share of the scatter of ranks that ties leave."""
    n, k = len(scores), len(scores[0])
    lost = 0
    for row in scores:
        for value in set(row):
            t = row.count(value)
            lost += t**3 - t
    return friedman_uncorrected(scores) / (1 - lost / (n * (k**3 - k)))


def signed_rank_pvalue(first, second):
    """Return the two-sided p-value over all assignments of signs to the differences; no ties among their sizes."""
    differences = [a - b for a, b in zip(first, second, strict=True) if a != b]
    if not differences:
        return 1.0
    ranks = ranks_of([-abs(value) for value in differences])

    def smaller_sum(signs):
        plus = sum(rank for rank, sign in zip(ranks, signs, strict=True) if sign > 0)
        return min(plus, sum(ranks) - plus)

    observed = smaller_sum(differences)
    every = [smaller_sum(signs) for signs in itertools.product((1, -1), repeat=len(ranks))]
    return sum(value <= observed for value in every) / len(every)


def holm(pvalues):
    """Multiply the p-values, smallest first, by the number of tests that are left."""
    corrected = {}
    running = 0.0
    for step, i in enumerate(sorted(range(len(pvalues)), key=lambda i: (pvalues[i], i))):
        running = max(running, pvalues[i] * (len(pvalues) - step))
        corrected[i] = min(1.0, running)
    return [corrected[i] for i in range(len(pvalues))]


def cliques(order, differ):
    """Return the maximal runs of `order` without a differing pair."""
    runs = [
        order[a:b]
        for a in range(len(order))
        for b in range(a + 2, len(order) + 1)
        if not any(differ(x, y) for x, y in itertools.combinations(order[a:b], 2))
    ]
    return [run for run in runs if not any(set(run) < set(other) for other in runs)]


def normal_upper_tail(z):
    return math.erfc(z / math.sqrt(2)) / 2
