"""The test of one column with the target, chosen by the types of both, from SciPy's own tests."""

from __future__ import annotations

import math

import numpy as np
from scipy import stats


def column_test(column, y, *, is_category, is_nominal):
    """Return the name of the test and its p-value."""
    column, y = list(column), list(y)
    if not is_category and not is_nominal:
        return "f", stats.linregress(column, y).pvalue
    if not is_category:
        return "f", stats.f_oneway(*_groups(column, y)).pvalue
    if not is_nominal:
        return "anova", stats.f_oneway(*_groups(y, column)).pvalue
    levels, classes = sorted(set(column)), sorted(set(y))
    counts = np.zeros((len(levels), len(classes)))
    for level, label in zip(column, y, strict=True):
        counts[levels.index(level), classes.index(label)] += 1
    return "chi2", stats.chi2_contingency(counts, correction=False).pvalue


def _groups(values, labels):
    return [
        [v for v, each in zip(values, labels, strict=True) if each == label]
        for label in sorted(set(labels))
    ]


def minus_log_chi2(statistic, freedom):
    """Return -log p from the sum of a Poisson law up to half of the degrees of freedom, an even number."""
    terms = [k * math.log(statistic / 2) - math.lgamma(k + 1) for k in range(freedom // 2)]
    return statistic / 2 - _log_sum(terms)


def minus_log_f(statistic, above, below):
    """Return -log p from the sum of a negative binomial law, for an even number of degrees of freedom above."""
    share = below / (below + above * statistic)
    terms = [
        math.lgamma(below / 2 + i)
        - math.lgamma(below / 2)
        - math.lgamma(i + 1)
        + i * math.log1p(-share)
        for i in range(above // 2)
    ]
    return -below / 2 * math.log(share) - _log_sum(terms)


def _log_sum(terms):
    largest = max(terms)
    return largest + math.log(math.fsum(math.exp(term - largest) for term in terms))
