"""Rows that come and go: blocks kept in this process, of which rows can be taken out again."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any, TypeVar

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from scipy import sparse

from thresher.blocks._list import LocalEngine
from thresher.blocks._protocol import Packed, Progress, RowBlock
from thresher.blocks._row_keys import Keys, row_keys, same_rows
from thresher.sources import is_frame

T = TypeVar("T")
Places = npt.NDArray[np.intp]

# The last blocks are joined up to so many rows, as a round costs a little for each block.
MOST_JOINED = 1 << 16
# Results of tasks that are kept for each block: those of the last fit, or of two selectors in turn.
MOST_RESULTS = 4


@dataclass
class KeptBlock:
    """Some rows, their keys, and what tasks said of them."""

    rows: RowBlock
    keys: Keys
    results: dict[Hashable, Any] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        return len(self.keys)

    def result(self, name: Hashable, task: Callable[[], T]) -> T:
        """What the task says, computed once."""
        if name not in self.results:
            while len(self.results) >= MOST_RESULTS:
                del self.results[next(iter(self.results))]
            self.results[name] = task()
        found: T = self.results[name]
        return found

    def without(self, leaving: Places) -> KeptBlock:
        staying = np.delete(np.arange(self.n_rows), leaving)
        return KeptBlock(_taken(self.rows, staying), self.keys[staying])


class KeptRows(LocalEngine):
    """An engine of rows that come and go.

    What a task said of a block is kept until the block changes: after a change only new blocks, and those that lost
    rows, are read and packed again. A block that lost all its rows stays, so that the others keep their numbers, until
    such blocks are the majority.
    """

    def __init__(self) -> None:
        self._blocks: list[KeptBlock] = []
        self._packed: list[Packed] = []

    @property
    def n_rows(self) -> int:
        return sum(block.n_rows for block in self._blocks)

    @property
    def names(self) -> list[str] | None:
        X = self._blocks[0].rows.X
        return list(nw.from_native(X, eager_only=True).columns) if is_frame(X) else None

    @property
    def n_features(self) -> int:
        return int(self._blocks[0].rows.X.shape[1])

    def add(self, rows: RowBlock) -> None:
        """Keep a copy of these rows."""
        n_rows = rows.X.shape[0]
        self._blocks.append(KeptBlock(_taken(rows, np.arange(n_rows)), row_keys(rows)))
        while len(self._blocks) > 1 and _may_join(*self._blocks[-2:]):
            last = self._blocks.pop()
            before = self._blocks[-1]
            joined = _joined(before.rows, last.rows)
            self._blocks[-1] = KeptBlock(joined, np.concatenate([before.keys, last.keys]))

    def remove(self, rows: RowBlock) -> None:
        """Take these rows out, of equal ones those that came first: all of them, or none and an error."""
        keys = np.concatenate([block.keys for block in self._blocks])
        leaving, given = _match(keys, row_keys(rows))
        last = np.cumsum([block.n_rows for block in self._blocks])
        of_block = np.searchsorted(last, leaving, side="right")
        changed = {}
        for number in np.unique(of_block):
            block = self._blocks[number]
            here = of_block == number
            own = leaving[here] - (last[number] - block.n_rows)
            if not same_rows(block.rows, own, rows, given[here]):  # two rows of one key
                raise _never_added(len(given), int(given[here].min()))
            changed[number] = block.without(own)
        for number, block in changed.items():
            self._blocks[number] = block
        filled = [block for block in self._blocks if block.n_rows]
        if 2 * len(filled) < len(self._blocks):
            self._blocks = filled or self._blocks[:1]

    def read(self, task: Callable[[int, RowBlock], T], progress: Progress) -> list[T]:
        name = blake2b(pickle.dumps(task)).digest()
        found = []
        for number, block in enumerate(self._blocks):
            found.append(block.result((name, number), lambda n=number, b=block: task(n, b.rows)))  # type: ignore[misc]
            progress(number + 1, len(self._blocks))
        return found


def _match(kept: Keys, unwanted: Keys) -> tuple[Places, Places]:
    """For each unwanted row the first row kept of the same key that no other one has: both as places."""
    near = np.flatnonzero(np.isin(kept[:, 0], unwanted[:, 0]))
    keys = np.concatenate([kept[near], unwanted])
    order = np.lexsort((np.arange(len(keys)), keys[:, 1], keys[:, 0]))
    starts = np.ones(len(keys), dtype=bool)
    starts[1:] = (keys[order][1:] != keys[order][:-1]).any(axis=1)
    group = np.empty(len(keys), dtype=np.intp)
    group[order] = np.cumsum(starts) - 1
    nth = np.empty(len(keys), dtype=np.intp)
    is_kept = order < len(near)
    for some in (
        is_kept,
        ~is_kept,
    ):  # the how-manieth of its group, among the kept and among the unwanted
        places = order[some]
        first = np.searchsorted(group[places], group[places])
        nth[places] = np.arange(len(places)) - first
    pair = group * np.intp(len(keys) + 1) + nth
    found = np.isin(pair[len(near) :], pair[: len(near)])
    if not found.all():
        raise _never_added(len(unwanted), int(np.argmin(found)))
    by_pair = np.argsort(pair[: len(near)])
    places = np.searchsorted(pair[: len(near)], pair[len(near) :], sorter=by_pair)
    return near[by_pair[places]], np.arange(len(unwanted))


def _never_added(n_rows: int, first: int) -> ValueError:
    return ValueError(
        f"rows were forgotten that were never added: sample {first} of {n_rows} is not among those kept; "
        "nothing was forgotten"
    )


def _taken(rows: RowBlock, places: Places) -> RowBlock:
    """A copy of some rows."""
    return RowBlock(*(_rows_of(part, places) for part in (rows.X, rows.y, rows.weights)))


def _rows_of(values: Any, places: Places) -> Any:
    if values is None or isinstance(values, np.ndarray):
        return None if values is None else values[places]
    if sparse.issparse(values):
        return values.tocsr()[places]
    return nw.from_native(values, eager_only=True)[places.tolist(), :].to_native()


def _may_join(before: KeptBlock, last: KeptBlock) -> bool:
    """Blocks of the same types, and sizes such that every row is joined few times."""
    if before.n_rows > 2 * last.n_rows or before.n_rows + last.n_rows > MOST_JOINED:
        return False
    return _types(before.rows) == _types(last.rows)


def _types(rows: RowBlock) -> list[Any]:
    types = [None if part is None else part.dtype for part in (rows.y, rows.weights)]
    if not is_frame(rows.X):
        return [type(rows.X), rows.X.dtype, *types]
    frame = nw.from_native(rows.X, eager_only=True)
    kinds = list(frame.schema.values())
    if any(kind in (nw.Categorical, nw.Enum, nw.Object) for kind in kinds):
        return [object()]  # like nothing else: each block has its own categories
    return [frame.implementation, *kinds, *types]


def _joined(a: RowBlock, b: RowBlock) -> RowBlock:
    pairs = ((a.X, b.X), (a.y, b.y), (a.weights, b.weights))
    return RowBlock(*(_stacked(*pair) for pair in pairs))


def _stacked(a: Any, b: Any) -> Any:
    if a is None or isinstance(a, np.ndarray):
        return None if a is None else np.concatenate([a, b])
    if sparse.issparse(a):
        return sparse.vstack([a, b], format="csr")
    frames = [nw.from_native(part, eager_only=True) for part in (a, b)]
    return nw.concat(frames, how="vertical").to_native()
