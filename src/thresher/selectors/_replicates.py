"""The replicates of an ensemble: their rows, and the search of all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from thresher._utils.checks import warn
from thresher._utils.long_calls import reporting_for
from thresher._utils.types import Array, Estimator, Floats, GroupsLike, Indices, Mask
from thresher.data import Target, TargetSummary, TrainingData
from thresher.measures import (
    KINDS,
    Measures,
    PartSets,
    SearchMeasures,
    SharedReplicates,
    SummedReplicates,
)
from thresher.search.ensemble import (
    NumberedParts,
    assign_parts,
    bootstrap_counts,
    draw_halves,
    draw_seed,
    number_groups,
)
from thresher.selectors._base import Selection
from thresher.selectors._criterion import Criterion, SearchTask
from thresher.selectors._filter import FilterSelector

Rows = npt.NDArray[np.intp]


@dataclass
class Plan:
    """The replicates: sets of parts, or bootstrap samples; and the usable ones."""

    n_replicates: int
    parts: PartSets | NumberedParts | None
    counts: npt.NDArray[np.int32] | None
    usable: list[int]
    unit: str = "part"

    def rows(self, i: int) -> Rows:
        """Return the rows of a replicate, repeated as often as they were drawn."""
        if isinstance(self.parts, PartSets):
            return self.parts.rows(i)
        assert self.counts is not None
        return np.repeat(np.arange(self.counts.shape[1]), self.counts[i])


def plan_replicates(
    ensemble: Estimator, n_rows: int, target: Target | None, groups: npt.ArrayLike | None
) -> Plan:
    """Draw the replicates; warn about replicates that lose classes or cannot be used.

    Groups of rows are assigned, and drawn, as a unit.
    """
    kind, seed = ensemble.kind, _seed(ensemble)
    unit_of_row = np.arange(n_rows) if groups is None else number_groups(groups, n_rows)
    n_units = int(unit_of_row.max()) + 1
    n_parts = _possible_parts(ensemble, n_units, "samples" if groups is None else "groups")
    if kind == "bagging":
        counts = bootstrap_counts(n_units, n_parts, seed)[:, unit_of_row]
        plan = Plan(n_parts, None, counts, [], "bootstrap sample")
    else:
        values = None if target is None else _values_of_units(target, unit_of_row, n_units)
        part = assign_parts(n_units, n_parts, ensemble.parts, target=values, seed=seed)
        keeps = _kept_parts(ensemble, n_parts, seed)
        plan = Plan(len(keeps), PartSets(part[unit_of_row], keeps), None, [], _unit(kind))
    if target is None:
        plan.usable = list(range(plan.n_replicates))
    elif target.codes is None:
        kept = (target.values[plan.rows(i)] for i in range(plan.n_replicates))
        plan.usable = _usable(plan, [bool(values.min() < values.max()) for values in kept])
    else:
        plan.usable = _usable_by_classes(plan, _class_counts(plan, target))
    return plan


def plan_block_replicates(ensemble: Estimator, n_rows: int, groups: GroupsLike) -> Plan:
    """Draw replicates of rows in blocks; `check_replicates` finds the usable ones."""
    kind = ensemble.kind
    if kind in ("full", "bagging"):
        raise ValueError(
            f'kind="{kind}" needs all rows at once, but X is in blocks. '
            'Use kind="fast", "inner" or "halves"'
        )
    if groups is not None:
        raise ValueError(
            "groups are not supported for rows in blocks, which may split a group. Remove groups or pass rows in memory"
        )
    seed = _seed(ensemble)
    keeps = _kept_parts(ensemble, _possible_parts(ensemble, n_rows, "samples"), seed)
    parts = NumberedParts(ensemble.parts, n_rows, keeps, seed)
    return Plan(len(keeps), parts, None, [], _unit(kind))


def check_replicates(plan: Plan, target: TargetSummary, measures: Measures) -> None:
    """Find the usable replicates of rows in blocks, after the parts are packed."""
    assert plan.parts is not None
    keeps = plan.parts.keeps
    if target.is_nominal:
        plan.usable = _usable_by_classes(plan, keeps @ measures.rows_of_classes)
        return
    lowest, highest = measures.target_range
    plan.usable = _usable(plan, [lowest[kept].min() < highest[kept].max() for kept in keeps])


def _seed(ensemble: Estimator) -> int:
    is_random = ensemble.parts == "shuffled" or ensemble.kind in ("bagging", "halves")
    return draw_seed(ensemble.random_state) if is_random else 0


def _unit(kind: str) -> str:
    return "half" if kind == "halves" else "part"


def _kept_parts(ensemble: Estimator, n_parts: int, seed: int) -> Mask:
    """Return the parts of every replicate: halves in pairs, or all parts but one."""
    if ensemble.kind != "halves":
        return ~np.eye(n_parts, dtype=np.bool_)
    halves = draw_halves(n_parts, ensemble.n_pairs, seed)
    return np.stack([halves, ~halves], axis=1).reshape(-1, n_parts)


def _possible_parts(ensemble: Estimator, n_units: int, noun: str) -> int:
    n_parts: int = ensemble.n_parts
    most = n_units - n_units % 2 if ensemble.kind == "halves" else n_units
    if most < 2:
        raise ValueError(f"an ensemble needs at least 2 {noun}, got {n_units}")
    if most < n_parts:
        warn(f"n_parts={n_parts}, but there are only {n_units} {noun}; using {most} parts")
    return min(n_parts, most)


def _values_of_units(target: Target, unit_of_row: Indices, n_units: int) -> Array:
    """Return sort keys of units: the most frequent class of their rows, or the mean of their target."""
    if target.codes is None:
        sums = np.bincount(unit_of_row, weights=target.values, minlength=n_units)
        return np.asarray(sums / np.bincount(unit_of_row, minlength=n_units))
    cells = unit_of_row * np.intp(target.n_classes) + target.codes
    counts = np.bincount(cells, minlength=n_units * target.n_classes)
    return np.asarray(np.argmax(counts.reshape(n_units, target.n_classes), axis=1))


def _usable_by_classes(plan: Plan, class_counts: Array) -> list[int]:
    """Return the replicates with at least two classes."""
    n_present = np.sum(class_counts > 0, axis=1)
    n_classes = class_counts.shape[1]
    return _usable(plan, [n > 1 for n in n_present], [n < n_classes for n in n_present])


def _usable(
    plan: Plan, target_varies: Sequence[bool], loses_class: Sequence[bool] | None = None
) -> list[int]:
    """Return the replicates whose target varies; warn about the others and about lost classes."""
    usable = [i for i, varies in enumerate(target_varies) if varies]
    unusable = [i for i, varies in enumerate(target_varies) if not varies]
    lossy = [i for i in usable if loses_class is not None and loses_class[i]]
    if plan.unit == "half":  # a half is usable only together with its partner
        usable = [i for i in usable if i ^ 1 in usable]
        lossy = [i for i in lossy if i in usable]
    what = "is constant" if loses_class is None else "has one class"
    # A replicate is named by the part that it omits, or by the half or bootstrap sample that it contains.
    is_contained = plan.unit != "part"
    if unusable:
        on = "on" if is_contained else "without"
        warn(
            f"the target {what} {on} {_numbered(plan.unit, unusable)}: excluded from the ensemble"
            f"{', with its other half' if plan.unit == 'half' else ''}"
        )
    each, noun = (2, "pairs of halves") if plan.unit == "half" else (1, "replicates")
    if len(usable) < 2 * each:
        raise ValueError(
            f"only {len(usable) // each} of {plan.n_replicates // each} {noun} can be used, because the target "
            f'{what} on the others. Use parts="stratified", more parts, or more samples per class'
        )
    if lossy:
        verb = ("lack" if is_contained else "contain") + ("s" if len(lossy) == 1 else "")
        warn(f"{_numbered(plan.unit, lossy)} {verb} all samples of some class")
    return usable


def _class_counts(plan: Plan, target: Target) -> Array:
    """Count the rows of each class on each replicate."""
    codes = target.class_codes
    if isinstance(plan.parts, PartSets):
        n_parts = plan.parts.keeps.shape[1]
        cells = plan.parts.part * np.intp(target.n_classes) + codes
        of_part = np.bincount(cells, minlength=n_parts * target.n_classes)
        return np.asarray(plan.parts.keeps @ of_part.reshape(n_parts, target.n_classes))
    assert plan.counts is not None
    of_replicates = (codes[counts > 0] for counts in plan.counts)
    return np.array([np.bincount(some, minlength=target.n_classes) for some in of_replicates])


def _numbered(noun: str, numbers: list[int]) -> str:
    shown = ", ".join(map(str, numbers[:10])) + (", ..." if len(numbers) > 10 else "")
    plural = "halves" if noun == "half" else f"{noun}s"
    return f"{plural if len(numbers) > 1 else noun} {shown}"


@dataclass
class ReplicateResults:
    """The results of the searches of an ensemble.

    Attributes
    ----------
    lists : list of lists of int
        One per usable replicate, in order of choice.
    relevance : ndarray of shape (n_features,), or None
        Mean over the replicates.
    n_evaluations : int
        Pairs computed; one pass for all replicates counts once.
    full : bool
        Whether the memory limit was reached, so that values were computed again.
    inner : Selection or None
        The selection of an Inner Ensemble.
    evaluations : list of int
        Pairs computed in each search, if replicates are searched separately.
    """

    lists: list[list[int]]
    relevance: Floats | None = None
    n_evaluations: int = 0
    full: bool = False
    inner: Selection | None = None
    evaluations: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class ReplicateSearch:
    """The searches of an ensemble: one criterion on every replicate of the data.

    Attributes
    ----------
    data : TrainingData
    criterion : Criterion
    n_features : int or None
    owner : FilterSelector
        The selector. It makes the measures; the search reports progress under its name.
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

    data: TrainingData
    criterion: Criterion
    n_features: int | None
    owner: FilterSelector
    kind: str
    plan: Plan
    packed: Measures | None
    memory_limit: int
    report: Callable[[int, int], None]

    def run(self) -> tuple[ReplicateResults, Measures]:
        """Search all replicates; return the results and the measures of all rows."""
        criterion, plan = self.criterion, self.plan
        if self.kind == "bagging" or self._selects_rows():
            whole = self._measures()
            return self._search_each(whole.on_rows(plan.rows(i)) for i in plan.usable), whole
        whole = self._measures(plan.parts) if self.packed is None else self.packed
        if self.kind == "inner":
            selection = self._search(SummedReplicates(whole, plan.usable))
            lists = [np.asarray(selection.selected, dtype=np.intp).tolist()]
            return ReplicateResults(lists, None, selection.n_evaluations, inner=selection), whole
        if self.kind == "full":
            # The sums of the same parts in the same order, but no search caches values for the next one.
            shared = SharedReplicates(whole, memory_limit=1)
            return self._search_each(shared.replicate(i) for i in plan.usable), whole
        task = self._task(whole)
        together = criterion.search_replicates(task, plan.usable, self.memory_limit)
        if together is not None:
            mean = mean_of([task.relevance[i] for i in plan.usable])
            return ReplicateResults(
                together.lists, mean, together.n_evaluations, together.full
            ), whole
        shared = SharedReplicates(
            whole, self.memory_limit, own_replicates=criterion.visits_pairs_once
        )
        results = self._search_each(self._until_full(shared))
        if criterion.uses_pairs:
            n_apart = sum(results.evaluations[shared.n_replicates :])
            results.n_evaluations, results.full = shared.n_computed + n_apart, shared.full
        return results, whole

    def _selects_rows(self) -> bool:
        """Return whether every replicate is searched on its rows instead of on sums of parts."""
        if self.kind == "full":
            return exact_on_rows(self.criterion)
        return self.kind == "halves" and self.packed is None and self._has_few_rows()

    def _has_few_rows(self) -> bool:
        """Return whether adding products of parts for each replicate costs more than products of its rows."""
        assert self.plan.parts is not None
        by_products = not any(KINDS[name].is_discrete for name in self.criterion.measures)
        return by_products and 4 * self.data.n_rows < self.plan.parts.keeps.size

    def _until_full(self, shared: SharedReplicates) -> Iterator[SearchMeasures]:
        """Yield the replicates, with measures of their rows once the cache is full, if these are as exact.

        With a full cache a pair would be computed on all replicates for one of them, and again for the next.
        """
        can_use_rows = self.packed is None and exact_on_rows(self.criterion)
        plain: Measures | None = None
        for i in self.plan.usable:
            if not can_use_rows or not shared.full:
                yield shared.replicate(i)
                continue
            plain = self._measures() if plain is None else plain
            yield plain.on_rows(self.plan.rows(i))

    def _measures(self, parts: PartSets | NumberedParts | None = None) -> Measures:
        return self.owner.make_measures(self.data, self.criterion, parts)

    def _task(self, measures: SearchMeasures) -> SearchTask:
        return SearchTask(self.data, measures, self.criterion, self.n_features, self.owner)

    def _search(self, measures: SearchMeasures) -> Selection:
        with reporting_for():
            return self.criterion.search(self._task(measures))

    def _search_each(self, replicates: Iterator[SearchMeasures]) -> ReplicateResults:
        results = ReplicateResults([])
        relevances = []
        for number, measures in enumerate(replicates, start=1):
            selection = self._search(measures)
            results.lists.append(np.asarray(selection.selected, dtype=np.intp).tolist())
            results.evaluations.append(int(selection.n_evaluations))
            results.n_evaluations += results.evaluations[-1]
            if selection.relevance is not None:
                relevances.append(selection.relevance)
            self.report(number, len(results.lists[-1]))
        results.relevance = mean_of(relevances)
        return results


def exact_on_rows(criterion: Criterion) -> bool:
    """Return whether sums over selected rows are bit-identical to sums over parts, as counts are."""
    return criterion.counts_only or criterion.not_a_sum is not None


def mean_of(rows: Sequence[Floats]) -> Floats | None:
    """Return the mean; the rows are added in their order, independent of the layout in memory."""
    if not len(rows):
        return None
    total = np.zeros(len(rows[0]))
    for row in rows:
        total += row
    return total / len(rows)
