"""The rules by which cuts are learnt."""

from __future__ import annotations

import sys
from numbers import Real
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher._utils.checks import shown
from thresher._utils.params import estimator, param
from thresher.discretize._base import Bins, CountedBins, Cuts, class_codes


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
        if self.cuts not in ("n-1", "weka"):
            raise ValueError(f"cuts must be 'n-1' or 'weka', got {self.cuts!r}")

    def learn_cuts(
        self, matrix: NDArray[Any], y: Any, weights: NDArray[np.float64] | None, n_threads: int
    ) -> Cuts:
        classes, n_classes = class_codes(y)
        return _core.cuts_mdl(matrix, classes, n_classes, self.cuts == "weka", weights, n_threads)

    def _rule(self) -> tuple[str, float]:
        return "mdl", float(self.cuts == "weka")
