"""Laplacian score and SPEC: features that vary little along a graph of the samples."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal, Self, Unpack

import numpy as np

from thresher._utils.checks import warn
from thresher._utils.long_calls import call_interruptibly
from thresher._utils.params import FeatureCount, Interval, NoneOr, ThreadCount, estimator, param
from thresher._utils.types import DataLike, Floats, TargetLike
from thresher.data import LocalData, RemoteOptions, feature_blocks
from thresher.measures.graphs import (
    Graph,
    class_graph,
    given_graph,
    neighbour_graph,
    product_graph,
    smoothness,
)
from thresher.measures.rounding import round_bounded
from thresher.selectors._base import CommonParameters, all_or_nothing
from thresher.selectors._ranking import Ranking

# Eigenvalues that differ by less belong to one eigenspace.
SAME_EIGENVALUE = 1e-9


@estimator
class GraphRanking(CommonParameters, Ranking):
    """Base class of `LaplacianScore` and `SPEC`, with the graph of the samples."""

    n_features_to_select: int | float = param(FeatureCount(), default=10, kw_only=False)
    n_neighbors: int = param(Interval(1, integer=True), default=5)
    affinity: Literal["heat", "binary", "cosine", "product", "classes"] = param(default="heat")
    bandwidth: float | None = param(NoneOr(Interval(0, open_low=True)), default=None)
    graph: DataLike = param(default=None)
    missing: Literal["error", "drop_rows"] = param(default="error")
    n_jobs: int | None = param(ThreadCount(), default=None)

    @property
    def _needs_target(self) -> bool:  # type: ignore[override]
        return self.affinity == "classes" and self.graph is None

    @all_or_nothing
    def fit(self, X: DataLike, y: TargetLike = None, **remote: Unpack[RemoteOptions]) -> Self:
        """Score and select features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or str, default=None
            Classes, for ``affinity="classes"`` of `SPEC` only; otherwise ignored. Or the name of a column of X.
        **remote
            Options for files, if X is a path: `memory_limit` and `scratch`; see :doc:`/scaling`.

        Returns
        -------
        self : object
        """
        training = self._read_rows(X, y, remote=remote)
        n_select = self._count(training.features)
        return self._finish_ranking(training.features, self._score(training), n_select)

    @abstractmethod
    def _score(self, training: LocalData) -> Floats:
        """Return the score of every feature."""

    def _make_graph(self, training: LocalData) -> Graph:
        self.bandwidth_ = None
        if self.graph is not None:
            graph = given_graph(self.graph, training.n_rows)
        elif self.affinity == "product":
            graph = product_graph(training)
        elif self.affinity == "classes":
            graph = class_graph(training)
        else:
            if self.n_neighbors >= training.n_rows:
                warn(
                    f"n_neighbors={self.n_neighbors}, but a sample has only {training.n_rows - 1} others, which are "
                    "all used. Set a smaller n_neighbors"
                )
            graph, self.bandwidth_ = neighbour_graph(
                training, self.n_neighbors, self.affinity, self.bandwidth
            )
        if not graph.degree.any():
            raise ValueError(
                "the graph of samples has no edge of positive weight. Use another affinity or graph"
            )
        return graph


@estimator
class LaplacianScore(GraphRanking):
    """Rank features by their change between neighbouring samples, relative to their variance.

    ``sum_edges w_ij (x_i - x_j)^2 / sum_j d_j (x_j - mu)^2`` with degrees d and the degree-weighted mean mu.
    **Small scores are good.** The target is not used.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        Number of features, or fraction of the features that are not excluded.
    n_neighbors : int, default=5
        Two samples are joined if either is among the nearest of the other by Euclidean distance. Ties go to the lower
        sample index. No sample is its own neighbour.
    affinity : {"heat", "binary", "cosine"}, default="heat"
        Weight of an edge: ``exp(-distance^2 / bandwidth)``, 1, or the absolute cosine.
    bandwidth : float, default=None
        Bandwidth of ``"heat"``. None: the mean squared distance over all edges.
    graph : array-like or sparse matrix of shape (n_samples, n_samples), default=None
        Symmetric weights of edges, which replace the graph of neighbours.
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
        False: small scores are good.
    scores_ : ndarray of float of shape (n_features,)
        In [0, 2]; nan for constant features, which are ranked last.
    bandwidth_ : float or None
        The bandwidth in use; None without one.
    selected_, support_, ranking_, relevance_, n_evaluations_, trace_, target_kind_
        See `MRMR`; ``ranking_`` ranks all features.

    See Also
    --------
    SPEC : Other scores and graphs.

    Notes
    -----
    Distances are in data units, so standardise features with different units first. They are compared after rounding to
    32 significant bits. Scores are multiples of 2^-40; ties go to the lowest column index. Sparse X is not made dense.
    Time O(n_samples^2 n_features) for the graph and O(n_samples n_neighbors) per feature.

    References
    ----------
    X. He, D. Cai and P. Niyogi, "Laplacian score for feature selection", 2005.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from thresher import LaplacianScore
    >>> X, y = load_iris(return_X_y=True)
    >>> LaplacianScore(2).fit(X).selected_.tolist()
    [2, 3]
    """

    greater_is_better = False

    affinity: Literal["heat", "binary", "cosine"] = param(default="heat")

    def _score(self, training: LocalData) -> Floats:
        return smoothness(training, self._make_graph(training), centred=True)


@estimator
class SPEC(GraphRanking):
    """Rank features by spectral feature selection (Zhao and Liu), in three forms.

    Let f be the feature, scaled by the square roots of the degrees and normalised, l_j the eigenvalues of the
    normalised Laplacian, and a_j the coefficients of f. The scores are:

    - ``"phi1"``: ``sum_j a_j^2 l_j``, small is good;
    - ``"phi2"``: the same without the trivial eigenvector, renormalised: the Laplacian score, small is good;
    - ``"phi3"``: ``sum_{j=2..k} (2 - l_j) a_j^2`` over the k smallest eigenvalues, large is good.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        Number of features, or fraction of the features that are not excluded.
    form : {"phi1", "phi2", "phi3"}, default="phi2"
        Which of the three scores.
    n_eigenvectors : int, default=None
        The number k of ``"phi3"``, including the trivial eigenvector; None uses all. If the k-th eigenvalue equals the
        next ones (within 1e-9), these are included: the eigenvectors of one eigenvalue are an arbitrary basis of their
        space, so a part of them would be arbitrary.
    n_neighbors, bandwidth, graph
        See `LaplacianScore`.
    affinity : {"heat", "binary", "cosine", "product", "classes"}, default="heat"
        The graph of `LaplacianScore` (the first three); half the inner products of samples, for non-negative data
        (``"product"``); or 1/n_c between samples of the same class c, so that ``1 / phi2 - 1`` is the Fisher score
        (``"classes"``).
    target, keep, exclude, missing, n_jobs, verbose
        See `LaplacianScore`.

    Attributes
    ----------
    greater_is_better : bool
        True for ``"phi3"`` only.
    scores_ : ndarray of float of shape (n_features,)
        In [0, 2]. Constant features are ranked last, whatever their score.
    eigenvalues_ : ndarray of float, or None
        Eigenvalues used by ``"phi3"``, without the trivial one.
    selected_, support_, ranking_, relevance_, n_evaluations_, trace_, bandwidth_, target_kind_
        See `LaplacianScore`.

    See Also
    --------
    LaplacianScore : The same as ``"phi2"``.
    FisherScore : The same ranking as ``affinity="classes"`` with ``"phi2"``.

    Notes
    -----
    ``"phi1"`` and ``"phi2"`` need no eigenvectors: time O(edges) per feature. ``"phi1"`` favours features with a large
    mean. ``"phi3"`` shifts the trivial eigenvector out of the spectrum, so graphs with several components are handled
    correctly; time O(n_samples^3) in total. Ties go to the lowest column index. Missing values are as in
    `LaplacianScore`.

    References
    ----------
    Z. Zhao and H. Liu, "Spectral feature selection for supervised and unsupervised learning", 2007.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from thresher import SPEC
    >>> X, y = load_iris(return_X_y=True)
    >>> SPEC(2, form="phi3", n_eigenvectors=3).fit(X).selected_.tolist()
    [3, 2]
    """

    form: Literal["phi1", "phi2", "phi3"] = param(default="phi2")
    n_eigenvectors: int | None = param(NoneOr(Interval(2, integer=True)), default=None)

    @property
    def greater_is_better(self) -> bool:  # type: ignore[override]
        return bool(self.form == "phi3")

    def _score(self, training: LocalData) -> Floats:
        graph = self._make_graph(training)
        self.eigenvalues_ = None
        if self.form != "phi3":
            return smoothness(training, graph, centred=self.form == "phi2")
        scores, self.eigenvalues_ = low_frequency_share(training, graph, self.n_eigenvectors)
        return scores


def low_frequency_share(
    training: LocalData, graph: Graph, n_eigenvectors: int | None
) -> tuple[Floats, Floats]:
    """Return phi3 of every feature, and the eigenvalues used."""
    n = training.n_rows
    count = n if n_eigenvectors is None else n_eigenvectors
    if (graph.degree <= 0).any():
        isolated = int(np.argmax(graph.degree <= 0))
        raise ValueError(
            f'form="phi3" needs an edge at every sample, but sample {isolated} has none. '
            'Use form="phi2" or another graph'
        )
    root = np.sqrt(graph.degree)
    trivial = root / np.linalg.norm(root)
    normalised = np.eye(n) - graph.matrix() / np.outer(root, root)
    last = min(count, n) - 2
    # Three times the trivial direction is above the spectrum, which ends at two. NumPy's function, unlike SciPy's,
    # releases the GIL.
    values, vectors = call_interruptibly(
        np.linalg.eigh, normalised + 3 * np.outer(trivial, trivial), n_threads=training.n_threads
    )
    # Eigenvectors of one eigenvalue are an arbitrary basis of their space, so the whole space is used.
    while last + 1 < n - 1 and values[last + 1] - values[last] < SAME_EIGENVALUE:
        last += 1
    values, vectors = values[: last + 1], vectors[:, : last + 1]
    weighted = root[:, None] * vectors
    pull = np.clip(2 - values, 0, 2)
    table = training.table.rescaled
    rows: DataLike = table.matrix.T.tocsr() if table.is_sparse else table.feature_major()
    scores = np.empty(training.n_features)
    for block in feature_blocks(training.n_features, n * max(1, len(values) // 16)):
        columns = rows[block].astype(np.float64)
        squared = columns.multiply(columns) if table.is_sparse else columns**2
        norms = np.sqrt(squared @ graph.degree)[:, None]
        coefficients = np.asarray(columns @ weighted)
        share = np.divide(coefficients, norms, out=np.zeros_like(coefficients), where=norms > 0)
        scores[block] = (share**2) @ pull
    return round_bounded(np.clip(scores, 0, 2)), values
