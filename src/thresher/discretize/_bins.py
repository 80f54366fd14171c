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
        Give a feature of whole numbers with at most 10 distinct values one level per value. Holds in a selector's
        `discretize` too; a rule given there by name keeps such features.
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

    _learn = staticmethod(_core.cuts_equal_frequency)

    def _rule(self) -> tuple[str, float]:
        return "equal-frequency", self.n_bins


class EqualWidthBins(CountedBins):
    """Bins of the same width between the smallest and the largest value.

    A value at a threshold belongs to the bin below it. Cuts are moved to the middle of the gap
    that holds the threshold; bins that no training sample falls into are left out.

    Parameters
    ----------
    n_bins, keep_discrete, n_jobs
        See `EqualFrequencyBins`.

    Attributes
    ----------
    cuts_, n_bins_, n_features_in_, feature_names_in_
        See `EqualFrequencyBins`.

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

    _learn = staticmethod(_core.cuts_equal_width)

    def _rule(self) -> tuple[str, float]:
        return "equal-width", self.n_bins


@estimator
class MeanSdBins(Bins):
    """Three levels: low, middle and high, at ``t`` standard deviations around the mean.

    A value is above a threshold if it is larger; one that meets the threshold but for rounding
    (1e-12 relative) is not. Levels that no training sample falls into are left out.

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

    A range is cut where the class entropy falls most, as long as the gain pays for describing the
    cut; both halves are then treated alike. Many features get no cut at all: they tell nothing
    about the classes on their own.

    Parameters
    ----------
    cuts : {"n-1", "weka"}, default="n-1"
        What the description of a cut chooses from: all ``n - 1`` places between samples, or the
        places between distinct values, as Weka counts them. The same where no value repeats.
    keep_discrete, n_jobs
        See `EqualFrequencyBins`.

    Attributes
    ----------
    cuts_, n_bins_, n_features_in_, feature_names_in_
        See `EqualFrequencyBins`. A feature that is not cut has no cuts and one level.

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
    """Bins at given cuts, such as those of another fit or of a standard.

    Nothing is learnt, so data that come in pieces are coded alike: this is how numbers are binned for ``partial_fit``.

    Parameters
    ----------
    cuts : list of array-like, or dict of name or position to array-like, default=()
        Ascending cuts of every feature; the code of a value is the number of cuts strictly below it. In a selector's
        `discretize` features that a dict does not name, or that stand as None, are taken as they are.
    n_jobs : int, default=None
        Number of threads, as in scikit-learn.

    Attributes
    ----------
    cuts_, n_bins_, n_features_in_, feature_names_in_
        See `EqualFrequencyBins`. Bins that no training sample falls into are left out.

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
        """The cuts of every feature, None where there are none given."""
        found: list[Floats | None] = [None] * n_features
        if isinstance(self.cuts, Mapping):
            for feature, cuts in self.cuts.items():
                place = feature_position("cuts", feature, names, n_features)
                if found[place] is not None:
                    raise ValueError(
                        f"cuts names the feature {feature!r} by name and position; name it once"
                    )
                found[place] = _check_cuts(cuts, feature)
            return found
        if isinstance(self.cuts, str) or not isinstance(self.cuts, Sequence):
            raise ValueError(
                f"cuts must be a list with the cuts of every feature, or a dict by feature, got {self.cuts!r}"
            )
        if len(self.cuts) != n_features:
            raise ValueError(
                f"cuts holds those of {len(self.cuts)} features, but X has {n_features}; "
                "give a dict by feature if only some are to be cut"
            )
        return [
            None if cuts is None else _check_cuts(cuts, feature)
            for feature, cuts in enumerate(self.cuts)
        ]

    def on(self, features: Indices, names: Names | None, n_features: int) -> GivenBins:
        """The bins of some of the features of X."""
        cuts = self.by_feature(names, n_features)
        return GivenBins([cuts[feature] for feature in features], n_jobs=self.n_jobs)

    def learn_cuts(self, matrix: Array, y: TargetLike, weights: Weights, n_threads: int) -> Cuts:
        cuts, offsets = self._all_cuts(getattr(self, "feature_names_in_", None), len(matrix))
        coded = _core.apply_cuts(matrix, cuts, offsets, n_threads)
        if weights is not None and not weights.all():
            coded = np.ascontiguousarray(coded[:, weights > 0])
        used = [
            own[np.flatnonzero(np.bincount(codes, minlength=256)[: len(own) + 1])[1:] - 1]
            for codes, own in zip(coded, np.split(cuts, offsets[1:-1]), strict=True)
        ]
        return join_cuts(used)

    def learn_sparse_cuts(
        self, columns: SparseColumns, wanted: Mask, y: TargetLike, weights: Weights, n_threads: int
    ) -> Cuts:
        values, _, starts, n_rows = columns
        cuts = self.by_feature(getattr(self, "feature_names_in_", None), len(wanted))
        used = []
        for feature, own in enumerate(cuts):
            if own is None or not wanted[feature]:
                used.append(np.empty(0))
                continue
            stored = values[starts[feature] : starts[feature + 1]]
            codes = np.searchsorted(own, stored[~np.isnan(stored)])
            if len(stored) < n_rows:
                codes = np.append(codes, np.searchsorted(own, 0.0))
            used.append(own[np.unique(codes)[1:] - 1])
        return join_cuts(used)

    def _all_cuts(self, names: Names | None, n_features: int) -> Cuts:
        cuts = self.by_feature(names, n_features)
        given = [own for own in cuts if own is not None]
        if len(given) < n_features:
            first = next(i for i, own in enumerate(cuts) if own is None)
            raise ValueError(
                f"cuts gives none for feature {first}; give an empty list where all values are one level"
            )
        return join_cuts(given)

    def _rule(self) -> tuple[str, float]:
        return "given", 0.0

    def _validate_parameters(self) -> None:
        pass


def _check_cuts(cuts: ArrayLike, feature: object) -> Floats:
    try:
        own = np.asarray(cuts, dtype=np.float64)
    except (TypeError, ValueError):
        own = np.full((1, 1), np.nan)
    if own.ndim != 1 or not np.isfinite(own).all() or (np.diff(own) <= 0).any():
        raise ValueError(
            f"cuts of feature {feature!r} must be ascending finite numbers, got {cuts!r}"
        )
    if len(own) > MOST_CUTS:
        raise ValueError(
            f"cuts of feature {feature!r} are {len(own)}, at most {MOST_CUTS} can be coded"
        )
    return own
