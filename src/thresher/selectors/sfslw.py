"""Forward search by the distances between classes."""

from __future__ import annotations

from typing import Literal, Self, Unpack

import numpy as np
from scipy import sparse

from thresher import _core
from thresher._utils.long_calls import step_reporter
from thresher._utils.params import FeatureCount, estimator, param
from thresher._utils.types import DataLike, Floats, TargetLike
from thresher.data import LocalData, RemoteOptions
from thresher.measures.rounding import round_significant
from thresher.search.forward import Features
from thresher.selectors._base import (
    BaseSelector,
    CommonParameters,
    CountOrAuto,
    Selection,
    all_or_nothing,
    spread,
)
from thresher.selectors._explain import Outscored

# Largest number of values, candidates times samples, in memory at a time.
BLOCK_SIZE = 1 << 21
# Largest number of cached terms of the candidates, which steps would otherwise compute again.
MOST_KNOWN = 1 << 23


@estimator
class SFSLW(CommonParameters, BaseSelector):
    """Select features by forward search with the LW index of class separation.

    ``LW = mean_i min_j (|u_i - u_j| - rad_i - rad_j)`` over classes i != j, with centroids u and radii rad. A large
    index is good; it is negative if classes overlap. Each step adds the feature with the largest index.

    Parameters
    ----------
    n_features_to_select : int, float or "auto", default="auto"
        Number of features, fraction of the features that are not excluded, or ``"auto"``: stop when no feature
        increases the index.
    radius : {"max", "mean"}, default="max"
        Radius of a class: the largest or the mean distance of its samples to the centroid.
    standardize : bool, default=True
        Standardise the features, because the index is in data units.
    keep, exclude : list of str or int, default=None
        Forced-in features and features never to select, by name or position.
    missing : {"error", "drop_rows"}, default="error"
        Missing values raise an error, or their samples are dropped.
    verbose : int, default=0
        1 prints a line per step and one at the end; the logger ``thresher`` gets the same lines at level INFO.

    Attributes
    ----------
    greater_is_better : bool
        True: a large index is good.
    scores_ : ndarray of float of shape (n_features,)
        The index when the feature was selected; nan for features not selected.
    n_evaluations_ : int
        Number of sets whose index was computed.
    selected_, support_, ranking_, relevance_, trace_, target_kind_
        See `MRMR`; ``relevance_`` is the index of each feature alone.

    See Also
    --------
    FisherScore : Class separation by one feature at a time.

    Notes
    -----
    Ties go to the lowest column index; indices are rounded to 40 significant bits. Time O(n_samples + n_classes^2) per
    candidate and step. The terms of candidates are cached, up to 64 MB. Sparse X is rejected because distances to
    centroids would make it dense; `FisherScore` supports it.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from thresher import SFSLW
    >>> X, y = load_iris(return_X_y=True)
    >>> SFSLW(2).fit(X, y).selected_.tolist()
    [3, 2]
    """

    _classes_only = True
    _takes_sparse = False
    greater_is_better = True

    n_features_to_select: CountOrAuto = param(
        FeatureCount(auto=True), default="auto", kw_only=False
    )
    radius: Literal["max", "mean"] = param(default="max")
    standardize: bool = param(default=True)
    missing: Literal["error", "drop_rows"] = param(default="error")

    @all_or_nothing
    def fit(self, X: DataLike, y: TargetLike, **remote: Unpack[RemoteOptions]) -> Self:
        """Select features.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or strNone
            Classes; or the name of a column of the dataframe X.
        **remote
            Options for files, if X is a path: `memory_limit` and `scratch`; see :doc:`/scaling`.

        Returns
        -------
        self : SFSLW
        """
        if sparse.issparse(X):
            raise TypeError(
                "SFSLW needs dense X to measure distances to centroids, got a sparse matrix. Pass X.toarray(), "
                "or use FisherScore, which supports sparse X"
            )
        training = self._read_rows(X, y, remote=remote)
        training.schema.reject_categories()
        if not self.standardize:
            training.schema.reject_unsquarable()
        n_select = self._count_or_auto(training.features)
        index = LWIndex(training, self.radius, self.standardize)
        remaining = training.candidates.copy()
        remaining[training.kept] = False
        selected: list[int] = []
        values: list[float] = []
        for feature in training.kept.tolist():
            values.append(float(index.with_each(np.array([feature]))[0]))
            index.add(feature)
            selected.append(feature)
        candidates = np.flatnonzero(remaining)
        relevance = np.full(training.n_features, np.nan)
        n_evaluations = len(values)
        last_scores = np.full(training.n_features, np.nan)
        show = step_reporter(self, training.names, n_select)
        while candidates.size and (n_select is None or len(selected) < n_select):
            scores = index.with_each(candidates)
            if not selected:
                relevance[candidates] = scores
            n_evaluations += len(candidates)
            last_scores[candidates] = scores
            best = int(np.argmax(scores))
            if n_select is None and values and not scores[best] > values[-1]:
                break
            selected.append(int(candidates[best]))
            values.append(float(scores[best]))
            index.add(selected[-1])
            if show is not None:
                show(len(selected), selected[-1], values[-1])
            candidates = np.delete(candidates, best)
        return self._finish(
            training.features,
            Selection(
                selected=selected,
                scores=spread(training.n_features, selected, values),
                relevance=relevance,
                n_evaluations=n_evaluations,
                trace={"feature": selected, "score": values},
                explanation=Outscored(last_scores, "index with it"),
            ),
            n_select,
        )


class LWIndex:
    """The LW index of a growing set, from squared distances of samples to centroids and between centroids."""

    def __init__(self, training: LocalData, radius: str, standardize: bool) -> None:
        codes = training.labels.class_codes
        order = np.argsort(codes, kind="stable")
        self.starts = np.searchsorted(codes[order], np.arange(training.labels.n_classes))
        self.sizes = np.bincount(codes)
        table = training.table.rescaled if standardize else training.table
        self.columns = _core.feature_major(table.matrix, table.n_threads, order.astype(np.uint32))
        self.radius = radius
        self.standardize = standardize
        self.of_samples = np.zeros(training.n_rows)
        self.of_centroids = np.zeros((len(self.sizes), len(self.sizes)))
        # Candidates and their terms, if these fit into memory.
        self._known: tuple[Features, Floats, Floats] | None = None

    def _terms(self, features: Features) -> tuple[Floats, Floats]:
        """Return what each feature adds to the squared distances."""
        columns = self.columns[features].astype(np.float64)
        if self.standardize:
            columns -= columns.mean(axis=1, keepdims=True)
            deviation = np.sqrt((columns**2).mean(axis=1, keepdims=True))
            columns /= np.where(deviation > 0, deviation, 1.0)
        centroids = np.add.reduceat(columns, self.starts, axis=1) / self.sizes
        columns -= np.repeat(centroids, self.sizes, axis=1)
        return columns**2, (centroids[:, :, None] - centroids[:, None, :]) ** 2

    def with_each(self, features: Features) -> Floats:
        """Return, for each of these features (ascending), the index of the set with it."""
        n, n_classes = len(self.of_samples), len(self.sizes)
        known = self._known is not None and bool(np.isin(features, self._known[0]).all())
        if not known and len(features) * (n + n_classes**2) <= MOST_KNOWN:
            self._known = (features, *self._terms(features))
            known = True
        if known and self._known is not None:
            # Computed for all cached candidates: selecting some would copy them.
            every, samples, centroids = self._known
            values = self._values(samples, centroids)[np.searchsorted(every, features)]
            return round_significant(values)
        block = max(1, BLOCK_SIZE // n)
        parts = [
            self._values(*self._terms(features[start : start + block]))
            for start in range(0, len(features), block)
        ]
        return round_significant(np.concatenate(parts))

    def _values(self, samples: Floats, centroids: Floats) -> Floats:
        distances = samples + self.of_samples
        if self.radius == "max":
            radii = np.sqrt(np.maximum.reduceat(distances, self.starts, axis=1))
        else:
            np.sqrt(distances, out=distances)
            radii = np.add.reduceat(distances, self.starts, axis=1) / self.sizes
        gaps = np.sqrt(centroids + self.of_centroids)
        gaps -= radii[:, :, None] + radii[:, None, :]
        gaps[:, np.arange(len(self.sizes)), np.arange(len(self.sizes))] = np.inf
        values: Floats = gaps.min(axis=2).mean(axis=1)
        return values

    def add(self, feature: int) -> None:
        """Add the feature to the set."""
        samples, centroids = self._terms(np.array([feature]))
        self.of_samples += samples[0]
        self.of_centroids += centroids[0]
