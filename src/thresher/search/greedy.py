"""Greedy forward searches over terms of pairs; each has taken `n_select` features and can be asked for more."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from thresher import _core
from thresher._core import SearchResult
from thresher.search.forward import Choices, Features, Floats, ForwardSearch, Mask, in_core


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
) -> ForwardSearch[SearchResult]:
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
    return ForwardSearch(search, search.result)


def greedy_accumulate(
    term: _core.PairMeasure,
    relevance: Floats,
    n_select: int,
    *,
    accumulation: str,
    strategy: str = "lazy",
    **choices: Unpack[Choices],
) -> ForwardSearch[SearchResult]:
    """As `greedy_forward`, the score being gathered from one term per chosen feature."""
    search = _core.greedy_accumulate(
        term,
        relevance,
        n_select,
        accumulation=accumulation,
        strategy=strategy,
        **in_core(**choices),
    )
    return ForwardSearch(search, search.result)


def fcbf(
    pairs: _core.PairMeasure,
    relevance: Floats,
    threshold: float,
    *,
    n_select: int | None = None,
    **choices: Unpack[Choices],
) -> ForwardSearch[SearchResult]:
    """Walk by falling relevance down to `threshold`; those more like a chosen one than the target leave."""
    search = _core.fcbf(pairs, relevance, float(threshold), n_select=n_select, **in_core(**choices))
    return ForwardSearch(search, search.result)


def order_by_relevance(relevance: Floats, candidates: Mask) -> Features:
    """The candidates by falling relevance, ties by position; relevances must not be negative."""
    return _core.order_by_relevance(relevance, candidates.view(np.uint8)).astype(np.intp)
