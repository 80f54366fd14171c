"""Searches for the feature set of the best merit."""

from __future__ import annotations

from typing import Unpack

import numpy as np

from thresher import _core
from thresher._core import BestFirstResult, SearchResult
from thresher.search.forward import Choices, Features, Floats, ForwardSearch, Mask, in_core
from thresher.search.greedy import order_by_relevance


def cfs_forward(
    pairs: _core.PairMeasure,
    relevance: Floats,
    *,
    n_select: int | None = None,
    strategy: str = "lazy",
    unit: float = 1.0,
    **choices: Unpack[Choices],
) -> ForwardSearch[SearchResult]:
    """Add the feature that raises the merit most, until none does; `unit` is what 1 is multiplied by in all values."""
    search = _core.cfs_forward(
        pairs, relevance, n_select=n_select, strategy=strategy, unit=unit, **in_core(**choices)
    )
    return ForwardSearch(search, search.result)


def cfs_best_first(
    pairs: _core.PairMeasure,
    relevance: Floats,
    *,
    zero_as_one: bool = False,
    locally_predictive: bool = False,
    unit: float = 1.0,
    candidates: Mask | None = None,
    kept: Features | None = None,
) -> BestFirstResult:
    """Expand the best of a few open sets until five expansions in a row bring no progress."""
    return _core.cfs_best_first(
        pairs,
        relevance,
        zero_to_one=zero_as_one,
        locally_predictive=locally_predictive,
        unit=unit,
        **in_core(candidates, kept),
    )


def add_locally_predictive(
    pairs: _core.PairMeasure, relevance: Floats, may: Mask, chosen: Features
) -> Features:
    """The candidates, by falling relevance, that no chosen feature is more redundant with than they are relevant."""
    largest = np.full(len(relevance), -1.0)
    everything = np.arange(len(relevance), dtype=np.uint32)

    def meet(feature: int) -> None:
        np.maximum(largest, np.ravel(pairs.values(feature, everything)), out=largest)

    for feature in chosen:
        meet(int(feature))
    others = may.copy()
    others[chosen] = False
    added = []
    for feature in order_by_relevance(relevance, others):
        if largest[feature] <= relevance[feature]:
            added.append(int(feature))
            meet(int(feature))
    return np.array(added, dtype=np.intp)
