"""Laplacian score and SPEC: features that are smooth on a graph of the samples."""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal, Self, Unpack

import numpy as np

from thresher._utils.checks import warn
from thresher._utils.long_calls import call_interruptibly
from thresher._utils.params import (
    FeatureCount,
    Interval,
    NoneOr,
    Options,
    ThreadCount,
    estimator,
    param,
)
from thresher._utils.types import DataLike, Floats, TargetLike
from thresher.data import LocalData, RemoteOptions, feature_blocks
from thresher.measures.graphs import (
    WEIGHTS,
    Graph,
    class_graph,
    given_graph,
    neighbour_graph,
    product_graph,
    smoothness,
)
from thresher.measures.rounding import round_bounded
from thresher.selectors._base import all_or_nothing
from thresher.selectors._parameters import CommonParameters
from thresher.selectors._ranking import Ranking

AFFINITIES = (*WEIGHTS, "product", "classes")
# Eigenvalues that differ by less are those of one eigenspace.
SAME_EIGENVALUE = 1e-9


@estimator
class GraphRanking(CommonParameters, Ranking):
    """What `LaplacianScore` and `SPEC` share: the graph."""

    n_features_to_select: int | float = param(FeatureCount(), default=10, kw_only=False)
    n_neighbors: int = param(Interval(1, integer=True), default=5)
    affinity: Literal["heat", "binary", "cosine", "product", "classes"] = param(
        Options(*AFFINITIES), default="heat"
    )
    bandwidth: float | None = param(NoneOr(Interval(0, open_low=True)), default=None)
    graph: DataLike = param(default=None)
    missing: Literal["error", "drop_rows"] = param(Options("error", "drop_rows"), default="error")
    n_jobs: int | None = param(ThreadCount(), default=None)

    @property
    def _needs_target(self) -> bool:  # type: ignore[override]
        return self.affinity == "classes" and self.graph is None

    @all_or_nothing
    def fit(self, X: DataLike, y: TargetLike = None, **remote: Unpack[RemoteOptions]) -> Self:
        """Score and choose features.

        Parameters
        ----------
        X : array-like, sparse matrix or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,), default=None
            Classes, needed for ``affinity="classes"`` of `SPEC` only; ignored by all else.
        **remote
            Of a table in files, which X may name: `memory_limit` and `scratch`; see :doc:`/scaling`.

        Returns
        -------
        self : object
        """
        training = self._read_rows(X, y, remote=remote)
        wanted = self._count(training.features)
        return self._finish_ranking(training.features, self._score(training), wanted)

    @abstractmethod
    def _score(self, training: LocalData) -> Floats:
        """The score of every feature."""

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
                    f"n_neighbors={self.n_neighbors}, but a sample has only "
                    f"{training.n_rows - 1} others; using those"
                )
            graph, self.bandwidth_ = neighbour_graph(
                training, self.n_neighbors, self.affinity, self.bandwidth
            )
        if not graph.degree.any():
            raise ValueError(
                "the graph of samples has no edge of positive weight; use another affinity or graph"
            )
        return graph


@estimator
class LaplacianScore(GraphRanking):
    """Rank features by how little they change between neighbouring samples, against their variance.

    ``sum_edges w_ij (x_i - x_j)^2 / sum_j d_j (x_j - mu)^2`` with degrees d and the degree-weighted mean mu.
    **A small score is good.** No labels are used.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        A number, or a fraction of the features not excluded.
    n_neighbors : int, default=5
        Samples are joined if either is among the other's nearest by Euclidean distance, ties to the lower
        position. No sample is its own neighbour.
    affinity : {"heat", "binary", "cosine"}, default="heat"
        Weight of an edge: ``exp(-distance^2 / bandwidth)``, 1, or the absolute cosine.
    bandwidth : float, default=None
        None: the mean squared distance over all edges.
    graph : array-like or sparse matrix of shape (n_samples, n_samples), default=None
        Symmetric weights to use instead.
    keep, exclude : list of str or int, default=None
    missing : {"error", "drop_rows"}, default="error"
    n_jobs : int, default=None
        Number of threads; the result does not depend on it.
    verbose : int, default=0
        1 prints a line at the end; the logger ``thresher`` gets the same at level INFO.

    Attributes
    ----------
    greater_is_better : bool
        False: a small score is good.
    scores_ : ndarray of float of shape (n_features,)
        In [0, 2]; nan, ranked last, if constant.
    bandwidth_ : float or None
    selected_, support_, ranking_, relevance_, n_evaluations_, trace_
        See `MRMR`; ``ranking_`` ranks all features.

    Notes
    -----
    Distances are in data units: standardise features of different units first. They are compared after rounding to
    32 significant bits. Scores are multiples of 2^-40, ties go to the lowest position. Sparse X is not made dense.
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

    affinity: Literal["heat", "binary", "cosine"] = param(Options(*WEIGHTS), default="heat")

    def _score(self, training: LocalData) -> Floats:
        return smoothness(training, self._make_graph(training), centred=True)


@estimator
class SPEC(GraphRanking):
    """Spectral feature selection (Zhao and Liu) in its three forms.

    With f the feature scaled by the roots of the degrees and normalised, and eigenvalues l_j of the
    normalised Laplacian with coefficients a_j of f:

    - ``"phi1"``: ``sum_j a_j^2 l_j``, small is good;
    - ``"phi2"``: the same without the trivial eigenvector, renormalised: the Laplacian score, small is good;
    - ``"phi3"``: ``sum_{j=2..k} (2 - l_j) a_j^2`` over the k smallest eigenvalues, large is good.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        A number, or a fraction of the features not excluded.
    form : {"phi1", "phi2", "phi3"}, default="phi2"
    n_eigenvectors : int, default=None
        k of ``"phi3"``, the trivial eigenvector counted; None: all. Where the k-th eigenvalue is equal to the next ones
        (within 1e-9), these count too: eigenvectors of one eigenvalue are any basis of their space, and a part of them
        would be a matter of chance.
    n_neighbors, bandwidth, graph
        See `LaplacianScore`.
    affinity : {"heat", "binary", "cosine", "product", "classes"}, default="heat"
        The graph of `LaplacianScore`; half the products of samples (non-negative data only); or
        1/n_c between samples of one class c, which makes ``1 / phi2 - 1`` the Fisher score.
    target, keep, exclude, missing, n_jobs, verbose
        See `LaplacianScore`.

    Attributes
    ----------
    greater_is_better : bool
        True for ``"phi3"`` only.
    scores_ : ndarray of float of shape (n_features,)
        In [0, 2]. Constant features are ranked last whatever the formula gives.
    eigenvalues_ : ndarray of float, or None
        Those used by ``"phi3"``, the trivial one left out.
    selected_, support_, ranking_, relevance_, n_evaluations_, trace_, bandwidth_
        See `LaplacianScore`.

    Notes
    -----
    ``"phi1"`` and ``"phi2"`` need no eigenvectors: O(edges) per feature. ``"phi1"`` favours features with a large mean.
    In ``"phi3"`` the trivial eigenvector is moved out of the spectrum, so that graphs in several pieces are
    treated right; O(n_samples^3) in all. Ties go to the lowest position.

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

    form: Literal["phi1", "phi2", "phi3"] = param(Options("phi1", "phi2", "phi3"), default="phi2")
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
    """phi3 of every feature and the eigenvalues used."""
    n = training.n_rows
    count = n if n_eigenvectors is None else n_eigenvectors
    if (graph.degree <= 0).any():
        lonely = int(np.argmax(graph.degree <= 0))
        raise ValueError(
            f'form="phi3" needs every sample to have an edge, but sample {lonely} has none; '
            'use "phi2", or a graph that joins it'
        )
    root = np.sqrt(graph.degree)
    trivial = root / np.linalg.norm(root)
    normalised = np.eye(n) - graph.matrix() / np.outer(root, root)
    last = min(count, n) - 2
    # Three times the trivial direction lies above the spectrum, which ends at two. NumPy's function, unlike SciPy's,
    # lets other threads run.
    values, vectors = call_interruptibly(
        np.linalg.eigh, normalised + 3 * np.outer(trivial, trivial), n_threads=training.n_threads
    )
    # Eigenvectors of one eigenvalue are any basis of their space, so the space is taken as a whole.
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
