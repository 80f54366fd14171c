"""Relief, ReliefF (with RReliefF for numeric targets) and MultiSURF."""

from __future__ import annotations

from typing import Literal, Self, Unpack

import numpy as np
from scipy import sparse
from sklearn.utils import ClassifierTags, Tags, check_random_state

from thresher import _core
from thresher._utils.checks import resolve_features, warn
from thresher._utils.params import FeatureCount, Interval, NoneOr, ThreadCount, estimator, param
from thresher._utils.types import DataLike, FeatureNames, RandomState, TargetKind, TargetLike
from thresher.data import LocalData, RemoteOptions, to_feature_major
from thresher.selectors._base import CommonParameters, all_or_nothing
from thresher.selectors._ranking import Ranking


@estimator
class NeighbourWeights(CommonParameters, Ranking):
    """Base class of the Relief family: weights from the nearest neighbours of each sample."""

    _classes_only = True
    _takes_sparse = False
    _kind = ""

    n_features_to_select: int | float = param(FeatureCount(), default=10, kw_only=False)
    n_samples: int | None = param(NoneOr(Interval(1, integer=True)), default=None)
    categorical_features: FeatureNames = param(default=None)
    missing: Literal["error", "expected", "drop_rows"] = param(default="error")
    random_state: RandomState = param(default=None)
    n_jobs: int | None = param(ThreadCount(), default=None)

    @all_or_nothing
    def fit(self, X: DataLike, y: TargetLike, **remote: Unpack[RemoteOptions]) -> Self:
        """Score and select features.

        Parameters
        ----------
        X : array-like or dataframe of shape (n_samples, n_features)
        y : array-like of shape (n_samples,) or strNone
            Classes; numbers only for `ReliefF`; or the name of a column of the dataframe X.
        **remote
            Options for files, if X is a path: `memory_limit` and `scratch`; see :doc:`/scaling`.

        Returns
        -------
        self : object
        """
        if sparse.issparse(X):
            raise TypeError(
                f"{type(self).__name__} needs dense X to find neighbours, got a sparse matrix. Pass X.toarray(), "
                "or use RRFS, FisherScore or LaplacianScore, which support sparse X"
            )
        training = self._read_rows(X, y, remote=remote)
        self._check_classes(training)
        n_select = self._count(training.features)
        n, p, names = training.n_rows, training.n_features, training.names
        rows = np.arange(n)
        if self.n_samples is not None:
            rows = check_random_state(self.random_state).permutation(n)
            rows = np.sort(rows[: self.n_samples])
        nominal = training.schema.is_category.copy()
        named = resolve_features("categorical_features", self.categorical_features, names, p)
        nominal[named] = True
        labels = training.labels
        # With a numeric target all samples are in one class.
        codes = np.zeros(n, dtype=np.int32) if labels.codes is None else labels.codes
        weights = _core.relief_weights(
            to_feature_major(training.table.rescaled.matrix, training.n_threads),
            nominal.astype(np.uint8),
            codes,
            max(1, labels.n_classes),
            rows.astype(np.uint32),
            self._kind if labels.is_nominal else "rrelieff",
            # Neighbours per class; the other kinds ignore the number.
            int(getattr(self, "n_neighbors", 1)),
            training.n_threads,
            None if labels.is_nominal else labels.values,
        )
        return self._finish_ranking(training.features, weights, n_select)

    def _check_classes(self, training: LocalData) -> None:
        """Raise an error or warn if the classes do not suit the method."""


@estimator
class ReliefF(NeighbourWeights):
    """Rank features by their differences between near samples of different classes and of the same class.

    The weight of a feature is, over all samples, its mean difference to the nearest misses in each other class,
    weighted by the prior of that class, minus its mean difference to the nearest hits. It detects features that matter
    only in combination.

    With a numeric target this is RReliefF: how much a feature differs between near samples with different targets,
    minus how much it differs between near samples with similar targets. If ``diff`` is the difference of a feature,
    ``c`` that of the target (relative to its range) and ``d`` the influence of a neighbour, the weight is
    ``sum(diff c d) / sum(c d) - sum(diff (1 - c) d) / sum((1 - c) d)``.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        Number of features, or fraction of the features that are not excluded.
    n_neighbors : int, default=10
        Number of nearest samples per class, by the sum of differences; smaller classes contribute all samples. With a
        numeric target, the nearest of all samples. The influence of the r-th neighbour is then proportional to
        ``exp(-(r / 20)^2)``, so a large number such as 70 blurs less than with equal weights.
    n_samples : int, default=None
        Number of samples, drawn without replacement, whose neighbours are examined; None examines all.
    categorical_features : list of str or int, default=None
        Features whose values have no order, in addition to categorical, string and bool columns. Their values differ by
        0 or 1.
    target : {"auto", "nominal", "numeric"}, default="auto"
        ``"auto"`` reads text, Booleans, and integer values with 5 rows each as classes, other numbers as
        numbers; see :ref:`target-kind`.
    keep, exclude : list of str or int, default=None
        Forced-in features and features never to select, by name or position.
    missing : {"error", "expected", "drop_rows"}, default="error"
        Missing values raise an error, have an expected difference, or their samples are dropped. The expected
        difference to another value is 1 minus the probability of that value, given the class of the sample with the
        missing value (or over all samples if the target is numeric). Numbers are binned by equal frequency for this.
    random_state : int, RandomState or None, default=None
        Random seed of `n_samples`.
    n_jobs : int, default=None
        Number of threads. The result does not depend on it.
    verbose : int, default=0
        1 prints a line at the end; the logger ``thresher`` gets the same lines at level INFO.

    Attributes
    ----------
    greater_is_better : bool
        True: large weights are good.
    scores_ : ndarray of float of shape (n_features,)
        Weights in [-1, 1].
    selected_, support_, ranking_, relevance_, n_evaluations_, trace_, target_kind_
        See `MRMR`; ``ranking_`` ranks all features.

    See Also
    --------
    MultiSURF : Needs no number of neighbours.
    Relief : The original method for two classes.

    Notes
    -----
    Differences of numbers are divided by the range of the feature. Distances are compared after rounding to 32
    significant bits. Ties among neighbours go to the lower sample index, among features to the lower column index.
    Time O(n_samples^2 n_features); memory: one single-precision copy of X. Sparse X is rejected because it would
    have to be made dense; `RRFS` and `FisherScore` support it.

    References
    ----------
    M. Robnik-Sikonja and I. Kononenko, "Theoretical and empirical analysis of ReliefF and RReliefF", 2003.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher import ReliefF
    >>> rng = np.random.default_rng(0)
    >>> X = rng.integers(0, 2, size=(200, 6)).astype(float)
    >>> y = (X[:, 1] != X[:, 4]).astype(int)
    >>> sorted(ReliefF(2).fit(X, y).selected_.tolist())
    [1, 4]
    >>> effect = 3.0 * y + rng.normal(size=200)
    >>> sorted(ReliefF(2).fit(X, effect).selected_.tolist())
    [1, 4]
    """

    _kind = "relieff"
    _classes_only = False

    n_neighbors: int = param(Interval(1, integer=True), default=10)
    target: TargetKind = param(default="auto")

    def _check_classes(self, training: LocalData) -> None:
        labels = training.labels
        group, size = "the training set", training.n_rows
        if labels.codes is not None:
            assert labels.classes is not None
            sizes = np.bincount(labels.codes)
            smallest = int(np.argmin(sizes))
            group, size = f"the smallest class, {labels.classes[smallest]},", int(sizes[smallest])
        if size <= self.n_neighbors:
            warn(
                f"n_neighbors={self.n_neighbors}, but {group} has size {size}, so fewer neighbours are used. "
                "Set a smaller n_neighbors"
            )


class Relief(NeighbourWeights):
    """Rank features by the original Relief for two classes.

    It uses one nearest hit and one nearest miss of every sample, and squared differences.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        Number of features, or fraction of the features that are not excluded.
    n_samples, categorical_features, keep, exclude, missing, random_state, n_jobs, verbose
        See `ReliefF`.

    Attributes
    ----------
    greater_is_better : bool
        True: large weights are good.
    scores_, selected_, support_, ranking_, relevance_, n_evaluations_, trace_, target_kind_
        See `ReliefF`.

    See Also
    --------
    ReliefF : More neighbours, more classes and numeric targets.

    Notes
    -----
    Neighbours are nearest by Euclidean distance. Ties, missing values, sparse X and cost are as in `ReliefF`.

    References
    ----------
    K. Kira and L. Rendell, "A practical approach to feature selection", 1992.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from thresher import Relief
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> Relief(2).fit(X, y).get_feature_names_out().tolist()
    ['worst radius', 'worst concave points']
    """

    _kind = "relief"

    def _check_classes(self, training: LocalData) -> None:
        if training.labels.n_classes > 2:
            raise ValueError(
                "Only binary classification is supported by Relief, but y has "
                f"{training.labels.n_classes} classes. Use ReliefF"
            )

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags = ClassifierTags(multi_class=False)
        return tags


class MultiSURF(NeighbourWeights):
    """Rank features as `ReliefF` does, with all unusually near samples as neighbours.

    No number of neighbours has to be set. The neighbours of a sample are those nearer than the mean minus half a
    standard deviation of its distances to all other samples. Hits and misses then count as in `ReliefF`, and the priors
    are distributed over the classes that have a near miss.

    Parameters
    ----------
    n_features_to_select : int or float, default=10
        Number of features, or fraction of the features that are not excluded.
    n_samples, categorical_features, keep, exclude, missing, random_state, n_jobs, verbose
        See `ReliefF`.

    Attributes
    ----------
    greater_is_better : bool
        True: large weights are good.
    scores_, selected_, support_, ranking_, relevance_, n_evaluations_, trace_, target_kind_
        See `ReliefF`.

    See Also
    --------
    ReliefF : Neighbours by number; numeric targets.

    Notes
    -----
    Distances, ties, missing values and sparse X are as in `ReliefF`. Numeric targets are not supported. Time
    O(n_samples^2 n_features). Memory: up to two copies of X in double precision and, up to 4,096 samples, the table of
    their distances.

    References
    ----------
    R. Urbanowicz et al., "Benchmarking Relief-based feature selection methods for bioinformatics data mining", 2018.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from thresher import MultiSURF
    >>> X, y = load_iris(return_X_y=True)
    >>> MultiSURF(2).fit(X, y).selected_.tolist()
    [3, 2]
    """

    _kind = "multisurf"
