"""Features in the order in which the lasso lets them in."""

from __future__ import annotations

import warnings
from dataclasses import dataclass
from typing import Self, Unpack

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import lars_path

from thresher._utils.checks import warn
from thresher._utils.long_calls import call_interruptibly, report
from thresher._utils.types import Array, DataLike, Floats, TargetLike, WeightsLike
from thresher.data import LocalData, RemoteOptions, rescaled
from thresher.search.forward import Features
from thresher.selectors._base import Selection, all_or_nothing, spread
from thresher.selectors._explain import Entered
from thresher.selectors._partial import CorrelationSelector, safe_columns, uses_indicators


class LassoPath(CorrelationSelector):
    """Features in order of their first entry on the lasso path.

    As the penalty falls from infinity, features enter the model one after another; scikit-learn's
    LARS finds every point at which that happens. A feature that leaves again keeps its place.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        A number, or a fraction of the features not excluded.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` takes floats with more than two values as numbers and all else as classes. Two
        classes are 0 and 1. With more there is one path per class, and a feature enters at the largest
        penalty at which any of them lets it in.
    keep, exclude : list of str or int, default=None
        Features that come first, and features left out of the model, by name or position. The kept
        ones are in the model like all others: the path itself does not start from them.
    missing : {"error", "drop_rows"}, default="error"
        Missing values are refused, or samples that have any are left out.
    n_jobs : int, default=None
        Has no effect; the path is found by one thread.
    verbose : int, default=0
        1 prints a line per path and one at the end; the logger ``thresher`` gets the same at level INFO.

    Attributes
    ----------
    selected_ : ndarray of int
        Features in order of choice.
    support_ : ndarray of bool of shape (n_features,)
    ranking_ : ndarray of int of shape (n_features,)
        1 for the first chosen; features not chosen share the rank after the last.
    scores_ : ndarray of float of shape (n_features,)
        Penalty at entry, in scikit-learn's scale, of the features chosen; nan for others, and for
        chosen ones that never entered.
    relevance_ : ndarray of float of shape (n_features,)
        Absolute correlation with the target (the largest over the class indicators).
    redundancy_ : ndarray of float of shape (n_features,)
        nan: the method has none of its own.
    n_evaluations_ : int
        Points of the path computed.
    trace_ : dict of str to ndarray
        Per step: ``feature``, ``relevance``, ``score``.
    n_features_in_ : int
    feature_names_in_ : ndarray of str
        Only if X has feature names that are all strings.

    Notes
    -----
    Features and target are standardised, with the weights of the samples if there are any. Features that enter at
    the same point are taken by position. If the path ends before enough features have entered, the rest are taken by
    their absolute correlation with what is left of the target, then by position, with a warning. Constant features
    are never chosen unless named in `keep`.

    Time O(n_features n_samples) per point of the path, of which there are a few more than features asked for.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from thresher import LassoPath
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> selector = LassoPath(n_features_to_select=3).fit(X, y)
    >>> X.columns[selector.selected_].tolist()
    ['bmi', 's5', 'bp']
    """

    @all_or_nothing
    def fit(
        self,
        X: DataLike,
        y: TargetLike,
        sample_weight: WeightsLike = None,
        **remote: Unpack[RemoteOptions],
    ) -> Self:
        """Choose features.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes or numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 counts like the same sample given twice; 0 leaves it out.
        **remote
            Of a table in files, which X may name: `memory_limit` and `scratch`; see :doc:`/scaling`.

        Returns
        -------
        self : LassoPath
        """
        training = self._read_rows(X, y, sample_weight, remote)
        features = np.union1d(np.flatnonzero(training.candidates), training.kept)
        wanted = self._count(training.features)
        columns = safe_columns(type(self).__name__, training)
        targets = _targets(training, self.target)
        entries = call_interruptibly(
            _entries,
            columns,
            features,
            training.weights,
            targets,
            wanted,
            n_threads=training.n_threads,
        )
        for number, entry in enumerate(entries, start=1):
            report(self, "path %d/%d: %d points", number, len(entries), entry.n_points)
        penalty = np.max([entry.penalty for entry in entries], axis=0)
        rest = np.max([entry.rest for entry in entries], axis=0)
        relevance = np.max([entry.correlation for entry in entries], axis=0)
        # Rounded, so that what is equal on paper is equal here, and goes by position.
        keys = (features, -rest.round(10), -penalty.round(12), penalty == 0)
        order = features[np.lexsort(keys)]
        order = np.concatenate([training.kept, order[~np.isin(order, training.kept)]])
        selected = order[:wanted]

        p = training.n_features
        penalties = spread(p, features, np.where(penalty > 0, penalty, np.nan))
        relevances = spread(p, features, relevance)
        scores = spread(p, selected, penalties[selected])
        never = [int(f) for f in selected[len(training.kept) :] if np.isnan(scores[f])]
        if never:
            warn(
                f"the lasso path let in {len(selected) - len(never)} of {wanted} features asked for; the others "
                "are those that correlate most with what is left of the target"
            )
        selection = Selection.of_steps(
            selected,
            scores[selected],
            relevances,
            n_evaluations=sum(entry.n_points for entry in entries),
            explanation=Entered(penalties),
        )
        return self._finish(training.features, selection, wanted)


@dataclass
class Entries:
    """What one path says of each feature.

    Attributes
    ----------
    penalty : ndarray of shape (n_features,)
        At first entry; 0 for features that never entered.
    rest : ndarray of shape (n_features,)
        Absolute product with the residual at the end of the path, for features that never entered.
    correlation : ndarray of shape (n_features,)
        Absolute correlation with the target.
    n_points : int
    """

    penalty: Floats
    rest: Floats
    correlation: Floats
    n_points: int


def _entries(
    columns: Array,
    features: Features,
    weights: Array | None,
    targets: list[Floats],
    wanted: int,
) -> list[Entries]:
    """The paths of some columns to each target."""
    Z = _standardized(columns[features].T.astype(np.float64), weights)
    distinct = _distinct(Z)
    return [_first_entries(Z, target, wanted, distinct) for target in targets]


def _first_entries(Z: Floats, target: Floats, wanted: int, distinct: Features) -> Entries:
    """Follow the path until `wanted` features have entered, or to its end."""
    n_rows, n_features = Z.shape
    n_points = 2 * wanted + 8
    while True:
        with warnings.catch_warnings():
            # Features that cannot enter for collinearity are what `rest` is for.
            warnings.simplefilter("ignore", ConvergenceWarning)
            alphas, _, path = lars_path(Z[:, distinct], target, method="lasso", max_iter=n_points)
        coefficients = np.zeros((n_features, path.shape[1]))
        coefficients[distinct] = path
        inside = coefficients != 0
        entered = inside.any(axis=1)
        at_end = len(alphas) <= n_points or alphas[-1] <= 0
        if at_end or entered.sum() >= wanted:
            break
        n_points *= 2
    # A coefficient that is not zero at a point left zero at the point before.
    first = np.maximum(np.argmax(inside, axis=1) - 1, 0)
    penalty = np.where(entered, np.maximum(alphas[first], np.finfo(float).tiny), 0.0)
    residual = target - Z @ coefficients[:, -1]
    rest = np.where(entered, 0.0, np.abs(Z.T @ residual) / n_rows)
    return Entries(penalty, rest, np.abs(Z.T @ target) / n_rows, len(alphas))


def _distinct(Z: Floats) -> Features:
    """The first of each group of columns that are equal up to sign: LARS loses its way on duplicates."""
    leading = Z[np.argmax(np.abs(Z) > 1e-9, axis=0), np.arange(Z.shape[1])]
    first: Features = np.unique((Z * np.sign(leading)).round(9), axis=1, return_index=True)[1]
    return np.sort(first)


def _targets(training: LocalData, target: str) -> list[Floats]:
    """The standardised target; with more than two classes, one indicator per class."""
    labels = training.labels
    if not uses_indicators(training, target) or labels.n_classes == 2:
        return [_standardized(labels.values[:, None], training.weights)[:, 0]]
    assert labels.codes is not None
    indicators = (labels.codes[:, None] == np.arange(labels.n_classes)).astype(np.float64)
    return list(_standardized(indicators, training.weights).T)


def _standardized(columns: Floats, weights: Array | None) -> Floats:
    """Columns of mean 0 and variance 1, stretched so that plain products over rows are weighted ones."""
    columns = rescaled(columns)
    columns = columns - np.average(columns, axis=0, weights=weights)
    variance = np.average(columns**2, axis=0, weights=weights)
    columns /= np.sqrt(np.where(variance > 0, variance, 1.0))
    if weights is not None:
        columns *= np.sqrt(weights / weights.mean())[:, None]
    return columns
