"""Cost model of the Fast Ensemble: numbers of pairs, computed and estimated.

A *pair* is one pass over the rows for two features, or for a feature and the target; it serves all parts at once. After
B. Schowe and K. Morik, "Fast-Ensembles of Minimum Redundancy Feature Selection".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from thresher._utils.arrays import takes_arrays
from thresher._utils.checks import check_choice, check_number
from thresher.search.ensemble import (
    count_pairs_fast,
    count_pairs_plain,
    mean_jaccard_of,
    membership,
)

__all__ = [
    "EnsembleCost",
    "count_pairs_fast",
    "count_pairs_plain",
    "count_pairs_standard",
    "ensemble_cost",
    "estimate_overlap",
    "estimate_pairs_fast",
]

# Mean number of comparisons of one step, in three forms.
_MEAN_COMPARISONS = {
    "corrected": lambda p, k: p - k / 2,
    "printed": lambda p, k: p - (k - 1) / 2,
    "tables": lambda p, k: p - (k - 2) / 2,
}


def count_pairs_standard(n_features: int, k: int, n_parts: int) -> int:
    """Return the number of pairs of a full ensemble of `n_parts` plain runs.

    Examples
    --------
    >>> count_pairs_standard(5, 3, 3)
    36
    """
    return n_parts * count_pairs_plain(n_features, k)


def estimate_overlap(jaccard: float, k: int) -> float:
    """Return the number of features that two selections of `k` share if their Jaccard index is `jaccard`.

    Examples
    --------
    >>> estimate_overlap(0.5, 30)
    20.0
    """
    check_number("jaccard", jaccard, minimum=0, maximum=1)
    return 2.0 * jaccard * k / (jaccard + 1.0)


def estimate_pairs_fast(
    n_features: int, k: int, n_parts: int, jaccard: float, *, form: str = "corrected"
) -> float:
    """Estimate the number of pairs that a Fast Ensemble computes, T(p, k, e, J).

    Parameters
    ----------
    n_features, k, n_parts : int
        Numbers of features, of selected features and of parts.
    jaccard : float
        Mean Jaccard index of the parts' selections. The stability of the plain selector approximates it.
    form : {"corrected", "printed", "tables"}, default="corrected"
        Mean number of comparisons in a step: ``p - k/2``, which gives the exact count of one plain
        run at ``jaccard=1``; ``p - (k-1)/2`` as in the paper's equation (16); ``p - (k-2)/2``,
        which reproduces the estimates printed in its tables.

    Returns
    -------
    pairs : float

    Notes
    -----
    The estimate is rough, because it uses one Jaccard index for all positions. Compared with the published counts it is
    up to 2.3 times too low and up to 2.2 times too high.

    Examples
    --------
    >>> estimate_pairs_fast(325, 10, 5, 1.0)
    3205.0
    >>> estimate_pairs_fast(325, 10, 5, 0.0, form="printed")
    14747.5
    """
    check_choice("form", form, tuple(_MEAN_COMPARISONS))
    check_number("jaccard", jaccard, minimum=0, maximum=1)
    ratio = 2.0 * jaccard / (jaccard + 1.0)
    # Expected number of parts that are the first to need a comparison.
    parts = sum((1.0 - ratio) ** i for i in range(n_parts))
    return float(n_features + (k - 1) * _MEAN_COMPARISONS[form](n_features, k) * parts)


@dataclass(frozen=True)
class EnsembleCost:
    """Numbers of pairs of an ensemble, for one number of features to select."""

    k: int
    n_parts: int
    standard: int
    fast: int
    estimate: float

    @property
    def gain(self) -> float:
        """Pairs of a full ensemble divided by those of the Fast Ensemble."""
        return self.standard / self.fast


@takes_arrays
def ensemble_cost(
    parts: Sequence[Sequence[int]], n_features: int, k: int, *, jaccard: float | None = None
) -> EnsembleCost:
    """Compute the exact and the estimated cost of a fitted ensemble.

    Parameters
    ----------
    parts : list of lists
        Selection of each part in order of choice, such as ``Ensemble.parts_``. Only the first `k` entries count, so one
        ensemble serves every smaller `k`.
    n_features : int
        Number of features that are not constant.
    k : int
        Number of selected features.
    jaccard : float, default=None
        Jaccard index for the estimate. None uses the mean Jaccard index of the parts.

    Returns
    -------
    cost : EnsembleCost
        ``standard``, ``fast`` (exact, from the union of the parts' prefixes), ``estimate``,
        ``gain``.

    Examples
    --------
    >>> cost = ensemble_cost([[1, 3, 0], [1, 0, 4], [1, 0, 2]], n_features=5, k=3)
    >>> cost.standard, cost.fast, round(cost.gain, 2)
    (36, 14, 2.57)
    """
    prefixes = [list(entries[:k]) for entries in parts]
    if jaccard is None:
        jaccard = mean_jaccard_of(membership(prefixes))
    e = len(prefixes)
    return EnsembleCost(
        k=k,
        n_parts=e,
        standard=count_pairs_standard(n_features, k, e),
        fast=count_pairs_fast(prefixes, n_features, k),
        estimate=estimate_pairs_fast(n_features, k, e, jaccard),
    )
