"""Greedy forward selection by relevance and redundancy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from thresher import _core


@dataclass(frozen=True)
class Found:
    """What a greedy search found.

    Attributes
    ----------
    selected : ndarray of int
        Features in order of choice.
    scores, redundancy : ndarray of float
        Per step: the score, and the mean redundancy with the features chosen before.
    n_evaluations : int
        Feature pairs evaluated.
    nearest, nearest_value : ndarray of shape (n_features,)
        The chosen feature each feature had its largest evaluated redundancy with (-1: none), and that value.
    """

    selected: NDArray[np.intp]
    scores: NDArray[np.float64]
    redundancy: NDArray[np.float64]
    n_evaluations: int
    nearest: NDArray[np.int64]
    nearest_value: NDArray[np.float64]


def greedy_forward(
    pairs: _core.PairMeasure,
    relevance: NDArray[np.float64],
    n_select: int,
    *,
    objective: str = "difference",
    weight: float = 1.0,
    offset: float = 0.0,
    strategy: str = "lazy",
    candidates: NDArray[np.bool_] | None = None,
    kept: NDArray[np.intp] | None = None,
    progress: Callable[[int, int, float], object] | None = None,
) -> Found:
    """Add the best feature, one at a time; ties go to the lowest position.

    Every strategy gives the same features; they differ in the pairs they evaluate.
    """
    found = _core.greedy_forward(
        pairs,
        relevance,
        n_select,
        objective=objective,
        weight=float(weight),
        offset=float(offset),
        strategy=strategy,
        candidates=None if candidates is None else candidates.view(np.uint8),
        kept=None if kept is None else kept.astype(np.uint32),
        progress=progress,
    )
    return Found(
        selected=found["selected"].astype(np.intp),
        scores=found["scores"],
        redundancy=found["redundancy"],
        n_evaluations=int(found["n_evaluations"]),
        nearest=found["partner"].astype(np.int64),
        nearest_value=found["extreme"],
    )
