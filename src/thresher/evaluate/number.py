"""How many features? By cross-validation with the selection inside the folds."""

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
    """Outcome of :func:`select_k`.

    Attributes
    ----------
    k : int
        The number of features.
    best_k : int
        The number with the highest mean score, the least of them.
    rule : str
    sizes : ndarray of int of shape (n_k,)
        Numbers that were tried.
    fold_scores : ndarray of float of shape (n_folds, n_k)
        nan where the estimator failed.
    """

    k: int
    best_k: int
    rule: str
    sizes: npt.NDArray[np.int64]
    fold_scores: npt.NDArray[np.float64]

    @property
    def mean(self) -> npt.NDArray[np.float64]:
        """Mean score over the folds, one per number of features; nan if a fold failed."""
        return np.asarray(self.fold_scores.mean(axis=0))

    @property
    def standard_error(self) -> npt.NDArray[np.float64]:
        """Of the mean, one per number of features."""
        n_folds = len(self.fold_scores)
        return np.asarray(self.fold_scores.std(axis=0, ddof=1) / math.sqrt(n_folds))

    def table(self, output: Output = "pandas") -> Frame:
        """``k``, ``mean``, ``standard_error``, ``chosen``, one row per number of features."""
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
    """The number of features with which an estimator does well, by cross-validation.

    The selector runs on the training rows of each fold, once for all numbers where its runs are nested, and the
    estimator is scored on the test rows, so no feature is chosen with rows that it is judged on.

    Parameters
    ----------
    selector : selector
        Ours or any with ``fit`` and ``get_support``; see :func:`compare`. It is cloned.
    X, y
        As in its ``fit``.
    estimator : estimator
        It is cloned.
    k : int or iterable of int, default=None
        Numbers to try; None: 1, 2, 3, 5, 7, 10, 15, ... up to 100 or the number of features.
    rule : {"1se", "best"}, default="1se"
        ``"best"``: the highest mean score. ``"1se"``: the least number whose mean is within one standard error of
        the highest: fewer features for a loss that cannot be told from noise.
    cv : int or splitter, default=5
    scoring : str or callable, default=None
        None is the estimator's own ``score``.
    random_state : int, RandomState or None, default=None
        Draws the folds, and the seeds of what has an open ``random_state``.
    n_jobs : int, default=None
        Folds that run at the same time, in processes.

    Returns
    -------
    number : NumberOfFeatures
        ``k``, and the scores it was chosen by.

    Notes
    -----
    The mean score at the number found is too good by the choice among several numbers: for an honest score, cross-
    validate the whole, this choice included. Where two numbers are equally good, the smaller is taken.

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
    asked = check_sizes(_USUAL if k is None else k)
    sizes = sizes_within(asked, X.shape[1], "X", warns=k is not None)
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
        raise ValueError(
            f"the estimator could not be scored with any number of features: {failure}"
        )
    if failure:
        lacking = [size for size, mean in zip(sizes, means, strict=True) if math.isnan(mean)]
        warn(f"the estimator failed with {lacking} features, which are left out: {failure}")
    best = int(np.nanargmax(means))
    chosen = best
    if rule == "1se":
        error = scores[:, best].std(ddof=1) / math.sqrt(len(scores))
        chosen = int(np.flatnonzero(means >= means[best] - error)[0])
    return NumberOfFeatures(sizes[chosen], sizes[best], rule, np.array(sizes), scores)
