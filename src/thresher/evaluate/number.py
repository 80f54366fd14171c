"""The number of features, by cross-validation with the selection inside the folds."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt
from joblib import Parallel, delayed

from thresher._utils.arrays import takes_arrays
from thresher._utils.checks import check_choice, one_call, resolve_threads, warn
from thresher._utils.tables import Output, as_table, as_text
from thresher._utils.types import (
    DataLike,
    Estimator,
    Floats,
    Folds,
    Frame,
    RandomState,
    Scoring,
    TargetLike,
)
from thresher.evaluate._runs import Trial, as_matrix, check_sizes, derive_seed, sizes_within
from thresher.search.ensemble import draw_seed
from thresher.selectors._scoring import check_scorer

__all__ = ["NumberOfFeatures", "select_k"]


_USUAL = (1, 2, 3, 5, 7, 10, 15, 20, 30, 50, 70, 100)


@dataclass(frozen=True)
class NumberOfFeatures:
    """Result of :func:`select_k`.

    Attributes
    ----------
    k : int
        The number of features.
    best_k : int
        The smallest number with the highest mean score.
    rule : str
        The rule that `k` was selected by.
    sizes : ndarray of int of shape (n_k,)
        The numbers of features that were compared.
    fold_scores : ndarray of float of shape (n_folds, n_k)
        Scores on the test rows of each fold; nan where the estimator failed.
    """

    k: int
    best_k: int
    rule: str
    sizes: npt.NDArray[np.int64]
    fold_scores: Floats

    @property
    def mean(self) -> Floats:
        """Mean score over the folds, one value per number of features; nan if a fold failed."""
        return np.asarray(self.fold_scores.mean(axis=0))

    @property
    def standard_error(self) -> Floats:
        """Standard error of the mean score, one value per number of features."""
        n_folds = len(self.fold_scores)
        return np.asarray(self.fold_scores.std(axis=0, ddof=1) / math.sqrt(n_folds))

    def table(self, output: Output = "pandas") -> Frame:
        """Return ``k``, ``mean``, ``standard_error`` and ``chosen``, one row per number of features."""
        columns = {
            "k": self.sizes,
            "mean": self.mean,
            "standard_error": self.standard_error,
            "chosen": self.sizes == self.k,
        }
        return as_table(columns, output)

    def __repr__(self) -> str:
        headline = f"{self.k} features by the rule {self.rule!r}; the highest mean score is that of {self.best_k}"
        return as_text(headline, self.table("dict"))


@one_call()
@takes_arrays
def select_k(
    selector: Estimator,
    X: DataLike,
    y: TargetLike,
    estimator: Estimator,
    k: int | Iterable[int] | None = None,
    rule: Literal["1se", "best"] = "1se",
    *,
    cv: Folds = 5,
    scoring: Scoring = None,
    random_state: RandomState = None,
    n_jobs: int | None = None,
) -> NumberOfFeatures:
    """Find the number of features for an estimator by cross-validation.

    The selector runs on the training rows of each fold, and the estimator is scored on the test rows. So features are
    never scored on rows that they were selected on.

    Parameters
    ----------
    selector : selector
        Any selector with ``fit`` and ``get_support``; see :func:`compare`. It is cloned.
    X, y
        As in the ``fit`` of the selector.
    estimator : estimator
        The estimator that uses the features. It is cloned.
    k : int or iterable of int, default=None
        Numbers of features to compare. None compares 1, 2, 3, 5, 7, 10, 15, ... up to 100 or the number of features.
    rule : {"1se", "best"}, default="1se"
        ``"best"`` takes the highest mean score. ``"1se"`` takes the smallest number whose mean is within one standard
        error of the highest: fewer features for a loss within the noise.
    cv : int or splitter, default=5
        A number of folds, shuffled and stratified by class, or a splitter of scikit-learn.
    scoring : str or callable, default=None
        A scorer of scikit-learn. None uses the ``score`` method of the estimator.
    random_state : int, RandomState or None, default=None
        Seed of the folds, and of the selector and the estimator if their ``random_state`` is None.
    n_jobs : int, default=None
        Number of folds that run at the same time, in processes.

    Returns
    -------
    number : NumberOfFeatures
        ``k``, and the scores that it was selected by.

    See Also
    --------
    thresher.evaluate.nested_score : Score a selection with all its choices inside the folds.
    thresher.evaluate.compare : Compare several selectors.

    Notes
    -----
    The mean score at `k` is optimistic, because `k` was selected by it. For an unbiased score, cross-validate the whole
    procedure, including this selection. If two numbers are equally good, the smaller one is taken. A selector whose
    runs are nested is fitted once per fold for all numbers.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from thresher import MRMR
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> number = select_k(MRMR(), X, y, GaussianNB(), k=range(1, 16), random_state=0)
    >>> number.k <= number.best_k
    True
    """
    check_choice("rule", rule, ("1se", "best"))
    check_scorer(scoring)
    resolve_threads(n_jobs)
    X = as_matrix(X)
    sizes = check_sizes(_USUAL if k is None else k)
    sizes = sizes_within(sizes, X.shape[1], "X", warns=k is not None)
    seed = draw_seed(random_state)
    trial = Trial(X, y, {"estimator": estimator}, scoring, sizes)
    folds = trial.folds(cv, seed)
    cells = Parallel(n_jobs=resolve_threads(n_jobs, len(folds)))(
        delayed(trial.run)(selector, fold, derive_seed(seed, i)) for i, fold in enumerate(folds)
    )
    for i, cell in enumerate(cells):
        if "" in cell.errors:
            raise ValueError(f"the selector failed on fold {i}: {cell.errors['']}")
    scores = np.array([cell.scores["estimator"] for cell in cells])
    means = scores.mean(axis=0)
    failure = next((e for cell in cells for e in cell.errors.values()), "")
    if np.isnan(means).all():
        raise ValueError(f"the estimator failed with every number of features: {failure}")
    if failure:
        failed = [size for size, mean in zip(sizes, means, strict=True) if math.isnan(mean)]
        warn(f"the estimator failed with {failed} features, which are left out: {failure}")
    best = int(np.nanargmax(means))
    chosen = best
    if rule == "1se":
        error = scores[:, best].std(ddof=1) / math.sqrt(len(scores))
        chosen = int(np.flatnonzero(means >= means[best] - error)[0])
    return NumberOfFeatures(sizes[chosen], sizes[best], rule, np.array(sizes), scores)
