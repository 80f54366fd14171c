"""Greedy forward searches over terms of pairs; each has taken `n_select` features and can be asked for more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Unpack

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher.search.forward import Choices, Features, Floats, ForwardSearch, Mask, Result, in_core


@dataclass(frozen=True)
class Found(Result):
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


def greedy_forward(
    pairs: _core.PairMeasure,
    relevance: Floats,
    n_select: int,
    *,
    objective: str = "difference",
    weight: float = 1.0,
    offset: float = 0.0,
    strategy: str = "lazy",
    **choices: Unpack[Choices],
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
        **in_core(**choices),
    )
    return ForwardSearch(search, Found.read)


def greedy_accumulate(
    term: _core.PairMeasure,
    relevance: Floats,
    n_select: int,
    *,
    accumulation: str,
    strategy: str = "lazy",
    **choices: Unpack[Choices],
) -> ForwardSearch[Found]:
    """As `greedy_forward`, the score being gathered from one term per chosen feature."""
    search = _core.greedy_accumulate(
        term,
        relevance,
        n_select,
        accumulation=accumulation,
        strategy=strategy,
        **in_core(**choices),
    )
    return ForwardSearch(search, Found.read)


def fcbf(
    pairs: _core.PairMeasure,
    relevance: Floats,
    threshold: float,
    *,
    n_select: int | None = None,
    **choices: Unpack[Choices],
) -> ForwardSearch[Found]:
    """Walk by falling relevance down to `threshold`; those more like a chosen one than the target leave."""
    search = _core.fcbf(pairs, relevance, float(threshold), n_select=n_select, **in_core(**choices))
    return ForwardSearch(search, Found.read)


def order_by_relevance(relevance: Floats, candidates: Mask) -> Features:
    """The candidates by falling relevance, ties by position; relevances must not be negative."""
    return _core.order_by_relevance(relevance, candidates.view(np.uint8)).astype(np.intp)
