"""Stability of feature sets and of rankings over several runs.

Every index accepts the selections of several runs in one of three forms: a list of sets (or lists) of feature names or
positions, a list of lists of positions, or a Boolean matrix with one row per run. ``n_features`` is the number of
features to choose from. It follows from a matrix. With sets, indices that correct for chance require it.

An index that is 0/0 for the selections (all features selected, a single run, ...) is nan.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from thresher._utils.checks import check_choice
from thresher._utils.types import Floats
from thresher.evaluate._runs import Selections, SelectionsLike
from thresher.evaluate.curves import (
    CurveComparison,
    StabilityCurve,
    StabilityGrid,
    compare_curves,
    select_sizes,
    stability_curve,
    stability_grid,
)
from thresher.search.ensemble import mean_jaccard_of

__all__ = [
    "CurveComparison",
    "NogueiraInterval",
    "NogueiraTest",
    "StabilityCurve",
    "StabilityGrid",
    "compare_curves",
    "kuncheva",
    "mean_jaccard",
    "nogueira",
    "nogueira_interval",
    "nogueira_test",
    "rank_agreement",
    "relative_weighted_consistency",
    "select_sizes",
    "stability_curve",
    "stability_grid",
]


def mean_jaccard(selections: SelectionsLike) -> float:
    """Return the mean Jaccard index over all pairs of selections.

    It is ``|A and B| / |A or B|``, averaged over the l (l - 1) / 2 unordered pairs, so that equal selections give 1
    (Schowe and Morik's equation (10) prints another divisor). Two empty sets count 1, and so does a single selection.

    Parameters
    ----------
    selections : list of sets, list of index lists, or boolean matrix
        One entry (or row) per run.

    Returns
    -------
    value : float in [0, 1]

    Notes
    -----
    The index is not corrected for chance: it rises with the share of features that is selected. Time O(M^2 u) for M
    selections of u distinct features.

    Examples
    --------
    >>> mean_jaccard([{0, 1, 2}, {1, 2, 3}])
    0.5
    """
    return mean_jaccard_of(Selections.read(selections, needs_total=False).matrix)


def kuncheva(selections: SelectionsLike, n_features: int | None = None) -> float:
    """Return Kuncheva's consistency index, for selections of equal size.

    It is the mean over pairs of ``(common - k^2/p) / (k - k^2/p)``: 1 for equal sets, 0 expected by chance.

    Parameters
    ----------
    selections : list of sets, list of index lists, or boolean matrix
        All of the same size k. Use :func:`nogueira` for other selections.
    n_features : int, default=None
        Number of features p. It follows from a Boolean matrix and is required otherwise.

    Returns
    -------
    value : float in (-1, 1]
        nan if nothing or everything is selected, or with a single selection.

    Examples
    --------
    >>> round(kuncheva([{0, 1, 2}, {1, 2, 3}], n_features=10), 3)
    0.524
    """
    read = Selections.read(selections, n_features)
    sizes, p = read.sizes, read.n_features
    if np.any(sizes != sizes[0]):
        raise ValueError(
            f"kuncheva needs selections of equal size, got sizes {sizes.min()} to {sizes.max()}. Use nogueira"
        )
    k = int(sizes[0])
    if read.n_runs < 2 or k in (0, p):
        return math.nan
    counts = read.counts.astype(np.float64)
    # Sum over pairs of the common members: each feature is shared by c (c - 1) / 2 pairs.
    common = float(np.sum(counts * (counts - 1.0))) / (read.n_runs * (read.n_runs - 1))
    return (common - k * k / p) / (k - k * k / p)


def nogueira(selections: SelectionsLike, n_features: int | None = None) -> float:
    """Return the stability of Nogueira, Sechidis and Brown, for selections of any sizes.

    It is ``1 - mean_f[M/(M-1) p_f (1 - p_f)] / (K/p (1 - K/p))`` with p_f the share of the M selections that contain
    feature f and K their mean size: 1 for equal selections, 0 expected by chance. It equals :func:`kuncheva` if all
    sizes are equal.

    Parameters
    ----------
    selections : list of sets, list of index lists, or boolean matrix
        One entry (or row) per run.
    n_features : int, default=None
        Number of features p. It follows from a Boolean matrix and is required otherwise.

    Returns
    -------
    value : float, at most 1
        nan if nothing or everything is selected, or with a single selection.

    See Also
    --------
    nogueira_interval : The same with a confidence interval.

    References
    ----------
    S. Nogueira, K. Sechidis, G. Brown, "On the stability of feature selection algorithms", JMLR 18
    (2018).

    Examples
    --------
    >>> round(nogueira([{0, 1, 2}, {1, 2, 3}], n_features=10), 3)
    0.524
    """
    return _nogueira(Selections.read(selections, n_features))[0]


@dataclass(frozen=True)
class NogueiraInterval:
    """A stability estimate with its approximate confidence interval; see :func:`nogueira_interval`."""

    value: float
    low: float
    high: float
    standard_error: float
    confidence: float


def nogueira_interval(
    selections: SelectionsLike, n_features: int | None = None, *, confidence: float = 0.95
) -> NogueiraInterval:
    """Return Nogueira's stability with a confidence interval.

    The estimate is asymptotically normal in the number M of selections. Its variance is that of the mean of the
    selections' influences. The interval is not clipped to the range of the index.

    Parameters
    ----------
    selections, n_features
        As in :func:`nogueira`. The runs should be independent given the data, as bootstrap samples are. The training
        sides of one cross-validation overlap, which makes the interval too short.
    confidence : float, default=0.95
        Coverage of the interval, between 0 and 1.

    Returns
    -------
    interval : NogueiraInterval
        ``value``, ``low``, ``high``, ``standard_error``, ``confidence``.

    Examples
    --------
    >>> runs = [{0, 1, 2}, {1, 2, 3}, {0, 1, 2}, {0, 1, 4}]
    >>> interval = nogueira_interval(runs, n_features=10)
    >>> print(f"{interval.value:.3f} [{interval.low:.3f}, {interval.high:.3f}]")
    0.524 [0.290, 0.757]
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"confidence must be between 0 and 1, got {confidence}")
    value, error = _nogueira(Selections.read(selections, n_features))
    reach = float(stats.norm.ppf(0.5 + confidence / 2)) * error
    return NogueiraInterval(value, value - reach, value + reach, error, confidence)


@dataclass(frozen=True)
class NogueiraTest:
    """Result of :func:`nogueira_test`."""

    difference: float
    statistic: float
    pvalue: float


def nogueira_test(
    first: SelectionsLike,
    second: SelectionsLike | float,
    n_features: int | None = None,
    *,
    alternative: str = "two-sided",
) -> NogueiraTest:
    """Test whether two procedures are equally stable.

    The difference of the two estimates, divided by the root of the sum of their variances, is compared with the
    standard normal distribution.

    Parameters
    ----------
    first : list of sets, list of index lists, or boolean matrix
        Independent runs of one procedure.
    second : as `first`, or float
        Independent runs of another procedure, or a stability to compare `first` with.
    n_features : int, default=None
        As in :func:`nogueira`.
    alternative : {"two-sided", "greater", "less"}, default="two-sided"
        ``"greater"`` means that the first procedure is more stable.

    Returns
    -------
    test : NogueiraTest
        ``difference`` (first minus second), ``statistic``, ``pvalue``.

    Examples
    --------
    >>> stable = [{0, 1, 2}, {0, 1, 2}, {0, 1, 3}, {0, 1, 2}]
    >>> loose = [{0, 1, 2}, {3, 4, 5}, {0, 6, 7}, {2, 5, 8}]
    >>> nogueira_test(stable, loose, n_features=10).pvalue < 0.001
    True
    """
    check_choice("alternative", alternative, ("two-sided", "greater", "less"))
    value, error = _nogueira(Selections.read(first, n_features))
    if isinstance(second, (int, float)):
        other, other_error = float(second), 0.0
    else:
        other, other_error = _nogueira(Selections.read(second, n_features))
    difference, spread = value - other, math.hypot(error, other_error)
    if spread > 0.0:
        statistic = difference / spread
    elif difference == 0.0:
        statistic = 0.0
    else:  # nan stays nan; without any variance every difference is certain
        statistic = math.copysign(math.inf, difference) if difference == difference else math.nan
    tails = {
        "two-sided": 2.0 * stats.norm.sf(abs(statistic)),
        "greater": stats.norm.sf(statistic),
        "less": stats.norm.cdf(statistic),
    }
    return NogueiraTest(difference, statistic, float(tails[alternative]))


def relative_weighted_consistency(
    selections: SelectionsLike, n_features: int | None = None
) -> float:
    """Return the relative weighted consistency of Somol and Novovicova.

    It is the weighted consistency ``sum_f c_f (c_f - 1) / (N (M - 1))``, with c_f the number of selections that contain
    feature f and N their sum, scaled to [0, 1] by the smallest and largest value for M selections with N members in
    total.

    Parameters
    ----------
    selections : list of sets, list of index lists, or boolean matrix
        One entry (or row) per run. Sizes may differ.
    n_features : int, default=None
        Number of features p. It follows from a Boolean matrix and is required otherwise.

    Returns
    -------
    value : float in [0, 1]
        nan if smallest and largest value agree, or with a single selection.

    Examples
    --------
    >>> round(relative_weighted_consistency([{0, 1, 2}, {1, 2, 3}], n_features=10), 3)
    0.667
    """
    read = Selections.read(selections, n_features)
    runs, p, total = read.n_runs, read.n_features, int(read.sizes.sum())
    if runs < 2 or total == 0:
        return math.nan
    # All three times N (M - 1), in integers: the extremes agree exactly or not at all.
    observed = int(np.sum(read.counts * (read.counts - 1)))
    over_features, over_runs = total % p, total % runs
    smallest = (total * total - p * (total - over_features) - over_features**2) // p
    largest = over_runs**2 + total * (runs - 1) - over_runs * runs
    return math.nan if smallest == largest else (observed - smallest) / (largest - smallest)


def rank_agreement(rankings: ArrayLike, *, method: str = "spearman") -> float:
    """Return the mean rank correlation over all pairs of rankings.

    Parameters
    ----------
    rankings : array-like of shape (n_runs, n_features)
        One rank (or score) per feature and run, for example the ``ranking_`` of fitted selectors.
    method : {"spearman", "kendall"}, default="spearman"
        Pearson's correlation of the average ranks, or Kendall's tau-b.

    Returns
    -------
    value : float in [-1, 1]
        nan with a single run, or if a run ties all features.

    Notes
    -----
    Ties share the average rank. A search that ranks only the selected features ties all others, and the agreement on
    features that are *not* selected then dominates the value.

    Examples
    --------
    >>> round(rank_agreement([[1, 2, 3, 4], [1, 2, 4, 3], [2, 1, 3, 4]]), 3)
    0.733
    """
    table = np.asarray(rankings, dtype=np.float64)
    if table.ndim != 2 or table.size == 0:
        raise ValueError(f"rankings must have one row per run, got an array of shape {table.shape}")
    if np.isnan(table).any():
        raise ValueError("rankings must not contain nan. Rank undefined features last")
    check_choice("method", method, ("spearman", "kendall"))
    if len(table) < 2 or np.any(table.min(axis=1) == table.max(axis=1)):
        return math.nan
    first, second = np.triu_indices(len(table), k=1)
    if method == "kendall":
        pairs = zip(table[first], table[second], strict=True)
        return float(np.mean([float(stats.kendalltau(a, b).statistic) for a, b in pairs]))
    ranks = stats.rankdata(table, axis=1)
    ranks -= ranks.mean(axis=1, keepdims=True)
    products = ranks @ ranks.T
    scale = np.sqrt(np.diag(products))
    return float(np.mean(products[first, second] / (scale[first] * scale[second])))


def _nogueira(read: Selections) -> tuple[float, float]:
    """Return the estimate and its standard error."""
    runs, p = read.n_runs, read.n_features
    mean_share = float(read.sizes.sum()) / (runs * p)  # K / p
    spread = mean_share * (1.0 - mean_share)
    if runs < 2 or spread <= 0.0:
        return math.nan, math.nan
    share = read.counts / runs
    value = 1.0 - runs / (runs - 1) * float(np.sum(share * (1.0 - share))) / p / spread
    # Influence of a run: the first-order change of the estimate by more runs like it.
    size_share = read.sizes / p
    agreement = read.matrix.astype(np.float64) @ share / p
    mean_form = 2.0 * size_share * mean_share - size_share - mean_share + 1.0
    influence: Floats = (agreement - size_share * mean_share + value / 2.0 * mean_form) / spread
    variance = 4.0 / runs**2 * float(np.sum((influence - influence.mean()) ** 2))
    return value, math.sqrt(variance)
