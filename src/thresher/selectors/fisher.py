"""Fisher score."""

from __future__ import annotations

from typing import Literal, Self, Unpack

from thresher._utils.params import FeatureCount, ThreadCount, estimator, param
from thresher._utils.types import DataLike, TargetLike
from thresher.data import RemoteOptions
from thresher.measures.columns import separation
from thresher.selectors._base import CommonParameters, all_or_nothing
from thresher.selectors._ranking import Ranking


@estimator
class FisherScore(CommonParameters, Ranking):
    """Rank features by the Fisher score: between-class over within-class variance.

    ``sum_c n_c (mu_c - mu)^2 / sum_c n_c v_c``, with class means mu_c and population variances v_c.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        Number of features, or fraction of the features that are not excluded.
    keep, exclude : list of str or int, default=None
        Forced-in features and features never to select, by name or position.
    missing : {"error", "drop_rows"}, default="error"
        Missing values raise an error, or their samples are dropped.
    n_jobs : int, default=None
        Number of threads. The result does not depend on it.
    verbose : int, default=0
        1 prints a line at the end; the logger ``thresher`` gets the same lines at level INFO.

    Attributes
    ----------
    greater_is_better : bool
        True: large scores are good.
    scores_ : ndarray of float of shape (n_features,)
        0 for constant features; +inf if every class is constant and the class means differ.
    selected_, support_, ranking_, relevance_, n_evaluations_, trace_, target_kind_
        See `MRMR`; ``ranking_`` ranks all features.

    See Also
    --------
    Univariate : F and other measures, with p-values.

    Notes
    -----
    The one-way F of ``sklearn.feature_selection.f_classif`` is the score times ``(n - C) / (C - 1)``: the same
    ranking. The two-class Fisher *ratio* (`RFS` with ``relevance="fir"``) is another formula, which ranks
    differently for classes of unequal size. Ties go to the lowest column index. Sparse X is not made dense. Time
    O(n_samples) per feature, or O(stored values) for sparse X.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from thresher import FisherScore
    >>> X, y = load_iris(return_X_y=True)
    >>> FisherScore(2).fit(X, y).selected_.tolist()
    [2, 3]
    """

    _classes_only = True

    n_features_to_select: int | float = param(FeatureCount(), default=10, kw_only=False)
    missing: Literal["error", "drop_rows"] = param(default="error")
    n_jobs: int | None = param(ThreadCount(), default=None)

    @all_or_nothing
    def fit(self, X: DataLike, y: TargetLike, **remote: Unpack[RemoteOptions]) -> Self:
        """Score and select features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or strNone
            Classes; or the name of a column of the dataframe X.
        **remote
            Options for files, if X is a path: `memory_limit` and `scratch`; see :doc:`/scaling`.

        Returns
        -------
        self : FisherScore
        """
        training = self._read_rows(X, y, remote=remote)
        n_select = self._count(training.features)
        return self._finish_ranking(training.features, separation(training, "fisher"), n_select)
