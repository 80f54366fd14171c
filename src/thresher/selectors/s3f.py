"""Supervised simplified silhouette filter: two features from each cluster of features."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Self, Unpack

import numpy as np

from thresher._utils.long_calls import report
from thresher._utils.params import Interval, NoneOr, ThreadCount, estimator, param
from thresher._utils.types import BinRule, DataLike, FeatureNames, Floats, TargetKind, TargetLike
from thresher.blocks import make_measures
from thresher.data import RemoteOptions
from thresher.search.forward import Features
from thresher.search.subsets import Clustering, FeatureClusters, one_cluster
from thresher.selectors._base import MissingDiscrete, all_or_nothing
from thresher.selectors._explain import Represented
from thresher.selectors._ranking import Ranking, rank_by_score

MAX_ROUNDS = 100
# Memory for symmetrical uncertainties that are cached: all those of 5,181 features.
MOST_BYTES = 1 << 28


@estimator
class S3F(Ranking):
    """Select the medoid of each cluster of features, and the best other member.

    The distance of two features is ``(1 - SU(f, g) + |SU(f, y) - SU(g, y)|) / 2``, where SU is the symmetrical
    uncertainty. For every number of clusters, k-medoids starts from features that differ widely. The number with the
    largest mean simplified silhouette is used.

    Parameters
    ----------
    max_clusters : int, default=None
        Largest number of clusters to try; None: the square root of the number of features.
    discretize : str, transformer or None, default="auto"
        Binning of features that are not discrete: equal frequency, 8 bins.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` reads text, Booleans, and integer values with 5 rows each as classes, other numbers as
        numbers; see :ref:`target-kind`.
    exclude : list of str or int, default=None
        Features never to select, by name or position.
    missing : {"error", "category", "drop_rows"}, default="error"
        Missing values raise an error, are a separate category, or their samples are dropped.
    n_jobs : int, default=None
        Number of threads. The result does not depend on it.
    verbose : int, default=0
        1 prints a line per number of clusters and one at the end; the logger ``thresher`` gets the same lines at level
        INFO.

    Attributes
    ----------
    greater_is_better : bool
        True: ``scores_`` is the symmetrical uncertainty with the target.
    selected_ : ndarray of int
        Selected features by decreasing relevance.
    medoids_ : ndarray of int
        The medoid of every cluster.
    clusters_ : ndarray of int of shape (n_features,)
        Number of the cluster; -1 for features that are not candidates.
    silhouette_ : float
        Mean simplified silhouette of the clusters in use.
    n_evaluations_ : int
        Symmetrical uncertainties between features that were computed.
    target_kind_ : {"nominal", "numeric"}
        How y was read: as classes or as numbers.
    bins_ : Bins
        The features that were binned, the rule and the bin edges.
    support_, ranking_, scores_, relevance_, trace_
        See `MRMR`; ``trace_`` has one entry per number of clusters.

    See Also
    --------
    CFS : Evaluates redundancy by a merit instead of clusters.
    Chain : Runs a filter first if there are many features.

    Notes
    -----
    Ties go to the first medoid, the lowest column index and the smaller number of clusters. Time O(n_samples p^2) at
    worst for p features. Up to 5,181 features, every symmetrical uncertainty is computed once and cached (10 p^2 bytes,
    256 MiB at most). Up to 11,585 features, those with a medoid are computed once more; beyond that, at every use, so
    run a filter first (`Chain`). 5,000 features with 8 bins take about 0.8 s of processor time with 100 samples, 1.2 s
    with 200, and 1.6 s with 1,000.

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

    max_clusters: int | None = param(NoneOr(Interval(2, integer=True)), default=None, kw_only=False)
    discretize: BinRule = param(default="auto")
    target: TargetKind = param(default="auto")
    exclude: FeatureNames = param(default=None)
    missing: MissingDiscrete = param(default="error")
    n_jobs: int | None = param(ThreadCount(), default=None)
    verbose: int = param(default=0)

    @all_or_nothing
    def fit(self, X: DataLike, y: TargetLike, **remote: Unpack[RemoteOptions]) -> Self:
        """Cluster and select features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or strNone
            Classes or numbers; or the name of a column of the dataframe X.
        **remote
            Options for files, if X is a path: `memory_limit` and `scratch`; see :doc:`/scaling`.

        Returns
        -------
        self : S3F
        """
        training = self._read_rows(X, y, remote=remote)
        measures = make_measures(training, ("su",), self.discretize, "equal-frequency")
        relevance = measures.relevance("su")
        candidates = measures.candidates("su")
        features = np.flatnonzero(candidates)
        space = FeatureClusters(
            measures.pairs("su"),
            features.astype(np.uint32),
            relevance[features],
            MOST_BYTES,
            training.n_threads,
        )
        largest = self.max_clusters or max(2, math.isqrt(len(features)))
        trace: dict[str, list[float]] = {"n_clusters": [], "silhouette": []}
        best = one_cluster(len(features))
        self.silhouette_ = -math.inf
        starts = space.far_apart(largest)
        for k in range(2, len(starts) + 1):
            result = space.cluster(starts[:k], MAX_ROUNDS)
            clustering = Clustering(result.medoids, result.clusters, result.own, result.other)
            silhouette = clustering.silhouette()
            trace["n_clusters"].append(k)
            trace["silhouette"].append(silhouette)
            report(self, "%d of %d clusters: silhouette %.4g", k, len(starts), silhouette)
            if silhouette > self.silhouette_:
                self.silhouette_, best = silhouette, clustering
        if len(starts) < 2:
            self.silhouette_ = 0.0
        self.medoids_ = features[best.medoids]
        self.clusters_ = np.full(training.n_features, -1, dtype=np.intp)
        self.clusters_[features] = best.clusters
        chosen = features[representatives(space, best, relevance[features])]
        chosen = chosen[np.lexsort((chosen, -relevance[chosen]))]
        order = rank_by_score(relevance, candidates)
        self.bins_ = measures.bins
        return self._finish_ranking(
            replace(training.features, candidates=candidates),
            relevance,
            None,
            order=np.concatenate([chosen, order[~np.isin(order, chosen)]]),
            chosen=chosen,
            n_evaluations=space.n_evaluations,
            trace=trace,
            explanation=Represented(self.clusters_, self.medoids_),
        )


def representatives(space: FeatureClusters, clustering: Clustering, relevance: Floats) -> Features:
    """Return the medoid of every cluster, and the member that is most relevant and least similar to it."""
    chosen: list[int] = []
    for number, medoid in enumerate(clustering.medoids.tolist()):
        chosen.append(medoid)
        members = np.flatnonzero(clustering.clusters == number)
        members = members[members != medoid]
        if members.size:
            gain = 1 - space.similarities(medoid)[members] + relevance[members]
            chosen.append(int(members[np.argmax(gain)]))
    return np.array(chosen, dtype=np.intp)
