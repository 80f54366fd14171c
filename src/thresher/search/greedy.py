"""Greedy forward searches over terms of pairs; each has taken `n_select` features and can be asked for more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.search.forward import ForwardSearch

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
Features = NDArray[np.intp]
Progress = Callable[[int, int, float], object]


@dataclass(frozen=True)
class Found:
    """What a forward search found.

    Attributes
    ----------
    selected : ndarray of int
        Features in order of choice.
    scores, redundancy : ndarray of float
        Per step: the score, and the mean redundancy with the features chosen before.
    n_evaluations : int
        Feature pairs evaluated.
    nearest, nearest_value : ndarray of shape (n_features,)
        The chosen feature each feature had its largest evaluated redundancy with (-1: none), and that value; for
        other terms the one that decides.
    """

    selected: Features
    scores: Floats
    redundancy: Floats
    n_evaluations: int
    nearest: NDArray[np.int64]
    nearest_value: Floats


def read_found(found: dict[str, Any]) -> Found:
    return Found(**found_fields(found))


def found_fields(found: dict[str, Any]) -> dict[str, Any]:
    """The fields of `Found` from what the core says."""
    return {
        "selected": found["selected"].astype(np.intp),
        "scores": found["scores"],
        "redundancy": found["redundancy"],
        "n_evaluations": int(found["n_evaluations"]),
        "nearest": found["partner"],
        "nearest_value": found["extreme"],
    }


def choices(candidates: Mask | None, kept: Features | None) -> dict[str, Any]:
    """The features to choose from and to start from, as the core takes them."""
    return {
        "candidates": None if candidates is None else candidates.view(np.uint8),
        "kept": None if kept is None else kept.astype(np.uint32),
    }


def greedy_forward(
    pairs: _core.PairMeasure,
    relevance: Floats,
    n_select: int,
    *,
    objective: str = "difference",
    weight: float = 1.0,
    offset: float = 0.0,
    strategy: str = "lazy",
    candidates: Mask | None = None,
    kept: Features | None = None,
    progress: Progress | None = None,
) -> ForwardSearch[Found]:
    """Add the best feature, one at a time; ties go to the lowest position.

    Every strategy gives the same features; they differ in the pairs they evaluate.
    """
    search = _core.greedy_forward(
        pairs,
        relevance,
        n_select,
        objective=objective,
        weight=float(weight),
        offset=float(offset),
        strategy=strategy,
        progress=progress,
        **choices(candidates, kept),
    )
    return ForwardSearch(search, read_found)


def greedy_accumulate(
    term: _core.PairMeasure,
    relevance: Floats,
    n_select: int,
    *,
    accumulation: str,
    strategy: str = "lazy",
    candidates: Mask | None = None,
    kept: Features | None = None,
    progress: Progress | None = None,
) -> ForwardSearch[Found]:
    """As `greedy_forward`, the score being gathered from one term per chosen feature."""
    search = _core.greedy_accumulate(
        term,
        relevance,
        n_select,
        accumulation=accumulation,
        strategy=strategy,
        progress=progress,
        **choices(candidates, kept),
    )
    return ForwardSearch(search, read_found)


def fcbf(
    pairs: _core.PairMeasure,
    relevance: Floats,
    threshold: float,
    *,
    n_select: int | None = None,
    candidates: Mask | None = None,
    kept: Features | None = None,
    progress: Progress | None = None,
) -> ForwardSearch[Found]:
    """Walk by falling relevance down to `threshold`; those more like a chosen one than the target leave."""
    search = _core.fcbf(
        pairs,
        relevance,
        float(threshold),
        n_select=n_select,
        progress=progress,
        **choices(candidates, kept),
    )
    return ForwardSearch(search, read_found)


def order_by_relevance(relevance: Floats, candidates: Mask) -> Features:
    """The candidates by falling relevance, ties by position; relevances must not be negative."""
    return _core.order_by_relevance(relevance, candidates.view(np.uint8)).astype(np.intp)
