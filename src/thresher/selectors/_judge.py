"""The judge of feature sets: how well an estimator does on each, by cross-validation."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.model_selection import check_cv
from sklearn.utils import _safe_indexing

from thresher._warn import warn

Features = npt.NDArray[np.intp]
Floats = npt.NDArray[np.float64]


@dataclass
class Judge:
    """Scores sets of features; the same set is scored once, and all on the same folds.

    A set is shown to the estimator in the order of its positions, so that its score does not depend on how it was
    found. A set on which the estimator fails, or has no score, is worth minus infinity; the first failure is warned of.

    Attributes
    ----------
    columns : callable
        The columns of some features: what the estimator is fitted on.
    y : array-like of shape (n_samples,)
    estimator : estimator
        It is cloned for every fold.
    scorer : callable
    folds : list of (train, test)
    n_jobs : int or None
        Fits at the same time, over folds and sets alike: what a fit does inside, joblib keeps to one thread.
    n_asked, n_scored : int
        Sets asked for, and sets that had to be scored.
    """

    columns: Callable[[Features], Any]
    y: Any
    estimator: Any
    scorer: Callable[..., float]
    folds: list[tuple[Any, Any]]
    n_jobs: int | None = None
    n_asked: int = 0
    n_scored: int = 0
    _known: dict[tuple[int, ...], Floats] = field(default_factory=dict)
    _failure: str = ""

    @classmethod
    def of(
        cls,
        columns: Callable[[Features], Any],
        y: Any,
        *,
        estimator: Any,
        scoring: Any = None,
        cv: Any = 5,
        classifier: bool = True,
        groups: Any = None,
        n_jobs: int | None = None,
    ) -> Judge:
        """A judge with the folds of any splitter, drawn once, and any scorer."""
        splitter = check_cv(cv, y, classifier=classifier)
        with warnings.catch_warnings():
            # Classes smaller than the number of folds: who chooses the scoring allows for them.
            warnings.filterwarnings("ignore", message="The least populated class")
            folds = list(splitter.split(np.empty((len(y), 0)), y, groups))
        scorer = check_scoring(estimator, scoring=scoring)
        return cls(columns, y, estimator, scorer, folds, n_jobs)

    def score(self, features: Iterable[int]) -> float:
        """The mean over the folds; minus infinity for a set that cannot be scored."""
        return self.score_all([features])[0]

    def score_all(self, sets: Sequence[Iterable[int]]) -> list[float]:
        """One score per set; those not known yet are scored at the same time."""
        keys = [tuple(sorted(int(feature) for feature in features)) for features in sets]
        new = [key for key in dict.fromkeys(keys) if key not in self._known]
        self.n_asked += len(keys)
        self.n_scored += len(new)
        for key, values in zip(new, self._fold_scores(new), strict=True):
            self._known[key] = values
        return [_mean(self._known[key]) for key in keys]

    def fold_scores(self, features: Iterable[int]) -> Floats:
        """The score on each fold, nan where it failed; the set is scored if it is new."""
        self.score(features)
        return self._known[tuple(sorted(int(feature) for feature in features))]

    def refuse_if_all_failed(self) -> None:
        """Raise if no set that was scored has a score."""
        if self._known and all(math.isinf(_mean(values)) for values in self._known.values()):
            raise ValueError(
                f"the estimator {self.estimator!r} could not be scored on any of {len(self._known)} sets of features; "
                f"{self._failure or 'every score was nan'}"
            )

    def _fold_scores(self, sets: list[tuple[int, ...]]) -> list[Floats]:
        matrices = (self.columns(np.array(features, dtype=np.intp)) for features in sets)
        outcomes = Parallel(n_jobs=self.n_jobs)(
            delayed(_fit_and_score)(self.estimator, self.scorer, matrix, self.y, *fold)
            for matrix in matrices
            for fold in self.folds
        )
        for i, outcome in enumerate(outcomes):
            if isinstance(outcome, str) and not self._failure:
                self._failure = outcome
                warn(
                    f"the estimator failed on the features {list(sets[i // len(self.folds)])}, "
                    f"which count as the worst: {outcome}"
                )
        scores = [math.nan if isinstance(outcome, str) else outcome for outcome in outcomes]
        return list(np.array(scores, dtype=np.float64).reshape(len(sets), len(self.folds)))


def _mean(values: Floats) -> float:
    mean = float(np.mean(values))
    return -math.inf if math.isnan(mean) else mean


def _fit_and_score(
    estimator: Any, scorer: Callable[..., float], X: Any, y: Any, train: Any, test: Any
) -> float | str:
    """The score of a fold, or what went wrong."""
    try:
        fitted = clone(estimator).fit(_safe_indexing(X, train), _safe_indexing(y, train))
        return float(scorer(fitted, _safe_indexing(X, test), _safe_indexing(y, test)))
    except Exception as error:
        return f"{type(error).__name__}: {error}"
