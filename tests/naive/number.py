"""The number of features, from the scores of the folds, by definition."""

from __future__ import annotations

import statistics


def choose(sizes, fold_scores, rule):
    means = [statistics.fmean(column) for column in zip(*fold_scores, strict=True)]
    best = means.index(max(means))
    if rule == "best":
        return sizes[best]
    column = [row[best] for row in fold_scores]
    error = statistics.stdev(column) / len(column) ** 0.5
    for size, mean in zip(sizes, means, strict=True):
        if mean >= means[best] - error:
            return size
    raise AssertionError("the best is within an error of itself")
