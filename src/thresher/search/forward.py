"""The forward searches of the core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher._core import SearchResult
from thresher._utils.types import Floats, Indices, Mask

Features = Indices
Progress = Callable[[int, int, float], object]
Result = TypeVar("Result")
Mapped = TypeVar("Mapped")


class Choices(TypedDict):
    """Options of every forward search: candidates, forced-in features, and a function to call after each step."""

    candidates: NDArray[np.uint8]
    kept: NDArray[np.uint32]
    progress: Progress | None


class ForwardSearch(Generic[Result]):
    """A forward search in progress.

    Parameters
    ----------
    core : _core.ForwardSearch
    read : callable
        Returns the result so far.

    Notes
    -----
    A search in several calls has the same result and the same evaluations as one longer search. If it is interrupted
    between two steps it can continue. If it is interrupted within a step, the result before stays valid, and a request
    for more features raises.
    """

    def __init__(self, core: _core.ForwardSearch, read: Callable[[], Result]) -> None:
        self._core = core
        self._read_result = read

    def extend(self, n_more: int | None = None) -> None:
        """Select up to `n_more` further features; None for as many as there are."""
        self._core.extend(n_more)

    @property
    def exhausted(self) -> bool:
        """Whether the search knows that there is no further feature to select."""
        return self._core.exhausted

    def result(self) -> Result:
        """Return the result so far."""
        return self._read_result()

    def reported(self, report: Callable[[Result], Mapped]) -> ForwardSearch[Mapped]:
        """Return the same search with `report` applied to its result."""
        return ForwardSearch(self._core, lambda: report(self._read_result()))


def started(search: _core.ForwardSearch) -> ForwardSearch[SearchResult]:
    """Return a search of the core, with the result as the core reports it."""
    return ForwardSearch(search, search.result)


def order_by_relevance(relevance: Floats, candidates: Mask) -> Features:
    """Return the candidates by decreasing relevance, ties by position; relevances must not be negative."""
    return _core.order_by_relevance(relevance, candidates.view(np.uint8)).astype(np.intp)


def add_locally_predictive(
    pairs: _core.PairMeasure, relevance: Floats, allowed: Mask, chosen: Features
) -> Features:
    """Return the candidates, by decreasing relevance, whose redundancy with no selected feature exceeds it."""
    largest = np.full(len(relevance), -1.0)
    everything = np.arange(len(relevance), dtype=np.uint32)

    def update(feature: int) -> None:
        np.maximum(largest, np.ravel(pairs.values(feature, everything)), out=largest)

    for feature in chosen:
        update(int(feature))
    others = allowed.copy()
    others[chosen] = False
    added = []
    for feature in order_by_relevance(relevance, others):
        if largest[feature] <= relevance[feature]:
            added.append(int(feature))
            update(int(feature))
    return np.array(added, dtype=np.intp)
