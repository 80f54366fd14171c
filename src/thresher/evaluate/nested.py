"""Unbiased scores of a selection: every step runs inside the training part of each outer fold."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from joblib import Parallel, delayed
from scipy import stats
from sklearn.base import clone, is_regressor
from sklearn.model_selection import check_cv
from sklearn.utils.validation import _num_samples, has_fit_parameter

from thresher._utils.arrays import takes_arrays
from thresher._utils.checks import check_number, one_call, resolve_threads
from thresher._utils.tables import Output, as_table
from thresher._utils.types import (
    DataLike,
    Estimator,
    Floats,
    Folds,
    Frame,
    GroupsLike,
    Indices,
    Scoring,
    TargetLike,
)
from thresher.data import take
from thresher.evaluate._runs import Fold
from thresher.io.sparse import check_sparse
from thresher.search.ensemble import number_groups
from thresher.selectors._scoring import default_classifier, scorer_of, splitter_of
from thresher.selectors._target import with_target_of
from thresher.selectors._third_party import order_of_choice

__all__ = ["NestedScores", "nested_score"]


@dataclass(frozen=True)
class NestedScores:
    """Result of `nested_score`, one entry per outer fold.

    Attributes
    ----------
    scores : ndarray of float
        Scores of the final estimator on rows that neither the selection nor the final fit has used.
    inner_scores : ndarray of float
        Best scores that the searches reported; nan for selectors that report none.
    selected : list of ndarray of int
        The selected features, best first.
    selectors : list
        The fitted selectors.
    """

    scores: Floats
    inner_scores: Floats
    selected: list[Indices]
    selectors: list[Estimator]

    @property
    def mean(self) -> float:
        """Mean of the scores: the expected score on new data."""
        return float(np.mean(self.scores))

    @property
    def standard_error(self) -> float:
        """Standard error of the mean, as if folds were independent; nan for a single fold."""
        n = len(self.scores)
        return float(np.std(self.scores, ddof=1) / math.sqrt(n)) if n > 1 else math.nan

    @property
    def optimism(self) -> float:
        """Mean difference of the scores that the searches reported and `scores`."""
        return float(np.mean(self.inner_scores - self.scores))

    def interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return an interval of the mean by Student's t over the folds; too short, because folds share rows."""
        check_number("level", level, minimum=0, maximum=1)
        reach = stats.t.ppf((1 + level) / 2, max(len(self.scores) - 1, 1)) * self.standard_error
        return self.mean - float(reach), self.mean + float(reach)

    def table(self, output: Output = "pandas") -> Frame:
        """Return one row per fold with ``score``, ``inner_score`` and ``n_features``.

        Parameters
        ----------
        output : {"pandas", "polars", "dict"}, default="pandas"
            Type of the table.
        """
        sizes = np.array([len(features) for features in self.selected])
        columns = {"score": self.scores, "inner_score": self.inner_scores, "n_features": sizes}
        return as_table(columns, output)

    def __repr__(self) -> str:
        sizes = [len(features) for features in self.selected]
        text = (
            f"score {self.mean:.3f} (standard error {self.standard_error:.3f}, {len(sizes)} folds), "
            f"{min(sizes)} to {max(sizes)} features"
        )
        if math.isnan(self.optimism):
            return text
        return f"{text}; the searches reported {np.mean(self.inner_scores):.3f}"


@takes_arrays
def nested_score(
    selector: Estimator,
    X: DataLike,
    y: TargetLike,
    *,
    estimator: Estimator = None,
    cv: Folds = 5,
    scoring: Scoring = None,
    groups: GroupsLike = None,
    n_jobs: int | None = None,
) -> NestedScores:
    """Score a selection and an estimator, both fitted on the training part of each fold.

    The selection and the final fit use no row on which they are scored. The cross-validated score of a selection that
    was made once on all rows is misleading: it is high on permuted labels, too.

    Parameters
    ----------
    selector : selector
        A selector with ``fit`` and ``get_support``.
    X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,)
        Classes or numbers.
    estimator : estimator, default=None
        Fitted on the selected features. None uses the `estimator` parameter of the selector. If that is missing or
        None, an SVM with a Gaussian kernel on standardised columns is used.
    cv : int, cross-validation generator or iterable, default=5
        The outer folds. A number gives folds without shuffling, stratified by class, with groups kept together.
    scoring : str, callable or None, default=None
        None uses the `scoring` parameter of the selector. If that is missing or None, the ``score`` method of the
        estimator is used.
    groups : array-like of shape (n_samples,), default=None
        Groups for the outer splitter, and for the selector if its ``fit`` has the parameter.
    n_jobs : int, default=None
        Number of outer folds that run at the same time, in processes.

    Returns
    -------
    scores : NestedScores

    See Also
    --------
    thresher.evaluate.select_k : Find the number of features for an estimator.
    thresher.evaluate.compare : Compare several selectors.

    Notes
    -----
    The selector is cloned, so one with an integer as random state searches each fold with the same seed. If nothing is
    selected on a fold, the estimator raises an error.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import GBC
    >>> from thresher.evaluate import nested_score
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scores = nested_score(GBC(population=4, max_cycles=2, random_state=0), X, y, cv=3)
    >>> print(scores)  # doctest: +ELLIPSIS
    score 0.9... (standard error 0.0..., 3 folds), ... features; the searches reported 0.9...
    """
    resolve_threads(n_jobs)
    X = check_sparse(X)
    if not (hasattr(selector, "fit") and hasattr(selector, "get_support")):
        raise ValueError(
            f"selector must be a selector with fit and get_support, got {selector!r}. Use cross_val_score for a "
            "pipeline of a selector and an estimator"
        )
    if estimator is None:
        estimator = getattr(selector, "estimator", None)
    if estimator is None:
        estimator = default_classifier()
    elif not (hasattr(estimator, "get_params") and hasattr(estimator, "fit")):
        raise ValueError(f"estimator must be a scikit-learn estimator or None, got {estimator!r}")
    if scoring is None:
        scoring = getattr(selector, "scoring", None)
    scorer = scorer_of(estimator, scoring)
    if groups is not None:
        groups = number_groups(groups, _num_samples(X))
    classifier = not is_regressor(estimator)
    splitter = check_cv(splitter_of(cv, y, groups, classifier=classifier), y, classifier=classifier)
    settled = with_target_of(selector, y)
    folds = list(splitter.split(np.empty((_num_samples(X), 0)), y, groups))
    with one_call():
        results = Parallel(n_jobs=resolve_threads(n_jobs, len(folds)))(
            delayed(_one_fold)(settled, estimator, scorer, X, y, groups, fold) for fold in folds
        )
    scores, selectors = zip(*results, strict=True)
    inner = [float(getattr(fitted, "best_score_", math.nan)) for fitted in selectors]
    chosen = [order_of_choice(fitted) for fitted in selectors]
    return NestedScores(np.array(scores), np.array(inner), chosen, list(selectors))


def _one_fold(
    selector: Estimator,
    estimator: Estimator,
    scorer: Callable[..., float],
    X: DataLike,
    y: TargetLike,
    groups: GroupsLike,
    fold: Fold,
) -> tuple[float, Estimator]:
    """Return the score of a fold, and the fitted selector."""
    train, test = fold
    rows, labels = take(X, train), take(y, train)
    takes_groups = groups is not None and has_fit_parameter(selector, "groups")
    options = {"groups": groups[train]} if takes_groups else {}
    fitted = clone(selector).fit(rows, labels, **options)
    final = clone(estimator).fit(fitted.transform(rows), labels)
    score = scorer(final, fitted.transform(take(X, test)), take(y, test))
    return float(score), fitted
