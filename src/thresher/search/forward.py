"""The forward searches of the core."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Generic, ParamSpec, TypedDict, TypeVar

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher._core import SearchResult
from thresher._utils.types import Floats, Indices, Mask

Features = Indices
Progress = Callable[[int, int, float], object]
P = ParamSpec("P")
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


def _started(start: Callable[P, _core.ForwardSearch]) -> Callable[P, ForwardSearch[SearchResult]]:
    """Return a search of the core as a function that starts it."""

    @wraps(start)
    def started(*args: P.args, **kwargs: P.kwargs) -> ForwardSearch[SearchResult]:
        search = start(*args, **kwargs)
        return ForwardSearch(search, search.result)

    return started


# Add the best feature, one at a time; ties go to the lowest position. Every strategy gives the same features; they
# differ in the pairs they evaluate.
greedy_forward = _started(_core.greedy_forward)
# The same by a score of one term per selected feature.
greedy_accumulate = _started(_core.greedy_accumulate)
# Select by decreasing relevance down to `threshold`; drop features closer to a selected one than to the target.
fcbf = _started(_core.fcbf)
# Add the feature that increases the merit most, until none does.
cfs_forward = _started(_core.cfs_forward)
# Expand the best of a few open sets until five expansions in a row bring no progress.
cfs_best_first = _core.cfs_best_first
# Add the feature with the largest squared partial correlation, summed over the lines of `weights`.
gso = _started(_core.gso)
# Add the feature whose relevance and complementarity best outweigh its redundancy. Relevance and complementarity are
# correlations of `ranks` with the target; redundancies are those of `values`.
rrct = _started(_core.rrct)
# Select by decreasing relevance each feature that is more informative than its successor, given those selected.
cmi_walk = _started(_core.cmi_walk)


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
