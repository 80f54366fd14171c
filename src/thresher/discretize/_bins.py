"""Discretizers: equal width, equal frequency, mean and standard deviation, MDL, and given cuts."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from thresher import _core
from thresher._utils.checks import check_choice, feature_position, shown
from thresher._utils.params import estimator, param
from thresher._utils.types import Array, Floats, Indices, Mask, Names, TargetLike
from thresher.discretize._base import (
    Bins,
    CountedBins,
    Cuts,
    SparseColumns,
    Weights,
    class_codes,
    join_cuts,
)


class EqualFrequencyBins(CountedBins):
    """Bins with about the same number of samples.

    The bin of a value is ``floor(n_bins * (2 * less + equal) / (2 * n_samples))``, where ``less``
    and ``equal`` count the training samples below it and at it. Equal values share a bin, both tails are treated in the
    same way, and the order of samples does not matter. Bins without training samples are left out.

    Parameters
    ----------
    n_bins : int, default=8
        Number of bins, 2 to 255.
    keep_discrete : bool, default=False
        Code a feature of integers with at most 10 distinct values by one level per value. This applies in
        `discretize` of a selector too, where a rule passed by name keeps such features.
    n_jobs : int, default=None
        Number of threads, as in scikit-learn. The codes do not depend on it.

    Attributes
    ----------
    cuts_ : list of ndarray
        The ascending cut points of every feature.
    n_bins_ : ndarray of shape (n_features,)
        Number of levels of every feature; 1 for a constant feature.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    See Also
    --------
    EqualWidthBins : Bins of the same width.
    MDLBins : Supervised bins.

    Notes
    -----
    Time O(n log n) per feature. NaN is ignored in learning and coded as 255.

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

    _learn = staticmethod(_core.cuts_equal_frequency)

    def _rule(self) -> tuple[str, float]:
        return "equal-frequency", self.n_bins


class EqualWidthBins(CountedBins):
    """Bins of the same width between the smallest and the largest value.

    A value at a threshold belongs to the bin below it. Cut points are moved to the middle of the gap between samples
    that contains the threshold. Bins without training samples are left out.

    Parameters
    ----------
    n_bins, keep_discrete, n_jobs
        See `EqualFrequencyBins`.

    Attributes
    ----------
    cuts_, n_bins_, n_features_in_, feature_names_in_
        See `EqualFrequencyBins`.

    See Also
    --------
    EqualFrequencyBins : Bins with about the same number of samples.
    MeanSdBins : Three levels around the mean.

    Notes
    -----
    Time O(n n_bins) per feature. NaN is ignored in learning and coded as 255.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher.discretize import EqualWidthBins
    >>> X = np.array([[1.0], [2.0], [3.0], [10.0]])
    >>> EqualWidthBins(n_bins=3).fit(X).cuts_
    [array([6.5])]
    """

    _learn = staticmethod(_core.cuts_equal_width)

    def _rule(self) -> tuple[str, float]:
        return "equal-width", self.n_bins


@estimator
class MeanSdBins(Bins):
    """Three levels: low, middle and high, at ``t`` standard deviations around the mean.

    A value is above a threshold if it is larger by more than rounding (1e-12 relative). Levels without training
    samples are left out.

    Parameters
    ----------
    t : float, default=1.0
        Distance of the two thresholds from the mean, in population standard deviations.
    keep_discrete, n_jobs
        See `EqualFrequencyBins`.

    Attributes
    ----------
    cuts_, n_bins_, n_features_in_, feature_names_in_
        See `EqualFrequencyBins`.

    See Also
    --------
    EqualWidthBins : Bins of the same width.
    EqualFrequencyBins : Bins with about the same number of samples.

    Notes
    -----
    Time O(n) per feature. NaN is ignored in learning and coded as 255.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher.discretize import MeanSdBins
    >>> X = np.array([[0.0], [5.0], [5.0], [5.0], [10.0]])
    >>> MeanSdBins().fit_transform(X).ravel().tolist()
    [0, 1, 1, 1, 2]
    """

    _learn = staticmethod(_core.cuts_mean_sd)

    t: float = param(default=1.0, kw_only=False)
    keep_discrete: bool = param(default=False)

    def _validate_parameters(self) -> None:
        is_number = isinstance(self.t, Real) and not isinstance(self.t, bool)
        if not is_number or not 0 < self.t <= sys.float_info.max:
            raise ValueError(f"t must be a positive number, got {shown(self.t)}")

    def _rule(self) -> tuple[str, float]:
        return "mean-sd", float(self.t)


@estimator
class MDLBins(Bins):
    """Supervised bins of Fayyad and Irani, accepted by minimum description length.

    A range is split at the cut point with the largest decrease of class entropy, as long as the gain exceeds the
    description length of the cut point; both halves are then split in the same way. Many features get no cut point:
    alone they are uninformative about the classes.

    Parameters
    ----------
    cuts : {"n-1", "weka"}, default="n-1"
        The positions that the description of a cut point counts: all ``n - 1`` between samples, or those between
        distinct values, as in Weka. They are the same if no value repeats.
    keep_discrete, n_jobs
        See `EqualFrequencyBins`.

    Attributes
    ----------
    cuts_, n_bins_, n_features_in_, feature_names_in_
        See `EqualFrequencyBins`. A feature that is not split has no cut points and one level.

    See Also
    --------
    EqualFrequencyBins : Unsupervised bins with about the same number of samples.

    Notes
    -----
    Time O(n log n) per feature and depth of the recursion. Of cut points with equal gain the lowest is used. NaN is
    ignored in learning and coded as 255.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher.discretize import MDLBins
    >>> X = np.arange(8.0).reshape(-1, 1)
    >>> MDLBins().fit(X, [0, 0, 0, 0, 1, 1, 1, 1]).cuts_
    [array([3.5])]
    """

    _uses_target = True

    cuts: Literal["n-1", "weka"] = param(default="n-1", kw_only=False)
    keep_discrete: bool = param(default=False)

    def _validate_parameters(self) -> None:
        check_choice("cuts", self.cuts, ("n-1", "weka"))

    def learn_cuts(self, matrix: Array, y: TargetLike, weights: Weights, n_threads: int) -> Cuts:
        classes, n_classes = class_codes(y)
        return _core.cuts_mdl(matrix, classes, n_classes, self.cuts == "weka", weights, n_threads)

    def _rule(self) -> tuple[str, float]:
        return "mdl", float(self.cuts == "weka")


MOST_CUTS = 254


@estimator
class GivenBins(Bins):
    """Bins at given cut points, such as those of another fit or of a standard.

    Nothing is learnt, so data in several pieces are coded consistently. Use it to bin numbers for ``partial_fit``.

    Parameters
    ----------
    cuts : list of array-like, or dict of name or position to array-like, default=()
        Ascending cut points of every feature; the code of a value is the number of cut points strictly below it. In
        `discretize` of a selector, features that are missing from a dict, or that are None, are not binned.
    n_jobs : int, default=None
        Number of threads, as in scikit-learn.

    Attributes
    ----------
    cuts_, n_bins_, n_features_in_, feature_names_in_
        See `EqualFrequencyBins`. Bins without training samples are left out.

    See Also
    --------
    EqualFrequencyBins : Bins whose cut points are learnt.

    Examples
    --------
    >>> import numpy as np
    >>> from thresher.discretize import GivenBins
    >>> X = np.array([[1.0], [2.0], [3.0], [10.0]])
    >>> GivenBins([[2.5, 5.0]]).fit_transform(X).ravel().tolist()
    [0, 0, 1, 2]
    """

    cuts: Sequence[ArrayLike | None] | Mapping[str | int, ArrayLike] = param(
        default=(), kw_only=False
    )

    def by_feature(self, names: Names | None, n_features: int) -> list[Floats | None]:
        """Return the cut points of every feature, None for features without given ones."""
        by_position: list[Floats | None] = [None] * n_features
        if isinstance(self.cuts, Mapping):
            for feature, cuts in self.cuts.items():
                position = feature_position("cuts", feature, names, n_features)
                if by_position[position] is not None:
                    raise ValueError(
                        f"cuts contains the feature {feature!r} by name and by position. Remove one of them"
                    )
                by_position[position] = _check_cuts(cuts, feature)
            return by_position
        if isinstance(self.cuts, str) or not isinstance(self.cuts, Sequence):
            raise ValueError(
                f"cuts must be a list with the cuts of every feature, or a dict by feature, got {self.cuts!r}"
            )
        if len(self.cuts) != n_features:
            raise ValueError(
                f"cuts contains those of {len(self.cuts)} features, but X has {n_features}. "
                "Pass a dict by feature to bin only some"
            )
        return [
            None if cuts is None else _check_cuts(cuts, feature)
            for feature, cuts in enumerate(self.cuts)
        ]

    def for_features(self, features: Indices, names: Names | None, n_features: int) -> GivenBins:
        """Return the bins of some of the features of X."""
        cuts = self.by_feature(names, n_features)
        return GivenBins([cuts[feature] for feature in features], n_jobs=self.n_jobs)

    def learn_cuts(self, matrix: Array, y: TargetLike, weights: Weights, n_threads: int) -> Cuts:
        cuts, offsets = self._all_cuts(getattr(self, "feature_names_in_", None), len(matrix))
        coded = _core.apply_cuts(matrix, cuts, offsets, n_threads)
        if weights is not None and not weights.all():
            coded = np.ascontiguousarray(coded[:, weights > 0])
        used = [
            thresholds[
                np.flatnonzero(np.bincount(codes, minlength=256)[: len(thresholds) + 1])[1:] - 1
            ]
            for codes, thresholds in zip(coded, np.split(cuts, offsets[1:-1]), strict=True)
        ]
        return join_cuts(used)

    def learn_sparse_cuts(
        self, columns: SparseColumns, wanted: Mask, y: TargetLike, weights: Weights, n_threads: int
    ) -> Cuts:
        values, _, starts, n_rows = columns
        cuts = self.by_feature(getattr(self, "feature_names_in_", None), len(wanted))
        used = []
        for feature, thresholds in enumerate(cuts):
            if thresholds is None or not wanted[feature]:
                used.append(np.empty(0))
                continue
            stored = values[starts[feature] : starts[feature + 1]]
            codes = np.searchsorted(thresholds, stored[~np.isnan(stored)])
            if len(stored) < n_rows:
                codes = np.append(codes, np.searchsorted(thresholds, 0.0))
            used.append(thresholds[np.unique(codes)[1:] - 1])
        return join_cuts(used)

    def _all_cuts(self, names: Names | None, n_features: int) -> Cuts:
        cuts = self.by_feature(names, n_features)
        given = [thresholds for thresholds in cuts if thresholds is not None]
        if len(given) < n_features:
            first = next(i for i, thresholds in enumerate(cuts) if thresholds is None)
            raise ValueError(
                f"cuts has none for feature {first}. Pass an empty list for a feature with one level"
            )
        return join_cuts(given)

    def _rule(self) -> tuple[str, float]:
        return "given", 0.0

    def _validate_parameters(self) -> None:
        pass


def _check_cuts(cuts: ArrayLike, feature: object) -> Floats:
    """Return the cut points of a feature as an array; raise ValueError if they are invalid."""
    try:
        checked = np.asarray(cuts, dtype=np.float64)
    except (TypeError, ValueError):
        checked = np.full((1, 1), np.nan)
    if checked.ndim != 1 or not np.isfinite(checked).all() or (np.diff(checked) <= 0).any():
        raise ValueError(
            f"cuts of feature {feature!r} must be ascending finite numbers, got {cuts!r}"
        )
    if len(checked) > MOST_CUTS:
        raise ValueError(
            f"cuts of feature {feature!r} are {len(checked)}, but at most {MOST_CUTS} are supported. Remove some"
        )
    return checked
