"""Discretisers: continuous features in, a few levels out.

A cut lies midway between two neighbouring values of the training data, and the code of a value is
the number of cuts strictly below it. Each discretiser is a scikit-learn transformer; selectors use
them by name through :func:`make_discretizer`.
"""

from __future__ import annotations

import difflib
from abc import ABC, abstractmethod
from collections.abc import Callable
from numbers import Integral, Real
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray
from scipy.sparse import issparse
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from thresher import _core
from thresher.sources import MOST_DISCRETE_VALUES, to_feature_major

__all__ = [
    "EqualFrequencyBins",
    "EqualWidthBins",
    "MDLBins",
    "MeanSdBins",
    "make_discretizer",
]

_Cuts = tuple[NDArray[np.float64], NDArray[np.int64]]


class _Bins(OneToOneFeatureMixin, TransformerMixin, BaseEstimator, ABC):  # type: ignore[misc]
    """What all discretisers share; a subclass says how cuts are learnt."""

    keep_discrete: bool
    n_jobs: int | None
    _uses_target = False

    @abstractmethod
    def learn_cuts(
        self,
        matrix: NDArray[Any],
        y: Any,
        weights: NDArray[np.float64] | None,
        n_threads: int,
    ) -> _Cuts:
        """The cuts of every row of a feature-major matrix, and where each feature's begin."""

    def learn_sparse_cuts(
        self,
        columns: tuple[Any, Any, Any, int],
        wanted: NDArray[np.bool_],
        y: Any,
        weights: NDArray[np.float64] | None,
        n_threads: int,
    ) -> _Cuts:
        """The same of some columns of a sparse matrix, from the stored values and the number of zeros.

        `columns`: values, rows, where each column starts, and the number of rows.
        """
        classes, n_classes = _class_codes(y) if self._uses_target else (None, 1)
        rule, setting = self._rule()
        flags = wanted.view(np.uint8)
        return _core.cuts_sparse(
            *columns, flags, rule, setting, classes, n_classes, weights, n_threads
        )

    @abstractmethod
    def _rule(self) -> tuple[str, float]:
        """What the core calls the rule, and its setting."""

    @abstractmethod
    def _validate_parameters(self) -> None:
        """Raise ValueError if a parameter makes no sense."""

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Any:
        """Learn the cuts of every feature.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Numbers; NaN is passed over.
        y : array-like of shape (n_samples,), default=None
            Classes; only supervised discretisers look at them.
        sample_weight : array-like of shape (n_samples,), default=None
            A weight of 2 counts like the same sample given twice, 0 removes it.

        Returns
        -------
        self : object
        """
        self._fit(X, y, sample_weight)
        return self

    def fit_transform(self, X: Any, y: Any = None, sample_weight: Any = None) -> NDArray[np.uint8]:
        """Learn the cuts and code the training data, reading it once.

        Parameters
        ----------
        X, y, sample_weight
            As in ``fit``.

        Returns
        -------
        codes : ndarray of uint8 of shape (n_samples, n_features)
        """
        matrix = self._fit(X, y, sample_weight)
        return self._code(matrix)

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> NDArray[Any]:
        self._validate_parameters()
        if self._uses_target:
            X, y = validate_data(self, X, y, dtype="numeric", ensure_all_finite="allow-nan")
        else:
            X = validate_data(self, X, dtype="numeric", ensure_all_finite="allow-nan")
        n_threads = effective_n_jobs(self.n_jobs)
        weights = _check_weights(sample_weight, X.shape[0])
        matrix = to_feature_major(X, n_threads)
        cuts, offsets = self.learn_cuts(matrix, y, weights, n_threads)
        if self.keep_discrete:
            cuts, offsets = _with_discrete(matrix, weights, cuts, offsets)
        counts = np.diff(offsets)
        if counts.size and counts.max() > 254:
            feature = int(counts.argmax())
            raise ValueError(
                f"feature {feature} was cut into {counts[feature] + 1} levels, at most 255 can be "
                "coded; ask for fewer bins"
            )
        self._cuts, self._offsets = cuts, offsets
        self.cuts_ = np.split(cuts, offsets[1:-1])
        self.n_bins_ = counts + 1
        return matrix

    def _code(self, matrix: NDArray[Any]) -> NDArray[np.uint8]:
        n_threads = effective_n_jobs(self.n_jobs)
        return _core.apply_cuts(matrix, self._cuts, self._offsets, n_threads).T

    def transform(self, X: Any) -> NDArray[np.uint8]:
        """Code every value by the number of cuts below it.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)

        Returns
        -------
        codes : ndarray of uint8 of shape (n_samples, n_features)
            Levels 0, 1, ... of each feature; 255 for NaN. Laid out feature by feature.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype="numeric", ensure_all_finite="allow-nan", reset=False)
        return self._code(to_feature_major(X, effective_n_jobs(self.n_jobs)))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = self._uses_target
        tags.transformer_tags.preserves_dtype = []
        return tags


class _CountedBins(_Bins):
    """Bins whose number is asked for."""

    def __init__(
        self, n_bins: int = 8, *, keep_discrete: bool = False, n_jobs: int | None = None
    ) -> None:
        self.n_bins = n_bins
        self.keep_discrete = keep_discrete
        self.n_jobs = n_jobs

    def _validate_parameters(self) -> None:
        _check_n_bins(self.n_bins)


class EqualFrequencyBins(_CountedBins):
    """Bins that hold about the same number of samples.

    The bin of a value is ``floor(n_bins * (2 * less + equal) / (2 * n_samples))``, where ``less``
    and ``equal`` count the training samples below it and at it. Equal values share a bin, both
    tails are treated alike, and the order of samples does not matter. Bins that no training sample
    falls into are left out.

    Parameters
    ----------
    n_bins : int, default=8
        Number of bins, 2 to 255.
    keep_discrete : bool, default=False
        Give a feature of whole numbers with at most 10 distinct values one level per value.
    n_jobs : int, default=None
        Number of threads, as in scikit-learn. The codes do not depend on it.

    Attributes
    ----------
    cuts_ : list of ndarray
        The cuts of every feature, ascending.
    n_bins_ : ndarray of shape (n_features,)
        Number of levels of every feature; 1 for a constant one.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Time O(n log n) per feature. NaN is passed over when cuts are learnt and coded as 255.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher.discretize import EqualFrequencyBins
    >>> X = np.array([[1.0], [2.0], [3.0], [10.0]])
    >>> bins = EqualFrequencyBins(n_bins=2).fit(X)
    >>> bins.cuts_
    [array([2.5])]
    >>> bins.transform([[0.0], [2.7]]).tolist()
    [[0], [1]]
    """

    def learn_cuts(
        self, matrix: NDArray[Any], y: Any, weights: NDArray[np.float64] | None, n_threads: int
    ) -> _Cuts:
        return _core.cuts_equal_frequency(matrix, self.n_bins, weights, n_threads)

    def _rule(self) -> tuple[str, float]:
        return "equal-frequency", self.n_bins


class EqualWidthBins(_CountedBins):
    """Bins of the same width between the smallest and the largest value.

    A value at a threshold belongs to the bin below it. Cuts are moved to the middle of the gap
    that holds the threshold; bins that no training sample falls into are left out.

    Parameters
    ----------
    n_bins : int, default=8
        Number of bins, 2 to 255.
    keep_discrete : bool, default=False
        Give a feature of whole numbers with at most 10 distinct values one level per value.
    n_jobs : int, default=None
        Number of threads, as in scikit-learn. The codes do not depend on it.

    Attributes
    ----------
    cuts_ : list of ndarray
        The cuts of every feature, ascending.
    n_bins_ : ndarray of shape (n_features,)
        Number of levels of every feature; 1 for a constant one.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Time O(n n_bins) per feature. NaN is passed over when cuts are learnt and coded as 255.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher.discretize import EqualWidthBins
    >>> X = np.array([[1.0], [2.0], [3.0], [10.0]])
    >>> EqualWidthBins(n_bins=3).fit(X).cuts_
    [array([6.5])]
    """

    def learn_cuts(
        self, matrix: NDArray[Any], y: Any, weights: NDArray[np.float64] | None, n_threads: int
    ) -> _Cuts:
        return _core.cuts_equal_width(matrix, self.n_bins, weights, n_threads)

    def _rule(self) -> tuple[str, float]:
        return "equal-width", self.n_bins


class MeanSdBins(_Bins):
    """Three levels: low, middle and high, at ``t`` standard deviations around the mean.

    A value is above a threshold if it is larger; one that meets the threshold but for rounding
    (1e-12 relative) is not. Levels that no training sample falls into are left out.

    Parameters
    ----------
    t : float, default=1.0
        Distance of the two thresholds from the mean, in population standard deviations.
    keep_discrete : bool, default=False
        Give a feature of whole numbers with at most 10 distinct values one level per value.
    n_jobs : int, default=None
        Number of threads, as in scikit-learn. The codes do not depend on it.

    Attributes
    ----------
    cuts_ : list of ndarray
        The cuts of every feature, ascending.
    n_bins_ : ndarray of shape (n_features,)
        Number of levels of every feature; 1 for a constant one.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Time O(n) per feature. NaN is passed over when cuts are learnt and coded as 255.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher.discretize import MeanSdBins
    >>> X = np.array([[0.0], [5.0], [5.0], [5.0], [10.0]])
    >>> MeanSdBins().fit_transform(X).ravel().tolist()
    [0, 1, 1, 1, 2]
    """

    def __init__(
        self, t: float = 1.0, *, keep_discrete: bool = False, n_jobs: int | None = None
    ) -> None:
        self.t = t
        self.keep_discrete = keep_discrete
        self.n_jobs = n_jobs

    def _validate_parameters(self) -> None:
        if not isinstance(self.t, Real) or isinstance(self.t, bool) or not 0 < self.t < np.inf:
            raise ValueError(f"t must be a positive number, got {self.t!r}")

    def learn_cuts(
        self, matrix: NDArray[Any], y: Any, weights: NDArray[np.float64] | None, n_threads: int
    ) -> _Cuts:
        return _core.cuts_mean_sd(matrix, float(self.t), weights, n_threads)

    def _rule(self) -> tuple[str, float]:
        return "mean-sd", float(self.t)


class MDLBins(_Bins):
    """Supervised bins of Fayyad and Irani, accepted by minimum description length.

    A range is cut where the class entropy falls most, as long as the gain pays for describing the
    cut; both halves are then treated alike. Many features get no cut at all: they tell nothing
    about the classes on their own.

    Parameters
    ----------
    cuts : {"n-1", "weka"}, default="n-1"
        What the description of a cut chooses from: all ``n - 1`` places between samples, or the
        places between distinct values, as Weka counts them. The same where no value repeats.
    keep_discrete : bool, default=False
        Give a feature of whole numbers with at most 10 distinct values one level per value.
    n_jobs : int, default=None
        Number of threads, as in scikit-learn. The codes do not depend on it.

    Attributes
    ----------
    cuts_ : list of ndarray
        The cuts of every feature, ascending; empty for a feature that is not cut.
    n_bins_ : ndarray of shape (n_features,)
        Number of levels of every feature.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Notes
    -----
    Time O(n log n) per feature and depth of the recursion. Of cuts with equal gain the lowest is
    taken. NaN is passed over when cuts are learnt and coded as 255.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher.discretize import MDLBins
    >>> X = np.arange(8.0).reshape(-1, 1)
    >>> MDLBins().fit(X, [0, 0, 0, 0, 1, 1, 1, 1]).cuts_
    [array([3.5])]
    """

    _uses_target = True

    def __init__(
        self, cuts: str = "n-1", *, keep_discrete: bool = False, n_jobs: int | None = None
    ) -> None:
        self.cuts = cuts
        self.keep_discrete = keep_discrete
        self.n_jobs = n_jobs

    def _validate_parameters(self) -> None:
        if self.cuts not in ("n-1", "weka"):
            raise ValueError(f"cuts must be 'n-1' or 'weka', got {self.cuts!r}")

    def learn_cuts(
        self, matrix: NDArray[Any], y: Any, weights: NDArray[np.float64] | None, n_threads: int
    ) -> _Cuts:
        classes, n_classes = _class_codes(y)
        return _core.cuts_mdl(matrix, classes, n_classes, self.cuts == "weka", weights, n_threads)

    def _rule(self) -> tuple[str, float]:
        return "mdl", float(self.cuts == "weka")


class _Foreign:
    """The cuts of a transformer of another package, read off its codes of the training data."""

    def __init__(self, transformer: Any) -> None:
        self.transformer = transformer

    def learn_cuts(
        self, matrix: NDArray[Any], y: Any, weights: NDArray[np.float64] | None, n_threads: int
    ) -> _Cuts:
        if weights is not None:
            raise ValueError(
                f"discretize={self.transformer!r} cannot be used with sample_weight; "
                'use one of thresher\'s, e.g. "equal-frequency"'
            )
        found = clone(self.transformer).fit(matrix.T, y).transform(matrix.T)
        if issparse(found) or np.shape(found) != matrix.T.shape:
            raise ValueError(
                f"discretize={self.transformer!r} must turn each feature into one column of codes, but made "
                f'{matrix.shape[0]} features into {np.shape(found)[1]} columns; set encode="ordinal"'
            )
        cuts = [_cuts_of_codes(*pair) for pair in zip(matrix, np.asarray(found).T, strict=True)]
        offsets = np.cumsum([0, *map(len, cuts)], dtype=np.int64)
        return np.concatenate(cuts).astype(np.float64), offsets

    def learn_sparse_cuts(self, *_: Any) -> _Cuts:
        raise ValueError(
            f"discretize={self.transformer!r} would have to make sparse X dense; "
            'use one of thresher\'s, e.g. "equal-frequency", or give X.toarray()'
        )


def _cuts_of_codes(values: NDArray[Any], codes: NDArray[Any]) -> NDArray[np.float64]:
    order = np.argsort(values, kind="stable")
    values, codes = values[order].astype(np.float64), codes[order]
    steps = np.flatnonzero(np.diff(codes) != 0)
    if (np.diff(codes) < 0).any() or (values[steps] == values[steps + 1]).any():
        raise ValueError(
            "discretize must give larger codes to larger values and equal ones to equal"
        )
    below, above = values[steps], values[steps + 1]
    middle = below / 2 + above / 2
    return np.where((middle >= below) & (middle < above), middle, below)


_BY_NAME: dict[str, Callable[..., _Bins]] = {
    "equal-frequency": EqualFrequencyBins,
    "equal-width": EqualWidthBins,
    "mean-sd": MeanSdBins,
    "mdl": MDLBins,
}


def make_discretizer(discretize: Any) -> Any:
    """A discretiser from its name, or the object itself.

    Parameters
    ----------
    discretize : str or object with ``fit`` and ``transform``
        ``"equal-frequency"``, ``"equal-width"``, ``"mean-sd"`` or ``"mdl"``; a setting may follow
        after a colon: ``"equal-frequency:5"`` (bins), ``"mean-sd:0.5"`` (t), ``"mdl:weka"``.

    Returns
    -------
    discretizer : object
        A new, unfitted transformer for a name. For a transformer of another package, such as scikit-learn's
        ``KBinsDiscretizer(encode="ordinal")``, an object that learns its cuts.

    Examples
    --------
    >>> from thresher.discretize import make_discretizer
    >>> make_discretizer("equal-frequency:5")
    EqualFrequencyBins(n_bins=5)
    """
    if not isinstance(discretize, str):
        if hasattr(discretize, "learn_cuts"):
            return discretize
        if hasattr(discretize, "fit") and hasattr(discretize, "transform"):
            return _Foreign(discretize)
        raise ValueError(
            f"discretize must be one of {', '.join(map(repr, _BY_NAME))} or an object with fit and "
            f"transform, got {discretize!r}"
        )
    name, colon, setting = discretize.partition(":")
    if name not in _BY_NAME:
        near = difflib.get_close_matches(name, _BY_NAME, n=1)
        hint = f"; did you mean {near[0]!r}?" if near else ""
        raise ValueError(
            f"discretize must be one of {', '.join(map(repr, _BY_NAME))}, got {discretize!r}{hint}"
        )
    if not colon:
        return _BY_NAME[name]()
    kind: Callable[[str], Any] = {"mean-sd": float, "mdl": str}.get(name, int)
    try:
        made = _BY_NAME[name](kind(setting))
        made._validate_parameters()
    except ValueError as error:
        raise ValueError(f"discretize={discretize!r} has no valid setting: {error}") from None
    return made


def _class_codes(y: Any) -> tuple[NDArray[np.int32], int]:
    check_classification_targets(y)
    classes, codes = np.unique(y, return_inverse=True)
    return codes.reshape(-1).astype(np.int32), len(classes)


def _check_n_bins(n_bins: Any) -> None:
    whole = isinstance(n_bins, Integral) and not isinstance(n_bins, bool)
    if not whole or not 2 <= n_bins <= 255:
        raise ValueError(f"n_bins must be a whole number from 2 to 255, got {n_bins!r}")


def _check_weights(sample_weight: Any, n_samples: int) -> NDArray[np.float64] | None:
    if sample_weight is None:
        return None
    weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
    if weights.shape != (n_samples,):
        raise ValueError(
            f"sample_weight must have one entry per sample ({n_samples}), got shape {weights.shape}"
        )
    if not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
        raise ValueError("sample_weight must be finite, not negative and not all zero")
    return weights


def _with_discrete(
    matrix: NDArray[Any],
    weights: NDArray[np.float64] | None,
    cuts: NDArray[np.float64],
    offsets: NDArray[np.int64],
) -> _Cuts:
    """Replace the cuts of discrete features by one between each two of their values."""
    pieces = []
    for feature, column in enumerate(matrix):
        values = column if weights is None else column[weights > 0]
        distinct = np.unique(values[~np.isnan(values)]).astype(np.float64)
        if len(distinct) <= MOST_DISCRETE_VALUES and (distinct == np.round(distinct)).all():
            pieces.append((distinct[1:] + distinct[:-1]) / 2)
        else:
            pieces.append(cuts[offsets[feature] : offsets[feature + 1]])
    counts = np.array([len(piece) for piece in pieces], dtype=np.int64)
    return np.concatenate(pieces), np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
