"""One search per replicate of an ensemble, sharing what can be shared."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher._checks import ThresherWarning
from thresher.measures import (
    KINDS,
    ChosenRows,
    Measures,
    PartSets,
    RowMeasures,
    SharedReplicates,
    SummedReplicates,
)
from thresher.search.parts import assign_parts, bootstrap_counts
from thresher.selectors._base import Selection
from thresher.selectors._sums import SumSelector
from thresher.sources import Target, Training

Rows = npt.NDArray[np.intp]


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
    """

    lists: list[list[int]]
    relevance: npt.NDArray[np.float64] | None = None
    n_evaluations: int = 0
    full: bool = False
    inner: Selection | None = None


@dataclass
class Plan:
    """The replicates: sets of parts, or bootstrap samples; and which of them can be used."""

    n_replicates: int
    parts: PartSets | None
    counts: npt.NDArray[np.int32] | None
    usable: list[int]

    def rows(self, i: int) -> Rows:
        """The rows of a replicate, repeated as often as they were drawn."""
        if self.parts is not None:
            return self.parts.rows(i)
        assert self.counts is not None
        return np.repeat(np.arange(self.counts.shape[1]), self.counts[i])


def plan_replicates(
    kind: str, n_rows: int, n_parts: int, parts: str, target: Target | None, seed: int
) -> Plan:
    """Draw the replicates, and warn of what they lose."""
    if n_rows < n_parts:
        warnings.warn(
            f"n_parts={n_parts}, but there are only {n_rows} samples; using {n_rows} parts",
            ThresherWarning,
            stacklevel=4,
        )
        n_parts = n_rows
    if kind == "bagging":
        plan = Plan(n_parts, None, bootstrap_counts(n_rows, n_parts, seed), [])
    else:
        values = None
        if target is not None:
            values = target.values if target.codes is None else target.codes
        part = assign_parts(n_rows, n_parts, parts, target=values, seed=seed)
        plan = Plan(n_parts, PartSets.all_but_one(part), None, [])
    plan.usable = _usable(plan, target, "bootstrap sample" if kind == "bagging" else "part")
    return plan


def search_replicates(
    selector: SumSelector,
    training: Training,
    wanted: int | None,
    kind: str,
    plan: Plan,
    memory_limit: int,
) -> tuple[Found, Measures]:
    """Run the searches of any kind of ensemble."""
    if kind == "bagging" or (kind == "full" and _exact_on_rows(selector)):
        whole = selector._measures(training)
        return _search_each(
            selector,
            training,
            wanted,
            (ChosenRows(whole, plan.rows(i)) for i in plan.usable),
        ), whole
    whole = selector._measures(training, plan.parts)
    if kind == "inner":
        selection = selector._search(training, SummedReplicates(whole, plan.usable), wanted)
        lists = [np.asarray(selection.selected, dtype=np.intp).tolist()]
        return Found(lists, None, selection.n_evaluations, inner=selection), whole
    if kind == "full":
        # The sums of the same parts in the same order, but nothing kept from one search for the
        # next.
        shared = SharedReplicates(whole, memory_limit=1)
        replicates = (shared.replicate(i) for i in plan.usable)
        return _search_each(selector, training, wanted, replicates), whole
    of_all = selector._search_parts(training, whole, wanted, plan.usable, memory_limit)
    if of_all is not None:
        together, relevance = of_all
        mean = mean_of([relevance[i] for i in plan.usable])
        return Found(together.lists, mean, together.n_evaluations, together.full), whole
    shared = SharedReplicates(whole, memory_limit)
    replicates = (shared.replicate(i) for i in plan.usable)
    found = _search_each(selector, training, wanted, replicates)
    if selector._asks_pairs:
        found.n_evaluations, found.full = shared.n_computed, shared.full
    return found, whole


def not_sums(selector: SumSelector) -> str | None:
    """The name of a measure of the (resolved) selector that is not made of sums, if there is one."""
    return next((name for name in selector._measure_names() if not KINDS[name].is_sum), None)


def _exact_on_rows(selector: SumSelector) -> bool:
    """Whether sums over chosen rows have the very bits of sums over parts: counts do."""
    discrete = all(KINDS[name].is_discrete for name in selector._measure_names())
    return discrete or not_sums(selector) is not None


def _search_each(
    selector: SumSelector, training: Training, wanted: int | None, replicates: Iterator[RowMeasures]
) -> Found:
    found = Found([])
    relevances = []
    for measures in replicates:
        selection = selector._search(training, measures, wanted)
        found.lists.append(np.asarray(selection.selected, dtype=np.intp).tolist())
        found.n_evaluations += int(selection.n_evaluations)
        if selection.relevance is not None:
            relevances.append(selection.relevance)
    found.relevance = mean_of(relevances)
    return found


def mean_of(rows: Sequence[npt.NDArray[np.float64]]) -> npt.NDArray[np.float64] | None:
    """The mean, added up in the order of the rows whatever their layout in memory."""
    if not len(rows):
        return None
    total = np.zeros(len(rows[0]))
    for row in rows:
        total += row
    return total / len(rows)


def _usable(plan: Plan, target: Target | None, noun: str) -> list[int]:
    """The replicates whose target varies; warns of the others and of lost classes."""
    everything = list(range(plan.n_replicates))
    if target is None:
        return everything
    usable: list[int] = []
    useless: list[int] = []
    poorer: list[int] = []
    class_counts = None if target.codes is None else _class_counts(plan, target)
    for i in everything:
        if class_counts is None:
            varies, loses = _values_vary(plan, i, target), False
        else:
            present = class_counts[i] > 0
            varies, loses = present.sum() > 1, not present.all()
        (usable if varies else useless).append(i)
        if varies and loses:
            poorer.append(i)
    what = "is constant" if target.codes is None else "has one class"
    if useless:
        which = _numbered(noun, useless)
        where = "on" if noun == "bootstrap sample" else "without"
        warnings.warn(
            f"the target {what} {where} {which}: left out of the ensemble",
            ThresherWarning,
            stacklevel=5,
        )
    if len(usable) < 2:
        raise ValueError(
            f"only {len(usable)} of {plan.n_replicates} replicates can be used, because the target "
            f'{what} on the others; use parts="stratified", more parts, or more samples per class'
        )
    if poorer:
        which = _numbered(noun, poorer)
        verb = "lack" if noun == "bootstrap sample" else "take away"
        plural = verb if len(poorer) > 1 else verb.replace("lack", "lacks").replace("take", "takes")
        warnings.warn(f"{which} {plural} all samples of some class", ThresherWarning, stacklevel=5)
    return usable


def _class_counts(plan: Plan, target: Target) -> npt.NDArray[Any]:
    """Rows of each class on each replicate."""
    assert target.codes is not None
    if plan.parts is not None:
        n_parts = plan.parts.keeps.shape[1]
        cells = plan.parts.part * np.intp(target.n_classes) + target.codes
        of_part = np.bincount(cells, minlength=n_parts * target.n_classes)
        return np.asarray(plan.parts.keeps @ of_part.reshape(n_parts, target.n_classes))
    assert plan.counts is not None
    return np.array(
        [
            np.bincount(target.codes[counts > 0], minlength=target.n_classes)
            for counts in plan.counts
        ]
    )


def _values_vary(plan: Plan, i: int, target: Target) -> bool:
    kept = target.values[plan.rows(i)]
    return bool(kept.min() < kept.max())


def _numbered(noun: str, numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:10])) + (", ..." if len(numbers) > 10 else "")
    return f"{noun}{'s' if len(numbers) > 1 else ''} {shown}"
