"""Supervised simplified silhouette filter: clusters of features, two from each."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from thresher._checks import check_number
from thresher._progress import report
from thresher._types import TargetKind
from thresher.measures import Measures
from thresher.selectors._base import Selection, all_or_nothing
from thresher.selectors._explain import Represented
from thresher.selectors._ranking import Ranking, rank_by_score

Floats = npt.NDArray[np.float64]
Features = npt.NDArray[np.intp]

MAX_ROUNDS = 100
# Memory for symmetrical uncertainties that are kept for the next look: all those of 5,792 features.
CACHE_BYTES = 1 << 28
# Features turned at a time when a triangle is mirrored, and values of a block that are summed at a time.
BLOCK_SIZE = 256
BLOCK_VALUES = 1 << 20


class S3F(Ranking):
    """Cluster features by symmetrical uncertainty; keep each cluster's medoid and its best companion.

    The distance of two features is ``(1 - SU(f, g) + |SU(f, y) - SU(g, y)|) / 2``. For every number of clusters
    k-medoids is run from far-apart starts, and the number with the best mean simplified silhouette is taken.

    Parameters
    ----------
    max_clusters : int, default=None
        Largest number of clusters tried; None: the root of the number of features.
    discretize : str, transformer or None, default="auto"
        Bins of features that are not discrete: equal frequency, 8 bins.
    target : {"auto", "nominal", "numeric"}, default="auto"
    exclude : list of str or int, default=None
    missing : {"error", "category", "drop_rows"}, default="error"
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.
    verbose : int, default=0
        1 prints a line per number of clusters and one at the end; the logger ``thresher`` gets the same at level INFO.

    Attributes
    ----------
    greater_is_better : bool
        True: ``scores_`` is the symmetrical uncertainty with the target.
    selected_ : ndarray of int
        Decreasing relevance.
    medoids_ : ndarray of int
    clusters_ : ndarray of int of shape (n_features,)
        Number of the cluster, -1 for features that are no candidates.
    silhouette_ : float
        Mean simplified silhouette of the clustering chosen.
    n_evaluations_ : int
        Symmetrical uncertainties between features that were computed.
    bins_ : Bins
    support_, ranking_, scores_, relevance_, trace_
        See `MRMR`; ``trace_`` has one entry per number of clusters.

    Notes
    -----
    Ties: the first medoid, the lowest position, the smaller number of clusters. Time O(n_samples p^2) at worst for
    p features. Up to 5,792 features every symmetrical uncertainty is computed once and held (8 p^2 bytes, 256 MiB at
    most); beyond, those that do not fit are computed at every look: filter first (`Chain`).

    References
    ----------
    T. F. Covoes and E. R. Hruschka, "Towards improving cluster-based feature selection with a simplified
    silhouette filter", 2011.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from thresher import S3F
    >>> X, y = load_iris(return_X_y=True)
    >>> S3F().fit(X, y).selected_.tolist()
    [2, 3, 1]
    """

    _missing_options = ("error", "category", "drop_rows")

    def __init__(
        self,
        max_clusters: int | None = None,
        *,
        discretize: Any = "auto",
        target: TargetKind = "auto",
        exclude: Any = None,
        missing: Literal["error", "category", "drop_rows"] = "error",
        n_jobs: int | None = None,
        verbose: int = 0,
    ) -> None:
        self.max_clusters = max_clusters
        self.discretize = discretize
        self.target = target
        self.exclude = exclude
        self.missing = missing
        self.n_jobs = n_jobs
        self.verbose = verbose

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Self:
        """Cluster and choose features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes or numbers.

        Returns
        -------
        self : S3F
        """
        if self.max_clusters is not None:
            check_number("max_clusters", self.max_clusters, minimum=2, integer=True)
        training = self._read(X, y)
        measures = Measures(training, discretize=self.discretize, default="equal-frequency")
        relevance = measures.relevance("su")
        candidates = measures.candidates("su")
        p = training.n_features
        features = np.flatnonzero(candidates)
        space = FeatureSpace(measures.pairs("su"), features, relevance)
        largest = self.max_clusters or max(2, math.isqrt(len(features)))
        best = (-math.inf, features[:1], np.zeros(len(features), dtype=np.intp))
        trace: dict[str, list[float]] = {"n_clusters": [], "silhouette": []}
        starts = space.far_apart(min(largest, len(features)))
        for k in range(2, len(starts) + 1):
            medoids, clusters = space.cluster(starts[:k])
            silhouette = space.silhouette(medoids, clusters)
            trace["n_clusters"].append(k)
            trace["silhouette"].append(silhouette)
            report(self, "%d of %d clusters: silhouette %.4g", k, len(starts), silhouette)
            if silhouette > best[0]:
                best = (silhouette, medoids, clusters)
        self.silhouette_, self.medoids_, within = best
        if len(starts) < 2:
            self.silhouette_ = 0.0
        self.clusters_ = np.full(p, -1, dtype=np.intp)
        self.clusters_[features] = within
        chosen = space.representatives(self.medoids_, within)
        chosen = chosen[np.lexsort((chosen, -relevance[chosen]))]
        ranking = np.empty(p, dtype=np.intp)
        order = rank_by_score(relevance, candidates)
        order = np.concatenate([chosen, order[~np.isin(order, chosen)]])
        ranking[order] = np.arange(1, p + 1)
        self.bins_ = measures.bins
        return self._finish(
            replace(training.columns, candidates=candidates),
            Selection(
                selected=chosen,
                scores=relevance,
                relevance=relevance,
                ranking=ranking,
                n_evaluations=space.n_evaluations,
                trace=trace,
                explanation=Represented(self.clusters_, self.medoids_),
            ),
        )


class FeatureSpace:
    """Distances of candidate features, addressed by place among the candidates inside, by position outside."""

    def __init__(self, pairs: Any, features: Features, relevance: Floats) -> None:
        self.pairs = pairs
        self.features = features.astype(np.uint32)
        self.positions = features
        self.relevance = relevance[features]
        self.n_evaluations = 0
        n_rows = max(8, CACHE_BYTES // (8 * max(1, len(features))))
        self._kept = self._all_rows() if n_rows >= len(features) else None
        self._row = lru_cache(maxsize=n_rows)(self._compute_row)
        self._known: dict[bytes, int] = {}

    def _all_rows(self) -> Floats:
        """Every symmetrical uncertainty, computed once for both of a pair; 0 of a feature with itself."""
        p = len(self.features)
        self.n_evaluations += p * (p - 1) // 2
        rows = np.zeros((p, p))
        for place in range(p - 1):
            later = slice(place + 1, p)
            values = self.pairs.values(int(self.features[place]), self.features[later])
            rows[place, later] = values[:, 0]
        for start in range(0, p, BLOCK_SIZE):
            block, below = slice(start, start + BLOCK_SIZE), slice(start + BLOCK_SIZE, p)
            rows[block, block] += rows[block, block].T
            rows[below, block] = rows[block, below].T
        return rows

    def _compute_row(self, place: int) -> Floats:
        if self._kept is not None:
            kept: Floats = self._kept[place]
            return kept
        self.n_evaluations += len(self.features) - 1
        values: Floats = self.pairs.values(int(self.features[place]), self.features)[:, 0]
        return values

    def distances(self, place: int) -> Floats:
        """Of every feature to one of them."""
        away: Floats = (1 - self._row(place) + np.abs(self.relevance - self.relevance[place])) / 2
        away[place] = 0.0
        return away

    def far_apart(self, count: int) -> list[int]:
        """The most relevant feature, then again and again the one farthest from those taken."""
        if count == 0:
            return []
        taken = [int(np.argmax(self.relevance))]
        nearest = self.distances(taken[0])
        while len(taken) < count:
            nearest[taken] = -1.0
            farthest = np.flatnonzero(nearest == nearest.max())
            taken.append(int(farthest[np.argmax(self.relevance[farthest])]))
            nearest = np.minimum(nearest, self.distances(taken[-1]))
        return taken

    def assign(self, medoids: list[int]) -> Features:
        """The cluster of every feature: that of the nearest medoid, the first of equals."""
        away = np.stack([self.distances(m) for m in medoids])
        clusters: Features = np.argmin(away, axis=0).astype(np.intp)
        clusters[medoids] = np.arange(len(medoids))
        return clusters

    def cluster(self, starts: list[int]) -> tuple[Features, Features]:
        """Medoids (positions) and clusters (by place) of k-medoids from the given starts."""
        medoids = list(starts)
        for _ in range(MAX_ROUNDS):
            clusters = self.assign(medoids)
            updated = [self.medoid(np.flatnonzero(clusters == c)) for c in range(len(medoids))]
            if updated == medoids:
                return self.positions[medoids], clusters
            medoids = updated
        return self.positions[medoids], self.assign(medoids)

    def medoid(self, members: Features) -> int:
        """The member with the largest mean of similarity to the others and relevance."""
        if len(members) == 1:
            return int(members[0])
        key = members.tobytes()
        if key not in self._known:
            sums = self._sums_within(members)
            central = sums / (len(members) - 1) + self.relevance[members]
            self._known[key] = int(members[np.argmax(central)])
        return self._known[key]

    def _sums_within(self, members: Features) -> Floats:
        """Of every member, its similarities to the others; exact, as values are multiples of 2^-40."""
        sums = np.empty(len(members))
        if self._kept is not None:
            size = max(1, BLOCK_VALUES // len(members))
            for start in range(0, len(members), size):
                some = slice(start, start + size)
                sums[some] = self._kept[np.ix_(members[some], members)].sum(axis=1)
            return sums
        for i, member in enumerate(members):
            self.n_evaluations += len(members) - 1
            row = self.pairs.values(int(self.features[member]), self.features[members])[:, 0]
            sums[i] = row.sum() - row[i]
        return sums

    def silhouette(self, medoids: Features, clusters: Features) -> float:
        """Mean simplified silhouette, a multiple of 2^-40."""
        places = np.searchsorted(self.positions, medoids)
        away = np.stack([self.distances(int(m)) for m in places])
        every = np.arange(len(clusters))
        own = away[clusters, every]
        away[clusters, every] = np.inf
        other = away.min(axis=0)
        alone = np.bincount(clusters, minlength=len(medoids))[clusters] == 1
        larger = np.maximum(own, other)
        values = np.divide(other - own, larger, out=np.zeros(len(own)), where=(larger > 0) & ~alone)
        return round(math.fsum(values) / len(values) * 2.0**40) / 2.0**40

    def representatives(self, medoids: Features, clusters: Features) -> Features:
        """Of every cluster the medoid, and the member most relevant and least similar to it."""
        chosen: list[int] = []
        for number, medoid in enumerate(medoids):
            place = int(np.searchsorted(self.positions, medoid))
            chosen.append(int(medoid))
            members = np.flatnonzero((clusters == number) & (np.arange(len(clusters)) != place))
            if members.size:
                gain = 1 - self._row(place)[members] + self.relevance[members]
                chosen.append(int(self.positions[members[np.argmax(gain)]]))
        return np.array(chosen, dtype=np.intp)
