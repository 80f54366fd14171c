"""Backward elimination by the weights of support vector machines."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher import _core

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Dropped:
    """Features in the order in which they were dropped.

    Attributes
    ----------
    features : ndarray of int
    scores : ndarray of float of shape (n_features,)
        Squared weights over all machines, of the last round that the feature was in; nan for others.
    n_unfinished : int
        Machines that did not reach the tolerance.
    """

    features: npt.NDArray[np.intp]
    scores: Floats
    n_unfinished: int


def drop_by_weight(
    columns: Floats,
    signs: Floats,
    *,
    used: npt.NDArray[np.intp],
    never: npt.NDArray[np.bool_],
    counts: list[int],
    penalty: float,
    tolerance: float,
    n_threads: int = 1,
    progress: Callable[[int, int], object] | None = None,
) -> Dropped:
    """Round after round, fit the machines of all classes and drop the features of the smallest weights.

    Parameters
    ----------
    columns : ndarray of shape (n_features, n_rows)
        Standardised.
    signs : ndarray of shape (n_machines, n_rows)
        1 for rows of the machine's class, -1 for others.
    used : ndarray of int
        The features to begin with.
    never : ndarray of bool of shape (n_features,)
        Those that are not dropped.
    counts : list of int
        How many features each round drops.
    penalty, tolerance : float
    n_threads : int
    progress : callable, default=None
        Called after each round with its number and the features left.
    """
    found, scores, n_unfinished = _core.recursive_elimination(
        columns,
        signs,
        used.astype(np.uint32),
        never.view(np.uint8),
        np.array(counts, dtype=np.uint32),
        penalty,
        tolerance,
        n_threads,
        progress,
    )
    return Dropped(found.astype(np.intp), scores, n_unfinished)
