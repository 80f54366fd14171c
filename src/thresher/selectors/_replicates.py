"""One search per replicate of an ensemble, sharing what can be shared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from thresher._progress import on_behalf
from thresher.measures import (
    KINDS,
    ChosenRows,
    Measures,
    RowMeasures,
    SharedReplicates,
    SummedReplicates,
)
from thresher.selectors._base import Selection
from thresher.selectors._plan import Plan
from thresher.selectors._sums import SumSelector, Wanted
from thresher.sources import Training


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


def search_replicates(
    selector: SumSelector[Wanted],
    training: Training,
    wanted: Wanted,
    kind: str,
    plan: Plan,
    memory_limit: int,
    progress: Callable[[int, int], None],
    packed: Measures | None = None,
) -> tuple[Found, Measures]:
    """Run the searches of any kind of ensemble; `progress` gets the number of each done, and of its features.

    `packed`: the measures with parts, where the rows are elsewhere.
    """
    by_rows = kind == "full" and _exact_on_rows(selector)
    by_rows |= kind == "halves" and packed is None and _few_rows(selector, training, plan)
    if kind == "bagging" or by_rows:
        whole = selector._measures(training)
        of_rows = (ChosenRows(whole, plan.rows(i)) for i in plan.usable)
        return _search_each(selector, training, wanted, of_rows, progress), whole
    whole = selector._measures(training, plan.parts) if packed is None else packed
    if kind == "inner":
        with on_behalf():
            selection = selector._search(training, SummedReplicates(whole, plan.usable), wanted)
        lists = [np.asarray(selection.selected, dtype=np.intp).tolist()]
        return Found(lists, None, selection.n_evaluations, inner=selection), whole
    if kind == "full":
        # The sums of the same parts in the same order, but nothing kept from one search for the
        # next.
        shared = SharedReplicates(whole, memory_limit=1)
        replicates = (shared.replicate(i) for i in plan.usable)
        return _search_each(selector, training, wanted, replicates, progress), whole
    of_all = selector._search_parts(training, whole, wanted, plan.usable, memory_limit)
    if of_all is not None:
        together, relevance = of_all
        mean = mean_of([relevance[i] for i in plan.usable])
        return Found(together.lists, mean, together.n_evaluations, together.full), whole
    shared = SharedReplicates(whole, memory_limit, own_replicates=selector._asks_once)
    has_rows = packed is None and _exact_on_rows(selector)
    while_room = _until_full(shared, selector if has_rows else None, training, plan)
    found = _search_each(selector, training, wanted, while_room, progress)
    if selector._asks_pairs:
        n_apart = sum(found.evaluations[shared.n_replicates :])
        found.n_evaluations, found.full = shared.n_computed + n_apart, shared.full
    return found, whole


def _until_full(
    shared: SharedReplicates, selector: SumSelector[Wanted] | None, training: Training, plan: Plan
) -> Iterator[RowMeasures]:
    """The replicates; once nothing more can be kept for others, those of a selector by their own rows.

    A pair would be computed on all replicates for the one that asks, and again for the next.
    """
    plain: Measures | None = None
    for i in plan.usable:
        if selector is None or not shared.full:
            yield shared.replicate(i)
            continue
        plain = selector._measures(training) if plain is None else plain
        yield ChosenRows(plain, plan.rows(i))


def not_sums(selector: SumSelector[Wanted]) -> str | None:
    """The name of a measure of the (resolved) selector that is not made of sums, if there is one."""
    return next((name for name in selector._measure_names() if not KINDS[name].is_sum), None)


def _exact_on_rows(selector: SumSelector[Wanted]) -> bool:
    """Whether sums over chosen rows have the very bits of sums over parts: counts do."""
    discrete = all(KINDS[name].is_discrete for name in selector._measure_names())
    return discrete or not_sums(selector) is not None


def _few_rows(selector: SumSelector[Wanted], training: Training, plan: Plan) -> bool:
    """Whether adding up the parts' sums of products for every replicate costs more than products over its rows."""
    assert plan.parts is not None
    by_products = not any(KINDS[name].is_discrete for name in selector._measure_names())
    return by_products and 4 * training.n_rows < plan.parts.keeps.size


def _search_each(
    selector: SumSelector[Wanted],
    training: Training,
    wanted: Wanted,
    replicates: Iterator[RowMeasures],
    progress: Callable[[int, int], None],
) -> Found:
    found = Found([])
    relevances = []
    for number, measures in enumerate(replicates, start=1):
        with on_behalf():
            selection = selector._search(training, measures, wanted)
        found.lists.append(np.asarray(selection.selected, dtype=np.intp).tolist())
        found.evaluations.append(int(selection.n_evaluations))
        found.n_evaluations += found.evaluations[-1]
        if selection.relevance is not None:
            relevances.append(selection.relevance)
        progress(number, len(found.lists[-1]))
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
