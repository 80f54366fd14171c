"""Learners of scikit-learn without its overhead per fit: the same predictions.

A table of accuracies needs hundreds of thousands of fits on a hundred rows each.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from sklearn.tree._criterion import Gini
from sklearn.tree._splitter import BestSplitter
from sklearn.tree._tree import DepthFirstTreeBuilder, Tree

NO_LIMIT = np.iinfo(np.int32).max


class Seed:
    """A replacement for a generator from which the splitter draws one number."""

    def __init__(self, seed: int) -> None:
        self._number = np.random.RandomState(seed).randint(0, NO_LIMIT)

    def randint(self, low: int, high: int) -> int:
        return self._number


@lru_cache(maxsize=4)
def draws(n_rows: int, n_trees: int) -> list[tuple[Any, Seed]]:
    """Return how often each row is drawn, and the seed of the splits, tree by tree.

    They do not depend on the features, and to seed a generator takes longer than to grow a tree on
    a hundred rows.
    """
    seeds = np.random.RandomState(0).randint(NO_LIMIT, size=n_trees)
    return [
        (
            np.bincount(
                np.random.RandomState(seed).randint(0, n_rows, n_rows, dtype=np.int32),
                minlength=n_rows,
            ).astype(np.float64),
            Seed(seed),
        )
        for seed in seeds
    ]


class Forest:
    """``RandomForestClassifier(n_trees, random_state=0)``, many times faster on few rows."""

    def __init__(self, n_trees: int) -> None:
        self.n_trees = n_trees

    def fit(self, X: Any, y: Any) -> Forest:
        X = np.ascontiguousarray(X, dtype=np.float32)
        n_rows, n_features = X.shape
        self.classes_, codes = np.unique(y, return_inverse=True)
        classes = np.array([len(self.classes_)], dtype=np.intp)
        target = codes.astype(np.float64).reshape(-1, 1)
        max_features = max(1, int(np.sqrt(n_features)))
        self.trees_ = []
        for drawn, seed in draws(n_rows, self.n_trees):
            splitter = BestSplitter(Gini(1, classes), max_features, 1, 0.0, seed, None)
            tree = Tree(n_features, classes, 1)
            DepthFirstTreeBuilder(splitter, 2, 1, 0.0, NO_LIMIT, 0.0).build(tree, X, target, drawn)
            self.trees_.append(tree)
        return self

    def predict(self, X: Any) -> Any:
        X = np.ascontiguousarray(X, dtype=np.float32)
        votes = np.zeros((len(X), len(self.classes_)))
        for tree in self.trees_:
            votes += tree.predict(X)
        return self.classes_[votes.argmax(axis=1)]


class Neighbours:
    """``KNeighborsClassifier(5)``; both leave open which of equally distant rows count."""

    def fit(self, X: Any, y: Any) -> Neighbours:
        self.classes_, self._codes = np.unique(y, return_inverse=True)
        self._X, self._norms = X, np.einsum("ij,ij->i", X, X)
        return self

    def predict(self, X: Any) -> Any:
        distances = self._norms - 2.0 * (X @ self._X.T)  # less the norm of the row, common to all
        nearest = np.argpartition(distances, 4, axis=1)[:, :5]
        votes = np.equal.outer(self._codes[nearest], np.arange(len(self.classes_))).sum(axis=1)
        return self.classes_[votes.argmax(axis=1)]


class CategoricalBayes:
    """``CategoricalNB(min_categories=n_levels)`` of codes below ``n_levels``."""

    def __init__(self, n_levels: int) -> None:
        self.n_levels = n_levels

    def fit(self, X: Any, y: Any) -> CategoricalBayes:
        self.classes_, codes = np.unique(y, return_inverse=True)
        members = np.equal.outer(np.arange(len(self.classes_)), codes).astype(np.float64)
        sizes = members.sum(axis=1, keepdims=True)
        self._likelihood = np.log((members @ self._indicators(X) + 1) / (sizes + self.n_levels))
        self._prior = np.log(sizes[:, 0] / len(y))
        return self

    def predict(self, X: Any) -> Any:
        log_probability = self._indicators(X) @ self._likelihood.T + self._prior
        return self.classes_[log_probability.argmax(axis=1)]

    def _indicators(self, X: Any) -> Any:
        """Return one column for each level of each feature."""
        return np.equal.outer(X, np.arange(self.n_levels)).astype(np.float64).reshape(len(X), -1)
