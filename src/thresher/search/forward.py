"""The forward searches of the core."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Required, TypedDict, TypeVar, Unpack

import numpy as np
from numpy.typing import NDArray

from thresher import _core
from thresher._core import BestFirstResult, SearchResult
from thresher._utils.types import Array, Floats, Indices, Mask, Values

Features = Indices
Progress = Callable[[int, int, float], object]
Result = TypeVar("Result")
Mapped = TypeVar("Mapped")


class Choices(TypedDict, total=False):
    """Options of every forward search: candidates, forced-in features, and a function to call after each step."""

    candidates: Mask | None
    kept: Features | None
    progress: Progress | None


def core_options(
    candidates: Mask | None = None, kept: Features | None = None, **others: object
) -> Values:
    """Return the options of a search as the core takes them."""
    return {
        "candidates": None if candidates is None else candidates.view(np.uint8),
        "kept": None if kept is None else kept.astype(np.uint32),
        **others,
    }


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


def _started(search: _core.ForwardSearch) -> ForwardSearch[SearchResult]:
    return ForwardSearch(search, search.result)


class GreedyOptions(Choices, total=False):
    """Options of `greedy_forward`: the objective, and how it is executed."""

    objective: str
    weight: float
    offset: float
    unit: float
    strategy: str


def greedy_forward(
    pairs: _core.PairMeasure, relevance: Floats, n_select: int, **options: Unpack[GreedyOptions]
) -> ForwardSearch[SearchResult]:
    """Add the best feature, one at a time; ties go to the lowest position.

    Every strategy gives the same features; they differ in the pairs they evaluate.
    """
    return _started(_core.greedy_forward(pairs, relevance, n_select, **core_options(**options)))


class AccumulateOptions(Choices, total=False):
    """Options of `greedy_accumulate`: how the terms of a score are combined, and how it is executed."""

    accumulation: Required[str]
    strategy: str


def greedy_accumulate(
    term: _core.PairMeasure, relevance: Floats, n_select: int, **options: Unpack[AccumulateOptions]
) -> ForwardSearch[SearchResult]:
    """Add the best feature, one at a time, by a score of one term per selected feature."""
    return _started(_core.greedy_accumulate(term, relevance, n_select, **core_options(**options)))


class CountOptions(Choices, total=False):
    """Options of `fcbf`: the largest number of features to select; None for no limit."""

    n_select: int | None


def fcbf(
    pairs: _core.PairMeasure, relevance: Floats, threshold: float, **options: Unpack[CountOptions]
) -> ForwardSearch[SearchResult]:
    """Select by decreasing relevance down to `threshold`; drop features closer to a selected one than to the target."""
    return _started(_core.fcbf(pairs, relevance, threshold, **core_options(**options)))


def order_by_relevance(relevance: Floats, candidates: Mask) -> Features:
    """Return the candidates by decreasing relevance, ties by position; relevances must not be negative."""
    return _core.order_by_relevance(relevance, candidates.view(np.uint8)).astype(np.intp)


class CFSOptions(CountOptions, total=False):
    """Options of `cfs_forward`: how it is executed, and the factor of all values."""

    strategy: str
    unit: float


def cfs_forward(
    pairs: _core.PairMeasure, relevance: Floats, **options: Unpack[CFSOptions]
) -> ForwardSearch[SearchResult]:
    """Add the feature that increases the merit most, until none does."""
    return _started(_core.cfs_forward(pairs, relevance, **core_options(**options)))


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
        **core_options(candidates, kept),
    )


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


class GSOOptions(Choices, total=False):
    """Options of `gso`: weights of the rows, a line for each sum of squares, and the number of threads."""

    weights: Floats | None
    n_threads: int


def gso(
    columns: Array, target: Floats, n_select: int, **options: Unpack[GSOOptions]
) -> ForwardSearch[SearchResult]:
    """Add the feature with the largest squared partial correlation, summed over the lines of `weights`."""
    return _started(_core.gso(columns, target, n_select, **core_options(**options)))


class RRCTOptions(Choices, total=False):
    """Options of `rrct`: the terms of the score, and the number of threads."""

    information: Required[bool]
    complementarity: Required[bool]
    magnitude_rule: Required[bool]
    redundancy_scale: Required[float]
    n_threads: int


def rrct(
    ranks: Array, values: Array, target: Floats, n_select: int, **options: Unpack[RRCTOptions]
) -> ForwardSearch[SearchResult]:
    """Add the feature whose relevance and complementarity best outweigh its redundancy.

    Relevance and complementarity are correlations of `ranks` with the target; redundancies are those of `values`.
    """
    return _started(_core.rrct(ranks, values, target, n_select, **core_options(**options)))


class CMIOptions(CountOptions, total=False):
    """Options of `cmi_walk`: whether the last feature may be selected, and the weights of the rows."""

    take_last: bool
    weights: NDArray[np.int64] | None


def cmi_walk(
    table: _core.CodedTable,
    classes: NDArray[np.int32],
    n_classes: int,
    relevance: Floats,
    **options: Unpack[CMIOptions],
) -> ForwardSearch[SearchResult]:
    """Select by decreasing relevance each feature that is more informative than its successor, given those selected."""
    return _started(_core.cmi_walk(table, classes, n_classes, relevance, **core_options(**options)))
