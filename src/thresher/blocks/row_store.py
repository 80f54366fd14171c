"""The rows that `partial_fit` adds and `forget` removes."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from hashlib import blake2b
from typing import Any, TypeVar

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt

from thresher._utils.checks import resolve_features
from thresher._utils.types import Array, FeatureNames, Floats
from thresher.blocks.engine import (
    Add,
    LocalEngine,
    Packed,
    PackTask,
    Progress,
    R,
    ReadTask,
    RequestTask,
    RowBlock,
    check_packed,
    counted,
)
from thresher.blocks.packed_rows import (
    Keys,
    PackedRows,
    fingerprint,
    join_rows,
    pack_rows,
    row_keys,
    same_rows,
)
from thresher.blocks.rows import RowReader
from thresher.data import distinct_labels, is_frame, refuse_missing_labels, take
from thresher.discretize import GivenBins

T = TypeVar("T")
Indices = npt.NDArray[np.intp]

# The last blocks are joined up to so many rows, as a round costs a little for each block, and to so many values.
MOST_JOINED = 1 << 16
MOST_VALUES = 1 << 24
# Results of tasks that are kept for each block: those of the last fit, or of two selectors in turn.
MOST_RESULTS = 4


class Results(dict[object, Any]):
    """What tasks said of some rows."""

    def of(self, name: object, task: ReadTask[T], number: int, rows: Callable[[], RowBlock]) -> T:
        """What the task of that name says, computed once."""
        if name not in self:
            while len(self) >= MOST_RESULTS:
                del self[next(iter(self))]
            self[name] = task(number, rows())
        found: T = self[name]
        return found


@dataclass
class StoredBlock:
    """Packed rows with their keys, and which of them were taken away since.

    Attributes
    ----------
    removed : list of (ndarray, Results)
        Rows taken away, in groups, and what was said of each group: it is subtracted from what was said of all.
    all_results, active_results : Results
    """

    rows: PackedRows
    labels: StoredLabels
    keys: Keys
    removed: list[tuple[Indices, Results]] = field(default_factory=list)
    all_results: Results = field(default_factory=Results)
    active_results: Results = field(default_factory=Results)

    @property
    def active(self) -> Indices:
        """The rows that are there, by their places."""
        gone = [places for places, _ in self.removed]
        return np.delete(np.arange(len(self.keys)), np.concatenate([np.empty(0, np.intp), *gone]))

    @property
    def n_active(self) -> int:
        return len(self.keys) - self.n_removed

    @property
    def n_removed(self) -> int:
        return sum(len(places) for places, _ in self.removed)

    def take(self, places: Indices) -> StoredBlock:
        """A block of some rows, in this order."""
        return StoredBlock(self.rows.take(places), self.labels.take(places), self.keys[places])

    def all_rows(self) -> RowBlock:
        return RowBlock(self.rows, self.labels.labels(), self.labels.weights)

    def rows_at(self, places: Indices) -> RowBlock:
        return self.take(places).all_rows()

    def active_rows(self) -> RowBlock:
        return self.rows_at(self.active) if self.removed else self.all_rows()

    def without(self, places: Indices) -> StoredBlock:
        """The block without some more rows: they are noted, or dropped when as many are stored as twice the active."""
        removed = [*self.removed, (places, Results())]
        while len(removed) > 1 and len(removed[-2][0]) <= 2 * len(removed[-1][0]):
            last, _ = removed.pop()
            removed[-1] = (np.concatenate([removed[-1][0], last]), Results())
        found = StoredBlock(self.rows, self.labels, self.keys, removed, self.all_results)
        if len(self.keys) + found.n_removed > 2 * found.n_active:
            return found.take(found.active)
        return found


@dataclass(frozen=True)
class Signed:
    """A packed block that is added or subtracted."""

    packed: Packed
    is_negative: bool

    def answer(self, task: RequestTask[R]) -> R:
        found = task(self.packed)
        return -found if self.is_negative else found


class StoredRows(LocalEngine):
    """An engine of rows that come and go.

    Blocks hold rows in packed form alone. Rows that leave are noted as removed, and stay in their block until it is
    rewritten, when it stores twice as many rows as live. Facts are told of the active. Of what adds up, such as counts,
    that of the removed is subtracted from that of all, so only the removed are packed. What was said of rows is kept as long
    as they are. A block that removed all its rows stays, so that the others keep their numbers, until such blocks are the
    majority.

    Parameters
    ----------
    given : GivenBins, default=None
        Cuts of columns whose values matter by their bins alone.
    exclude : list of str or int, default=None
        Columns that may hold anything.
    """

    def __init__(self, given: GivenBins | None = None, exclude: FeatureNames = None) -> None:
        self._given = given
        self._exclude = exclude
        self._names: tuple[str, ...] | None = None
        self._cuts: list[Floats | None] = []
        self._blocks: list[StoredBlock] = []
        self._signed: list[Signed] = []

    @property
    def n_rows(self) -> int:
        return sum(block.n_active for block in self._blocks)

    @property
    def n_stored(self) -> int:
        """All rows that are packed, those to be subtracted included."""
        return sum(len(block.keys) + block.n_removed for block in self._blocks)

    @property
    def names(self) -> list[str] | None:
        return None if self._names is None else list(self._names)

    @property
    def n_features(self) -> int:
        return self._blocks[0].rows.shape[1]

    def check(self, given: GivenBins | None, exclude: FeatureNames) -> None:
        """Refuse to go on with other cuts or columns than those by which rows are kept."""
        same_cuts = given is self._given or same_arrays(self._cuts, self._cuts_of(given))
        same_columns = np.array_equal(
            self._used(self._exclude, self.n_features), self._used(exclude, self.n_features)
        )
        for name, is_same in (("discretize", same_cuts), ("exclude", same_columns)):
            if not is_same:
                raise ValueError(
                    f"{name} is not what it was when the rows came, which are kept by it; set it back, or call fit to "
                    "start anew"
                )

    def add(self, rows: RowBlock) -> None:
        """Keep these rows."""
        if not self._blocks and is_frame(rows.X):
            frame = nw.from_native(rows.X, eager_only=True)
            self._names = tuple(str(name) for name in frame.columns)
        blocks = [*self._blocks, self._read(rows)]
        while len(blocks) > 1 and _may_join(*blocks[-2:]):
            before, last = blocks[-2:]
            joined = join_rows(before.rows, last.rows)
            labels = before.labels.join(last.labels)
            blocks[-2:] = [StoredBlock(joined, labels, np.concatenate([before.keys, last.keys]))]
        self._blocks = blocks

    def remove(self, rows: RowBlock) -> None:
        """Take these rows away, of equal ones those that came first: all of them, or none and an error."""
        to_remove = self._read(rows)
        active = [block.active for block in self._blocks]
        ends = np.cumsum([len(places) for places in active])
        leaving = self._find(to_remove.keys, active, ends)
        of_block = np.searchsorted(ends, leaving, side="right")
        blocks = list(self._blocks)
        for number in np.unique(of_block).tolist():
            block, own = self._blocks[number], np.flatnonzero(of_block == number)
            places = active[number][leaving[own] - (ends[number] - len(active[number]))]
            there, given = block.take(places), to_remove.take(own)
            if not (same_rows(there.rows, given.rows) and there.labels.equals(given.labels)):
                raise _never_added(len(leaving), int(own.min()))  # two rows of one key
            blocks[number] = block.without(places)
        filled = [block for block in blocks if block.n_active]
        self._blocks = (filled or blocks[:1]) if 2 * len(filled) < len(blocks) else blocks

    def read(self, task: ReadTask[T], progress: Progress) -> list[T]:
        """What the task says of the active rows of each block."""
        name = _name(task)
        return [
            block.active_results.of((name, number), task, number, block.active_rows)
            for number, block in enumerate(counted(self._blocks, len(self._blocks), progress))
        ]

    def pack(self, task: PackTask[T], progress: Progress) -> list[T]:
        """Of each block what is told of all its rows, less that of the removed; or of the active, where it has no sign."""
        signed: Any = task.signed() if hasattr(task, "signed") else None
        name = _name(signed)
        packed: list[Signed] = []
        summaries: list[Any] = []
        for number, block in enumerate(counted(self._blocks, len(self._blocks), progress)):
            if signed is None:  # what is told of numbers differs each time, so that nothing is kept
                own, summary = task(number, block.active_rows())
            else:
                own, summary = block.all_results.of(name, signed, number, block.all_rows)
            packed.append(Signed(own, False))
            summaries.append(summary)
            for places, said in block.removed if signed is not None else ():
                own, summary = said.of(name, signed, number, partial(block.rows_at, places))
                packed.append(Signed(own, True))
                summaries.append(summary.negative())
        self._signed = packed
        return summaries

    def request(self, task: RequestTask[R], add: Add[R], progress: Progress) -> R:
        check_packed(self._signed)
        answers = (block.answer(task) for block in self._signed)
        return reduce(add, counted(answers, len(self._signed), progress))

    def close(self) -> None:
        self._signed = []

    def _read(self, rows: RowBlock) -> StoredBlock:
        reader = RowReader("partial_fit", self._names, self._exclude, False, False)
        matrix, texts = reader.features(len(self._blocks), rows.X)
        if not self._blocks:
            self._cuts = self._cuts_of(self._given, matrix.shape[1])
        packed = pack_rows(matrix, texts, self._cuts)
        used = take(rows.X, self._used(self._exclude, matrix.shape[1]), axis=1)
        keys = row_keys(replace(rows, X=used))
        return StoredBlock(packed, StoredLabels.of(rows.y, rows.weights), keys)

    def _cuts_of(
        self, given: GivenBins | None, n_features: int | None = None
    ) -> list[Floats | None]:
        if given is None:
            return []
        names = None if self._names is None else np.array(self._names, dtype=object)
        return given.by_feature(names, self.n_features if n_features is None else n_features)

    def _used(self, exclude: FeatureNames, n_features: int) -> npt.NDArray[np.intp]:
        """Positions of the columns that are not excluded."""
        names = None if self._names is None else np.array(self._names, dtype=object)
        excluded = resolve_features("exclude", exclude, names, n_features)
        return np.delete(np.arange(n_features), excluded)

    def _find(self, to_remove: Keys, active: list[Indices], ends: npt.NDArray[np.intp]) -> Indices:
        """Of each to_remove row the place, among all active, of the oldest one of its key that no other has."""
        oldest: list[Keys] = []
        for block, places in zip(self._blocks, active, strict=True):
            lacking = len(to_remove) - sum(map(len, oldest))
            oldest.append(block.keys[places[:lacking]])
        first = np.concatenate(oldest)
        if len(first) == len(to_remove) and fingerprint(first) == fingerprint(to_remove):
            kept = first  # the oldest rows leave, as in a window that slides
        else:
            kept = np.concatenate(
                [b.keys[places] for b, places in zip(self._blocks, active, strict=True)]
            )
        return _match(kept, to_remove)


def _name(task: object) -> bytes:
    return blake2b(pickle.dumps(task)).digest()


def _match(kept: Keys, to_remove: Keys) -> Indices:
    """For each to_remove row the first row kept of the same key that no other one has."""
    near = np.flatnonzero(np.isin(kept[:, 0], to_remove[:, 0]))
    keys = np.concatenate([kept[near], to_remove])
    order = np.lexsort((np.arange(len(keys)), keys[:, 1], keys[:, 0]))
    starts = np.ones(len(keys), dtype=bool)
    starts[1:] = (keys[order][1:] != keys[order][:-1]).any(axis=1)
    group = np.empty(len(keys), dtype=np.intp)
    group[order] = np.cumsum(starts) - 1
    nth = np.empty(len(keys), dtype=np.intp)
    is_kept = order < len(near)
    # The how-manieth of its group, among the kept and among the to_remove.
    for some in (is_kept, ~is_kept):
        places = order[some]
        first = np.searchsorted(group[places], group[places])
        nth[places] = np.arange(len(places)) - first
    pair = group * np.intp(len(keys) + 1) + nth
    found = np.isin(pair[len(near) :], pair[: len(near)])
    if not found.all():
        raise _never_added(len(to_remove), int(np.argmin(found)))
    by_pair = np.argsort(pair[: len(near)])
    places = np.searchsorted(pair[: len(near)], pair[len(near) :], sorter=by_pair)
    return near[by_pair[places]]


def _never_added(n_rows: int, first: int) -> ValueError:
    return ValueError(
        f"rows were forgotten that were never added: sample {first} of {n_rows} is not among those kept; "
        "nothing was forgotten"
    )


def _may_join(before: StoredBlock, last: StoredBlock) -> bool:
    """Blocks of the same kinds that removed nothing, and sizes such that every row is joined few times."""
    n_rows = len(before.keys) + len(last.keys)
    if len(before.keys) > 2 * len(last.keys) or n_rows > MOST_JOINED:
        return False
    if before.removed or last.removed or n_rows * last.rows.shape[1] > MOST_VALUES:
        return False
    return before.rows.is_like(last.rows) and before.labels.is_like(last.labels)


MOST_CODED = 256


@dataclass(frozen=True)
class StoredLabels:
    """The targets of some rows, as bytes where there are few classes, and their weights.

    Attributes
    ----------
    classes : ndarray or None
        What the codes stand for; None where `values` are the targets themselves.
    values : ndarray or None
    weights : ndarray or None
    """

    classes: Array | None
    values: Array | None
    weights: Array | None

    @classmethod
    def of(cls, y: Array | None, weights: Array | None) -> StoredLabels:
        own = None if weights is None else weights.copy()
        if y is None:
            return cls(None, None, own)
        refuse_missing_labels(y)
        classes, codes = distinct_labels(y)
        if len(classes) > min(MOST_CODED, max(len(y) // 2, 16)):
            return cls(None, y.copy(), own)
        return cls(classes, codes.astype(np.uint8), own)

    def labels(self) -> Array | None:
        if self.classes is None or self.values is None:
            return self.values
        return np.asarray(self.classes[self.values])

    def take(self, places: npt.NDArray[np.intp]) -> StoredLabels:
        weights = None if self.weights is None else self.weights[places]
        values = None if self.values is None else self.values[places]
        return StoredLabels(self.classes, values, weights)

    def is_like(self, other: StoredLabels) -> bool:
        """Whether both have targets, or weights, of the same types or none."""
        return self._types() == other._types()

    def _types(self) -> list[np.dtype[np.generic] | None]:
        labels = self.classes if self.classes is not None else self.values
        return [None if own is None else own.dtype for own in (labels, self.weights)]

    def join(self, other: StoredLabels) -> StoredLabels:
        """Those of both, which are alike."""
        return StoredLabels.of(
            _stacked(self.labels(), other.labels()), _stacked(self.weights, other.weights)
        )

    def equals(self, other: StoredLabels) -> bool:
        return same_arrays([self.labels(), self.weights], [other.labels(), other.weights])


def same_arrays(a: Sequence[Array | None], b: Sequence[Array | None]) -> bool:
    """Whether there are as many arrays, equal ones and None in the same places."""
    return len(a) == len(b) and all(
        x is y if x is None or y is None else np.array_equal(x, y)
        for x, y in zip(a, b, strict=True)
    )


def _stacked(a: Array | None, b: Array | None) -> Array | None:
    return None if a is None or b is None else np.concatenate([a, b])
