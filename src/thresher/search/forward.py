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
    """What every forward search takes: features to choose from and to start from, and whom to tell of each step."""

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
        Returns what the search has found so far.

    Notes
    -----
    However a search is cut in pieces, it finds what one longer search would have found, for the same evaluations. If
    it is interrupted between two steps it can go on; if in the middle of one, what it found before stands, and to ask
    for more is an error.
    """

    def __init__(self, core: _core.ForwardSearch, read: Callable[[], Result]) -> None:
        self._core = core
        self._read_result = read

    def extend(self, n_more: int | None = None) -> None:
        """Take so many features more, or less if there are no more; all there are, if None."""
        self._core.extend(n_more)

    @property
    def exhausted(self) -> bool:
        """Whether the search has found that there is no further feature to take."""
        return self._core.exhausted

    def result(self) -> Result:
        """Return what was found so far."""
        return self._read_result()

    def reported(self, report: Callable[[Result], Mapped]) -> ForwardSearch[Mapped]:
        """Return the same search, which passes what it found through `report`."""
        return ForwardSearch(self._core, lambda: report(self._read_result()))


def _started(search: _core.ForwardSearch) -> ForwardSearch[SearchResult]:
    return ForwardSearch(search, search.result)


class GreedyOptions(Choices, total=False):
    """The objective of a greedy search, and how it is executed."""

    objective: str
    weight: float
    offset: float
    strategy: str


def greedy_forward(
    pairs: _core.PairMeasure, relevance: Floats, n_select: int, **options: Unpack[GreedyOptions]
) -> ForwardSearch[SearchResult]:
    """Add the best feature, one at a time; ties go to the lowest position.

    Every strategy gives the same features; they differ in the pairs they evaluate.
    """
    return _started(_core.greedy_forward(pairs, relevance, n_select, **core_options(**options)))


class AccumulateOptions(Choices, total=False):
    """How the terms of a score are gathered, and how the search is executed."""

    accumulation: Required[str]
    strategy: str


def greedy_accumulate(
    term: _core.PairMeasure, relevance: Floats, n_select: int, **options: Unpack[AccumulateOptions]
) -> ForwardSearch[SearchResult]:
    """As `greedy_forward`, the score being gathered from one term per chosen feature."""
    return _started(_core.greedy_accumulate(term, relevance, n_select, **core_options(**options)))


class CountOptions(Choices, total=False):
    """How many features to select at most; None for as many as the search finds."""

    n_select: int | None


def fcbf(
    pairs: _core.PairMeasure, relevance: Floats, threshold: float, **options: Unpack[CountOptions]
) -> ForwardSearch[SearchResult]:
    """Walk by falling relevance down to `threshold`; those more like a chosen one than the target leave."""
    return _started(_core.fcbf(pairs, relevance, threshold, **core_options(**options)))


def order_by_relevance(relevance: Floats, candidates: Mask) -> Features:
    """The candidates by falling relevance, ties by position; relevances must not be negative."""
    return _core.order_by_relevance(relevance, candidates.view(np.uint8)).astype(np.intp)


class CFSOptions(CountOptions, total=False):
    """How the search is executed, and what 1 is multiplied by in all values."""

    strategy: str
    unit: float


def cfs_forward(
    pairs: _core.PairMeasure, relevance: Floats, **options: Unpack[CFSOptions]
) -> ForwardSearch[SearchResult]:
    """Add the feature that raises the merit most, until none does; `unit` is what 1 is multiplied by in all values."""
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


class GSOOptions(Choices, total=False):
    """Weights of the rows, a line for each sum of squares, and the number of threads."""

    weights: Floats | None
    n_threads: int


def gso(
    columns: Array, target: Floats, n_select: int, **options: Unpack[GSOOptions]
) -> ForwardSearch[SearchResult]:
    """Add the feature with the largest squared partial correlation, summed over the lines of `weights`."""
    return _started(_core.gso(columns, target, n_select, **core_options(**options)))


class RRCTOptions(Choices, total=False):
    """The terms of the score, and the number of threads."""

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
    """Whether the last feature of the list may be selected, and the weights of the rows."""

    take_last: bool
    weights: NDArray[np.int64] | None


def cmi_walk(
    table: _core.CodedTable,
    classes: NDArray[np.int32],
    n_classes: int,
    relevance: Floats,
    **options: Unpack[CMIOptions],
) -> ForwardSearch[SearchResult]:
    """Walk by falling relevance, keeping each feature that tells more than its successor, given those kept."""
    return _started(_core.cmi_walk(table, classes, n_classes, relevance, **core_options(**options)))
