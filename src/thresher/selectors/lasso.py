"""Features in the order in which they enter the lasso path."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Literal, Self, Unpack

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path

from thresher._utils.checks import warn
from thresher._utils.long_calls import call_interruptibly, report
from thresher._utils.params import FeatureCount, ThreadCount, estimator, param
from thresher._utils.types import Array, DataLike, Floats, TargetKind, TargetLike, WeightsLike
from thresher.data import LocalData, RemoteOptions, rescaled
from thresher.search.forward import Features
from thresher.selectors._base import (
    BaseSelector,
    CommonParameters,
    Selection,
    all_or_nothing,
    spread,
)
from thresher.selectors._explain import Entered
from thresher.selectors._partial import safe_columns, uses_indicators


@estimator
class LassoPath(CommonParameters, BaseSelector):
    """Select features in the order in which they first enter the lasso path.

    As the penalty falls from infinity, features enter the model one after another. scikit-learn's
    LARS finds every point at which that happens. A feature that leaves again keeps its rank.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        Number of features, or fraction of the features that are not excluded.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` reads text, Booleans, and integer values with 5 rows each as classes, other numbers as
        numbers; see :ref:`target-kind`. Two classes become 0 and 1. With more there is one path per class, and
        a feature counts as entering at its largest entry penalty over the classes.
    keep, exclude : list of str or int, default=None
        Forced-in features, which come first, and features excluded from the model, by name or position. The path
        itself does not start from the forced-in features: they are in the model like all others.
    missing : {"error", "drop_rows"}, default="error"
        Missing values raise an error, or their samples are dropped.
    n_jobs : int, default=None
        Has no effect; the path is computed by one thread.
    verbose : int, default=0
        1 prints a line per path and one at the end; the logger ``thresher`` gets the same lines at level INFO.

    Attributes
    ----------
    selected_ : ndarray of int
        Features in order of selection.
    support_ : ndarray of bool of shape (n_features,)
        True for the selected features.
    ranking_ : ndarray of int of shape (n_features,)
        1 for the feature selected first; features not selected share the rank after the last.
    scores_ : ndarray of float of shape (n_features,)
        Penalty at entry, in scikit-learn's scale; nan for features not selected, and for selected ones that never
        entered.
    relevance_ : ndarray of float of shape (n_features,)
        Absolute correlation with the target (the largest over the class indicators).
    redundancy_ : ndarray of float of shape (n_features,)
        nan: the method computes no redundancy.
    n_evaluations_ : int
        Points of the path that were computed.
    trace_ : dict of str to ndarray
        Per step: ``feature``, ``relevance``, ``score``.
    target_kind_ : {"nominal", "numeric"}
        How y was read: as classes or as numbers.
    n_features_in_ : int
        Number of columns of X.
    feature_names_in_ : ndarray of str
        Only if all column names of X are strings.

    See Also
    --------
    GSO : Forward stepwise least squares, which never removes a feature.

    Notes
    -----
    Features and target are standardised, with sample weights if there are any. Features that enter at the same point
    are ordered by column index. If the path ends before enough features have entered, the remaining ones are ordered by
    their absolute correlation with the residual of the target, then by column index, with a warning. Constant features
    are never selected unless named in `keep`.

    Time O(n_features n_samples) per point of the path. There are slightly more points than features requested.

    References
    ----------
    B. Efron, T. Hastie, I. Johnstone and R. Tibshirani, "Least angle regression", 2004.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from thresher import LassoPath
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = LassoPath(n_features_to_select=3).fit(X, y)
    >>> X.columns[selector.selected_].tolist()
    ['bmi', 's5', 'bp']
    """

    _takes_sparse = False

    n_features_to_select: int | float = param(FeatureCount(), default=10, kw_only=False)
    target: TargetKind = param(default="auto")
    missing: Literal["error", "drop_rows"] = param(default="error")
    n_jobs: int | None = param(ThreadCount(), default=None)

    @all_or_nothing
    def fit(
        self,
        X: DataLike,
        y: TargetLike,
        sample_weight: WeightsLike = None,
        **remote: Unpack[RemoteOptions],
    ) -> Self:
        """Select features.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or strNone
            Classes or numbers; or the name of a column of the dataframe X.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 counts like the same sample passed twice; 0 drops the sample.
        **remote
            Options for files, if X is a path: `memory_limit` and `scratch`; see :doc:`/scaling`.

        Returns
        -------
        self : LassoPath
        """
        training = self._read_rows(X, y, sample_weight, remote)
        features = np.union1d(np.flatnonzero(training.candidates), training.kept)
        n_select = self._count(training.features)
        columns = safe_columns(type(self).__name__, training)
        targets = _targets(training, self.target)
        entries = call_interruptibly(
            _entries,
            columns,
            features,
            training.weights,
            targets,
            n_select,
            n_threads=training.n_threads,
        )
        for number, entry in enumerate(entries, start=1):
            report(self, "path %d/%d: %d points", number, len(entries), entry.n_points)
        penalty = np.max([entry.penalty for entry in entries], axis=0)
        rest = np.max([entry.rest for entry in entries], axis=0)
        relevance = np.max([entry.correlation for entry in entries], axis=0)
        # Rounded, so that mathematically equal values tie and go by column index.
        keys = (features, -rest.round(10), -penalty.round(12), penalty == 0)
        order = features[np.lexsort(keys)]
        order = np.concatenate([training.kept, order[~np.isin(order, training.kept)]])
        selected = order[:n_select]

        p = training.n_features
        penalties = spread(p, features, np.where(penalty > 0, penalty, np.nan))
        relevances = spread(p, features, relevance)
        scores = spread(p, selected, penalties[selected])
        never = [int(f) for f in selected[len(training.kept) :] if np.isnan(scores[f])]
        if never:
            warn(
                f"only {len(selected) - len(never)} of the {n_select} features requested entered the lasso path; the "
                "others are those with the largest correlation with the residual. Request fewer"
            )
        selection = Selection.of_steps(
            selected,
            scores[selected],
            relevances,
            n_evaluations=sum(entry.n_points for entry in entries),
            explanation=Entered(penalties),
        )
        return self._finish(training.features, selection, n_select)


@dataclass
class Entries:
    """Entry of each feature into one path.

    Attributes
    ----------
    penalty : ndarray of shape (n_features,)
        Penalty at first entry; 0 for features that never entered.
    rest : ndarray of shape (n_features,)
        Absolute product with the residual at the end of the path, for features that never entered; 0 for others.
    correlation : ndarray of shape (n_features,)
        Absolute correlation with the target.
    n_points : int
        Number of points of the path.
    """

    penalty: Floats
    rest: Floats
    correlation: Floats
    n_points: int


def _entries(
    columns: Array, features: Features, weights: Array | None, targets: list[Floats], n_select: int
) -> list[Entries]:
    """Follow the path of these columns for each target."""
    Z = _standardized(columns[features].T.astype(np.float64), weights)
    distinct = _distinct(Z)
    return [_first_entries(Z, target, n_select, distinct) for target in targets]


def _first_entries(Z: Floats, target: Floats, n_select: int, distinct: Features) -> Entries:
    """Follow the path until `n_select` features have entered, or to its end."""
    n_rows, n_features = Z.shape
    n_points = 2 * n_select + 8
    while True:
        with warnings.catch_warnings():
            # `rest` orders the features that cannot enter because they are collinear.
            warnings.simplefilter("ignore", ConvergenceWarning)
            alphas, _, path = lars_path(Z[:, distinct], target, method="lasso", max_iter=n_points)
        coefficients = np.zeros((n_features, path.shape[1]))
        coefficients[distinct] = path
        inside = coefficients != 0
        entered = inside.any(axis=1)
        at_end = len(alphas) <= n_points or alphas[-1] <= 0
        if at_end or entered.sum() >= n_select:
            break
        n_points *= 2
    # A coefficient that is not zero at a point left zero at the point before.
    first = np.maximum(np.argmax(inside, axis=1) - 1, 0)
    penalty = np.where(entered, np.maximum(alphas[first], np.finfo(float).tiny), 0.0)
    residual = target - Z @ coefficients[:, -1]
    rest = np.where(entered, 0.0, np.abs(Z.T @ residual) / n_rows)
    return Entries(penalty, rest, np.abs(Z.T @ target) / n_rows, len(alphas))


def _distinct(Z: Floats) -> Features:
    """Return the first of each group of columns that are equal up to sign: LARS fails on duplicates."""
    leading = Z[np.argmax(np.abs(Z) > 1e-9, axis=0), np.arange(Z.shape[1])]
    first: Features = np.unique((Z * np.sign(leading)).round(9), axis=1, return_index=True)[1]
    return np.sort(first)


def _targets(training: LocalData, target: str) -> list[Floats]:
    """Return the standardised target or, with more than two classes, one indicator per class."""
    labels = training.labels
    if not uses_indicators(training, target) or labels.n_classes == 2:
        return [_standardized(labels.values[:, None], training.weights)[:, 0]]
    indicators = (labels.class_codes[:, None] == np.arange(labels.n_classes)).astype(np.float64)
    return list(_standardized(indicators, training.weights).T)


def _standardized(columns: Floats, weights: Array | None) -> Floats:
    """Return columns with mean 0 and variance 1, scaled so that plain products over rows are weighted ones."""
    columns = rescaled(columns)
    columns = columns - np.average(columns, axis=0, weights=weights)
    variance = np.average(columns**2, axis=0, weights=weights)
    columns /= np.sqrt(np.where(variance > 0, variance, 1.0))
    if weights is not None:
        columns *= np.sqrt(weights / weights.mean())[:, None]
    return columns
