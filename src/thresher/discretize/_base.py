"""The base class of discretizers: it reads data, stores cut points and codes values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, ClassVar, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from thresher import _core
from thresher._utils.arrays import takes_arrays
from thresher._utils.checks import check_number, quiet_sums, resolve_threads
from thresher._utils.params import (
    BaseEstimator,
    OneToOneFeatureMixin,
    ThreadCount,
    TransformerMixin,
    estimator,
    param,
)
from thresher._utils.types import Array, DataLike, Floats, Mask, TargetLike, WeightsLike
from thresher.data import MOST_DISCRETE_VALUES, read_weights, to_feature_major, to_native

Cuts = tuple[Floats, NDArray[np.int64]]


# Values, rows, where each column starts, and the number of rows: some columns of a sparse matrix.
SparseColumns = tuple[Array, Array, Array, int]
# One weight per row; None for 1.
Weights = Floats | None


class Discretizer(Protocol):
    """Learns cut points for a selector."""

    def learn_cuts(self, matrix: Array, y: TargetLike, weights: Weights, n_threads: int) -> Cuts:
        """Return the cut points of every row of a feature-major matrix, and the start of each feature."""

    def learn_sparse_cuts(
        self, columns: SparseColumns, wanted: Mask, y: TargetLike, weights: Weights, n_threads: int
    ) -> Cuts:
        """Return the same for some columns of a sparse matrix, from stored values and the number of zeros."""


@estimator
class Bins(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, ABC):
    """Base class of discretizers; subclasses define how cut points are learnt."""

    n_jobs: int | None = param(ThreadCount(), default=None)

    keep_discrete = False
    _uses_target = False

    # The function of the core that learns cut points by this rule from dense columns.
    _learn: ClassVar[Callable[..., Cuts]]

    def learn_cuts(self, matrix: Array, y: TargetLike, weights: Weights, n_threads: int) -> Cuts:
        """Return the cut points of every row of a feature-major matrix, and the start of each feature."""
        return self._learn(matrix, self._rule()[1], weights, n_threads)

    def learn_sparse_cuts(
        self, columns: SparseColumns, wanted: Mask, y: TargetLike, weights: Weights, n_threads: int
    ) -> Cuts:
        """Return the same for some columns of a sparse matrix, from stored values and the number of zeros."""
        classes, n_classes = class_codes(y) if self._uses_target else (None, 1)
        rule, setting = self._rule()
        flags = wanted.view(np.uint8)
        return _core.cuts_sparse(
            *columns, flags, rule, setting, classes, n_classes, weights, n_threads
        )

    @abstractmethod
    def _rule(self) -> tuple[str, float]:
        """Return the name of the rule in the core, and its setting."""

    @abstractmethod
    def _validate_parameters(self) -> None:
        """Raise ValueError if a parameter is invalid."""

    @takes_arrays
    def fit(self, X: DataLike, y: TargetLike = None, sample_weight: WeightsLike = None) -> Self:
        """Learn the cut points of every feature.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; NaN is ignored.
        y : array-like of shape (n_samples,), default=None
            Classes; only supervised discretizers use them.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 counts like the same sample given twice; a weight of 0 removes it.

        Returns
        -------
        self : object
        """
        self._fit(X, y, sample_weight)
        return self

    @takes_arrays
    def fit_transform(
        self, X: DataLike, y: TargetLike = None, sample_weight: WeightsLike = None
    ) -> NDArray[np.uint8]:
        """Learn the cut points and code the training data in one pass.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``.

        Returns
        -------
        codes : ndarray of uint8 of shape (n_samples, n_features)
        """
        return self._code(self._fit(X, y, sample_weight))

    def _fit(self, X: DataLike, y: TargetLike, sample_weight: WeightsLike) -> Array:
        self._validate_parameters()
        X = to_native(X)
        with quiet_sums():
            if self._uses_target:
                X, y = validate_data(self, X, y, dtype="numeric", ensure_all_finite="allow-nan")
            else:
                X = validate_data(self, X, dtype="numeric", ensure_all_finite="allow-nan")
        n_threads = resolve_threads(self.n_jobs)
        given = read_weights(sample_weight, X.shape[0])
        weights = None if given is None else given.astype(np.float64)
        matrix = to_feature_major(X, n_threads)
        cuts, offsets = self.learn_cuts(matrix, y, weights, n_threads)
        if self.keep_discrete:
            cuts, offsets = _with_discrete(matrix, weights, cuts, offsets)
        counts = np.diff(offsets)
        if counts.size and counts.max() > 254:
            feature = int(counts.argmax())
            raise ValueError(
                f"feature {feature} was cut into {counts[feature] + 1} levels, but at most 255 are "
                "supported. Use fewer bins"
            )
        self._cuts, self._offsets = cuts, offsets
        self.cuts_ = np.split(cuts, offsets[1:-1])
        self.n_bins_ = counts + 1
        return matrix

    def _code(self, matrix: Array) -> NDArray[np.uint8]:
        n_threads = resolve_threads(self.n_jobs)
        return _core.apply_cuts(matrix, self._cuts, self._offsets, n_threads).T

    @takes_arrays
    def transform(self, X: DataLike) -> NDArray[np.uint8]:
        """Code every value by the number of cut points below it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        codes : ndarray of uint8 of shape (n_samples, n_features)
            Levels 0, 1, ... of each feature; 255 for NaN. Stored feature by feature.
        """
        check_is_fitted(self)
        X = to_native(X)
        with quiet_sums():
            X = validate_data(self, X, dtype="numeric", ensure_all_finite="allow-nan", reset=False)
        return self._code(to_feature_major(X, resolve_threads(self.n_jobs)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = self._uses_target
        tags.transformer_tags.preserves_dtype = []
        return tags


@estimator
class CountedBins(Bins):
    """Base class of discretizers with a number of bins."""

    n_bins: int = param(default=8, kw_only=False)
    keep_discrete: bool = param(default=False)

    def _validate_parameters(self) -> None:
        check_number("n_bins", self.n_bins, minimum=2, maximum=255, integer=True)


def class_codes(y: TargetLike) -> tuple[NDArray[np.int32], int]:
    """Return the codes of the classes, and their number."""
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    return codes.reshape(-1).astype(np.int32), len(classes)


def _with_discrete(
    matrix: Array, weights: Weights, cuts: Floats, offsets: NDArray[np.int64]
) -> Cuts:
    """Replace the cut points of discrete features by one between each two of their values."""
    pieces = []
    for column, learnt in zip(matrix, np.split(cuts, offsets[1:-1]), strict=True):
        values = column if weights is None else column[weights > 0]
        distinct = np.unique(values[~np.isnan(values)]).astype(np.float64)
        if len(distinct) <= MOST_DISCRETE_VALUES and (distinct == np.round(distinct)).all():
            pieces.append((distinct[1:] + distinct[:-1]) / 2)
        else:
            pieces.append(learnt)
    return join_cuts(pieces)


def join_cuts(cuts: Sequence[Floats]) -> Cuts:
    """Return the cut points of all features as one array, and the start of each feature in it."""
    offsets = np.cumsum([0, *map(len, cuts)], dtype=np.int64)
    return np.concatenate([np.empty(0), *cuts]), offsets
