"""One search per replicate of an ensemble, sharing what can be shared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._utils.progress import on_behalf
from thresher.data import Training
from thresher.measures import (
    KINDS,
    ChosenRows,
    Measures,
    RowMeasures,
    SharedReplicates,
    SummedReplicates,
)
from thresher.selectors._base import Selection
from thresher.selectors._criterion import Criterion, SearchTask
from thresher.selectors._plan import Plan


@dataclass
class Found:
    """What the searches of an ensemble found.

    Attributes
    ----------
    lists : list of lists of int
        One per usable replicate, in order of choice.
    relevance : ndarray of shape (n_features,), or None
        Mean over the replicates.
    n_evaluations : int
        Pairs computed; one pass for all replicates counts once.
    full : bool
        The memory limit was reached, and values were computed again.
    inner : Selection or None
        Of an Inner Ensemble.
    evaluations : list of int
        Of every search, where each is one of its own.
    """

    lists: list[list[int]]
    relevance: npt.NDArray[np.float64] | None = None
    n_evaluations: int = 0
    full: bool = False
    inner: Selection | None = None
    evaluations: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class ReplicateSearch:
    """The searches of an ensemble: one criterion on every replicate of the data.

    Attributes
    ----------
    data : Training
    criterion : Criterion
    n_features : int or None
    owner : object
        The selector whose progress is reported.
    make_measures : callable
        Return the measures of all rows or, with parts, of each replicate.
    kind : str
        The kind of ensemble.
    plan : Plan
    packed : Measures or None
        The measures with parts, if the rows are in blocks.
    memory_limit : int
        Bytes for cached values of pairs; 0 for no limit.
    report : callable
        Called with the number of each finished search and of its features.
    """

    data: Training
    criterion: Criterion
    n_features: int | None
    owner: Any
    make_measures: Callable[..., Measures]
    kind: str
    plan: Plan
    packed: Measures | None
    memory_limit: int
    report: Callable[[int, int], None]

    def run(self) -> tuple[Found, Measures]:
        """Search all replicates; return what was found and the measures of all rows."""
        criterion, plan = self.criterion, self.plan
        if self.kind == "bagging" or self._selects_rows():
            whole = self.make_measures()
            return self._search_each(ChosenRows(whole, plan.rows(i)) for i in plan.usable), whole
        whole = self.make_measures(plan.parts) if self.packed is None else self.packed
        if self.kind == "inner":
            selection = self._search(SummedReplicates(whole, plan.usable))
            lists = [np.asarray(selection.selected, dtype=np.intp).tolist()]
            return Found(lists, None, selection.n_evaluations, inner=selection), whole
        if self.kind == "full":
            # The sums of the same parts in the same order, but no search caches values for the next one.
            shared = SharedReplicates(whole, memory_limit=1)
            return self._search_each(shared.replicate(i) for i in plan.usable), whole
        task = self._task(whole)
        together = criterion.search_replicates(task, plan.usable, self.memory_limit)
        if together is not None:
            mean = mean_of([task.relevance[i] for i in plan.usable])
            return Found(together.lists, mean, together.n_evaluations, together.full), whole
        shared = SharedReplicates(
            whole, self.memory_limit, own_replicates=criterion.visits_pairs_once
        )
        found = self._search_each(self._until_full(shared))
        if criterion.uses_pairs:
            n_apart = sum(found.evaluations[shared.n_replicates :])
            found.n_evaluations, found.full = shared.n_computed + n_apart, shared.full
        return found, whole

    def _selects_rows(self) -> bool:
        """Whether every replicate is searched on its own rows instead of on sums of parts."""
        if self.kind == "full":
            return exact_on_rows(self.criterion)
        return self.kind == "halves" and self.packed is None and self._has_few_rows()

    def _has_few_rows(self) -> bool:
        """Whether adding the products of the parts for each replicate costs more than products of its rows."""
        assert self.plan.parts is not None
        by_products = not any(KINDS[name].is_discrete for name in self.criterion.measures)
        return by_products and 4 * self.data.n_rows < self.plan.parts.keeps.size

    def _until_full(self, shared: SharedReplicates) -> Iterator[RowMeasures]:
        """Yield the replicates; when the cache is full, those that can be searched on their own rows.

        Otherwise a pair would be computed on all replicates for one of them, and again for the next.
        """
        has_rows = self.packed is None and exact_on_rows(self.criterion)
        plain: Measures | None = None
        for i in self.plan.usable:
            if not has_rows or not shared.full:
                yield shared.replicate(i)
                continue
            plain = self.make_measures() if plain is None else plain
            yield ChosenRows(plain, self.plan.rows(i))

    def _task(self, measures: RowMeasures) -> SearchTask:
        return SearchTask(self.data, measures, self.criterion, self.n_features, self.owner)

    def _search(self, measures: RowMeasures) -> Selection:
        with on_behalf():
            return self.criterion.search(self._task(measures))

    def _search_each(self, replicates: Iterator[RowMeasures]) -> Found:
        found = Found([])
        relevances = []
        for number, measures in enumerate(replicates, start=1):
            selection = self._search(measures)
            found.lists.append(np.asarray(selection.selected, dtype=np.intp).tolist())
            found.evaluations.append(int(selection.n_evaluations))
            found.n_evaluations += found.evaluations[-1]
            if selection.relevance is not None:
                relevances.append(selection.relevance)
            self.report(number, len(found.lists[-1]))
        found.relevance = mean_of(relevances)
        return found


def exact_on_rows(criterion: Criterion) -> bool:
    """Whether sums over selected rows are bit-identical to sums over parts: counts are."""
    return criterion.counts_only or criterion.not_a_sum is not None


def mean_of(rows: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64] | None:
    """The mean, added up in the order of the rows whatever their layout in memory."""
    if not len(rows):
        return None
    total = np.zeros(len(rows[0]))
    for row in rows:
        total += row
    return total / len(rows)
