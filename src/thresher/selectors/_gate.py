"""Gate, then search: which features may enter a search, and how many it may choose."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Gate:
    """Features whose p-value is small enough for a search that chooses `n_features` of them.

    Attributes
    ----------
    passed : ndarray of bool
    n_features : int
        At most this many may be chosen; 0 if nothing passes.
    level : float
        The largest p-value that passes.
    """

    passed: npt.NDArray[np.bool_]
    n_features: int
    level: float


def open_gate(pvalues: Floats, fdr: float, most: int) -> Gate:
    """The largest k of at most `most` for which k p-values are at most ``fdr * k / len(pvalues)``.

    If a search then chooses k of the features that pass, whichever, the expected share of false ones is at most
    `fdr` under the condition of Benjamini and Hochberg on the p-values.

    Examples
    --------
    >>> open_gate(np.array([0.01, 0.02, 0.03, 0.5]), 0.1, 2)
    Gate(passed=array([ True,  True,  True, False]), n_features=2, level=0.05)
    """
    p = len(pvalues)
    levels = fdr * np.arange(1, most + 1) / max(p, 1)
    n_below = np.searchsorted(np.sort(pvalues), levels, side="right")
    reached = np.flatnonzero(n_below >= np.arange(1, most + 1))
    if not reached.size:
        return Gate(np.zeros(p, dtype=bool), 0, fdr / max(p, 1))
    level = float(levels[reached[-1]])
    return Gate(pvalues <= level, int(reached[-1]) + 1, level)


def gate_by_count(pvalues: Floats, pfer: float, most: int) -> Gate:
    """All features with a p-value of at most ``pfer / p``: at most `pfer` false ones are expected among them."""
    level = pfer / max(len(pvalues), 1)
    passed = pvalues <= level
    return Gate(passed, min(most, int(passed.sum())), level)


def harmonic(k: int) -> float:
    """1 + 1/2 + ... + 1/k: the price of p-values that may depend on each other in any way."""
    return float(np.sum(1.0 / np.arange(1, k + 1)))
