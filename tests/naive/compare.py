"""A comparison of selectors, step by step."""

from __future__ import annotations

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedKFold


def compare(selectors, X, y, estimators, sizes, folds):
    """Return rows (selector, estimator, k, mean score, lists of features), refitting for each."""
    rows = []
    for name, select in selectors.items():
        for k in sizes:
            chosen = [select(X[train], y[train], k) for train, _ in folds]
            for learner, estimator in estimators.items():
                scores = []
                for (train, test), features in zip(folds, chosen, strict=True):
                    model = clone(estimator).fit(X[train][:, features], y[train])
                    scores.append(np.mean(model.predict(X[test][:, features]) == y[test]))
                rows.append((name, learner, k, np.mean(scores), chosen))
    return rows


def stratified(y, n_splits, seed):
    return list(
        StratifiedKFold(n_splits, shuffle=True, random_state=seed).split(np.zeros((len(y), 1)), y)
    )
