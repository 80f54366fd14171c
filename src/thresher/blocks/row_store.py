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

from thresher._utils.checks import is_missing, resolve_features
from thresher._utils.types import Array, FeatureNames, Floats, Indices
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
from thresher.data import distinct_labels, is_frame, reject_missing_labels, take
from thresher.discretize import GivenBins

T = TypeVar("T")

# The last blocks are joined up to this number of rows and of values, as a request has a cost per block.
MOST_JOINED = 1 << 16
MOST_VALUES = 1 << 24
# How many results of tasks a block caches: those of the last fit, or of two selectors in turn.
MOST_RESULTS = 4


class Results(dict[object, Any]):
    """The cached results of tasks on some rows."""

    def of(self, name: object, task: ReadTask[T], number: int, rows: Callable[[], RowBlock]) -> T:
        """Return the result of the task with that name, computed once."""
        if name not in self:
            while len(self) >= MOST_RESULTS:
                del self[next(iter(self))]
            self[name] = task(number, rows())
        result: T = self[name]
        return result


@dataclass
class StoredBlock:
    """Packed rows with their keys, and which of them are removed.

    Attributes
    ----------
    rows : PackedRows
    labels : StoredLabels
    keys : ndarray of int
    removed : list of (ndarray, Results)
        Removed rows, in groups, with the results of each group, which are subtracted from those of all rows.
    all_results, active_results : Results
        The results of all rows, and of active rows.
    """

    rows: PackedRows
    labels: StoredLabels
    keys: Keys
    removed: list[tuple[Indices, Results]] = field(default_factory=list)
    all_results: Results = field(default_factory=Results)
    active_results: Results = field(default_factory=Results)

    @property
    def active(self) -> Indices:
        """The indices of rows that are not removed."""
        removed = np.concatenate([np.empty(0, np.intp), *(rows for rows, _ in self.removed)])
        return np.delete(np.arange(len(self.keys)), removed)

    @property
    def n_active(self) -> int:
        return len(self.keys) - self.n_removed

    @property
    def n_removed(self) -> int:
        return sum(len(rows) for rows, _ in self.removed)

    def take(self, rows: Indices) -> StoredBlock:
        """Return a block of some rows, in this order."""
        return StoredBlock(self.rows.take(rows), self.labels.take(rows), self.keys[rows])

    def all_rows(self) -> RowBlock:
        return RowBlock(self.rows, self.labels.labels(), self.labels.weights)

    def rows_at(self, rows: Indices) -> RowBlock:
        return self.take(rows).all_rows()

    def active_rows(self) -> RowBlock:
        return self.rows_at(self.active) if self.removed else self.all_rows()

    def without(self, rows: Indices) -> StoredBlock:
        """Return the block with more rows removed. It is rewritten once it stores twice as many rows as are active."""
        removed = [*self.removed, (rows, Results())]
        while len(removed) > 1 and len(removed[-2][0]) <= 2 * len(removed[-1][0]):
            last, _ = removed.pop()
            removed[-1] = (np.concatenate([removed[-1][0], last]), Results())
        block = StoredBlock(self.rows, self.labels, self.keys, removed, self.all_results)
        is_sparse = len(self.keys) + block.n_removed > 2 * block.n_active
        return block.take(block.active) if is_sparse else block


@dataclass(frozen=True)
class Signed:
    """A packed block that is added or subtracted."""

    packed: Packed
    is_negative: bool

    def run(self, task: RequestTask[R]) -> R:
        """Return the result of the task with the sign of the block."""
        result = task(self.packed)
        return -result if self.is_negative else result


class StoredRows(LocalEngine):
    """The backend of rows that `partial_fit` adds and `forget` removes.

    Rows are stored in packed form only. Removed rows remain in their block until it is rewritten, once it stores twice
    as many rows as are active. Summaries cover active rows. Results that add up, such as counts, are those of all rows
    less those of removed rows, so only newly removed rows are packed. Results are cached as long as their rows exist. A
    block without active rows remains, so that the numbers of the others do not change, until such blocks are the
    majority.

    Parameters
    ----------
    given : GivenBins, default=None
        Cut points of columns of which only the bins matter.
    exclude : list of str or int, default=None
        Columns that are not used and may contain anything.
    classes : ndarray, default=None
        The labels that rows may have; the target is then nominal.
    """

    def __init__(
        self,
        given: GivenBins | None = None,
        exclude: FeatureNames = None,
        classes: Array | None = None,
    ) -> None:
        self._given = given
        self.classes = classes
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
        """The number of packed rows. Removed rows are packed twice."""
        return sum(len(block.keys) + block.n_removed for block in self._blocks)

    @property
    def names(self) -> list[str] | None:
        return None if self._names is None else list(self._names)

    @property
    def n_features(self) -> int:
        return self._blocks[0].rows.shape[1]

    def check(self, given: GivenBins | None, exclude: FeatureNames) -> None:
        """Raise if cut points or excluded columns differ from those of the stored rows."""
        same_cuts = given is self._given or same_arrays(self._cuts, self._cuts_of(given))
        same_columns = np.array_equal(
            self._used(self._exclude, self.n_features), self._used(exclude, self.n_features)
        )
        for name, is_same in (("discretize", same_cuts), ("exclude", same_columns)):
            if not is_same:
                raise ValueError(
                    f"{name} differs from that of the stored rows. Restore it, or call fit to start again"
                )

    def check_classes(self, classes: Array) -> None:
        """Raise if the labels that rows may have differ from those of the stored rows."""
        if self.classes is None or self.classes.tolist() != classes.tolist():
            raise ValueError(
                "classes differ from those of the first call of partial_fit. Pass the same ones, or call fit to start "
                "again"
            )

    def with_text(self, rows: RowBlock) -> RowBlock:
        """Return the rows with categories of numbers as text: stored, they would be read as numbers later."""
        y = rows.y
        if self.classes is not None or y is None or y.dtype != object:
            return rows
        if any(isinstance(label, str) for label in y):
            return rows
        text = [None if is_missing(label) else str(label) for label in y]
        return replace(rows, y=np.array(text, dtype=object))

    def add(self, rows: RowBlock) -> None:
        """Store these rows; raise for a label that is not one of the classes."""
        if self.classes is not None and rows.y is not None:
            _refuse_other_labels(rows.y, self.classes)
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
        """Remove these rows, the oldest of equal ones. If one is not stored, remove none and raise."""
        to_remove = self._read(rows)
        active = [block.active for block in self._blocks]
        ends = np.cumsum([len(rows) for rows in active])
        indices = self._find(to_remove.keys, active)
        of_block = np.searchsorted(ends, indices, side="right")
        blocks = list(self._blocks)
        for number in np.unique(of_block).tolist():
            block, samples = self._blocks[number], np.flatnonzero(of_block == number)
            stored = active[number][indices[samples] - (ends[number] - len(active[number]))]
            ours, given = block.take(stored), to_remove.take(samples)
            if not (same_rows(ours.rows, given.rows) and ours.labels.equals(given.labels)):
                raise _never_added(len(indices), int(samples.min()))  # different rows with one key
            blocks[number] = block.without(stored)
        filled = [block for block in blocks if block.n_active]
        self._blocks = (filled or blocks[:1]) if 2 * len(filled) < len(blocks) else blocks

    def read(self, task: ReadTask[T], progress: Progress) -> list[T]:
        """Return the result of the task for the active rows of each block."""
        name = _name(task)
        return [
            block.active_results.of((name, number), task, number, block.active_rows)
            for number, block in enumerate(counted(self._blocks, len(self._blocks), progress))
        ]

    def pack(self, task: PackTask[T], progress: Progress) -> list[T]:
        """Pack all rows and removed rows, to be subtracted, or active rows if results cannot be subtracted."""
        signed: Any = task.signed() if hasattr(task, "signed") else None
        name = _name(signed)
        packed: list[Signed] = []
        summaries: list[Any] = []
        for number, block in enumerate(counted(self._blocks, len(self._blocks), progress)):
            # Sums of numbers have other centres each time, so they are not cached.
            if signed is None:
                whole, summary = task(number, block.active_rows())
            else:
                whole, summary = block.all_results.of(name, signed, number, block.all_rows)
            packed.append(Signed(whole, False))
            summaries.append(summary)
            for rows, results in block.removed if signed is not None else ():
                part, summary = results.of(name, signed, number, partial(block.rows_at, rows))
                packed.append(Signed(part, True))
                summaries.append(summary.negative())
        self._signed = packed
        return summaries

    def request(self, task: RequestTask[R], add: Add[R], progress: Progress) -> R:
        check_packed(self._signed)
        results = (block.run(task) for block in self._signed)
        return reduce(add, counted(results, len(self._signed), progress))

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

    def _used(self, exclude: FeatureNames, n_features: int) -> Indices:
        """Return the indices of columns that are not excluded."""
        names = None if self._names is None else np.array(self._names, dtype=object)
        excluded = resolve_features("exclude", exclude, names, n_features)
        return np.delete(np.arange(n_features), excluded)

    def _find(self, to_remove: Keys, active: list[Indices]) -> Indices:
        """Return, for each row to remove, the index of a different active row with its key, the oldest one."""
        oldest: list[Keys] = []
        for block, rows in zip(self._blocks, active, strict=True):
            n_missing = len(to_remove) - sum(map(len, oldest))
            oldest.append(block.keys[rows[:n_missing]])
        stored = np.concatenate(oldest)
        # A sliding window removes its oldest rows. Else search all rows.
        if len(stored) != len(to_remove) or fingerprint(stored) != fingerprint(to_remove):
            stored = np.concatenate(
                [block.keys[rows] for block, rows in zip(self._blocks, active, strict=True)]
            )
        return _match(stored, to_remove)


def _refuse_other_labels(y: Array, classes: Array) -> None:
    reject_missing_labels(y)
    known = set(classes.tolist())
    other = [label for label in distinct_labels(y)[0].tolist() if label not in known]
    if other:
        raise ValueError(
            f"y has the label {other[0]!r}, which is not in classes. Pass all classes in the first call of partial_fit"
        )


def _name(task: object) -> bytes:
    """Return a name that identifies the task with its attributes."""
    return blake2b(pickle.dumps(task)).digest()


def _match(stored: Keys, to_remove: Keys) -> Indices:
    """Return, for each row to remove, the index of a different stored row with its key, the oldest one."""
    candidates = np.flatnonzero(np.isin(stored[:, 0], to_remove[:, 0]))
    n = len(candidates)
    keys = np.concatenate([stored[candidates], to_remove])
    order = np.lexsort((np.arange(len(keys)), keys[:, 1], keys[:, 0]))
    starts = np.ones(len(keys), dtype=bool)
    starts[1:] = (keys[order][1:] != keys[order][:-1]).any(axis=1)
    group = np.empty(len(keys), dtype=np.intp)
    group[order] = np.cumsum(starts) - 1
    nth = np.empty(len(keys), dtype=np.intp)
    is_stored = order < n
    # The rank of a row in its group, separately among stored rows and rows to remove.
    for some in (is_stored, ~is_stored):
        rows = order[some]
        nth[rows] = np.arange(len(rows)) - np.searchsorted(group[rows], group[rows])
    pair = group * np.intp(len(keys) + 1) + nth
    is_found = np.isin(pair[n:], pair[:n])
    if not is_found.all():
        raise _never_added(len(to_remove), int(np.argmin(is_found)))
    by_pair = np.argsort(pair[:n])
    return candidates[by_pair[np.searchsorted(pair[:n], pair[n:], sorter=by_pair)]]


def _never_added(n_rows: int, first: int) -> ValueError:
    return ValueError(
        f"cannot forget rows that were never added: sample {first} of {n_rows}. Remove it; nothing was forgotten"
    )


def _may_join(before: StoredBlock, last: StoredBlock) -> bool:
    """Return whether blocks without removed rows are alike, and of sizes such that every row is joined few times."""
    n_rows = len(before.keys) + len(last.keys)
    if len(before.keys) > 2 * len(last.keys) or n_rows > MOST_JOINED:
        return False
    if before.removed or last.removed or n_rows * last.rows.shape[1] > MOST_VALUES:
        return False
    return before.rows.is_like(last.rows) and before.labels.is_like(last.labels)


MOST_CODED = 256


@dataclass(frozen=True)
class StoredLabels:
    """The targets of some rows, as one byte each if there are few classes, and their weights.

    Attributes
    ----------
    classes : ndarray or None
        The targets of the codes; None if `values` are the targets.
    values : ndarray or None
        The codes or the targets.
    weights : ndarray or None
    """

    classes: Array | None
    values: Array | None
    weights: Array | None

    @classmethod
    def of(cls, y: Array | None, weights: Array | None) -> StoredLabels:
        """Return copies of the targets and the weights."""
        weights = None if weights is None else weights.copy()
        if y is None:
            return cls(None, None, weights)
        reject_missing_labels(y)
        classes, codes = distinct_labels(y)
        if len(classes) > min(MOST_CODED, max(len(y) // 2, 16)):
            return cls(None, y.copy(), weights)
        return cls(classes, codes.astype(np.uint8), weights)

    def labels(self) -> Array | None:
        if self.classes is None or self.values is None:
            return self.values
        return np.asarray(self.classes[self.values])

    def take(self, rows: Indices) -> StoredLabels:
        weights = None if self.weights is None else self.weights[rows]
        values = None if self.values is None else self.values[rows]
        return StoredLabels(self.classes, values, weights)

    def is_like(self, other: StoredLabels) -> bool:
        """Return whether targets and weights of both have the same types, or both have none."""
        return self._types() == other._types()

    def _types(self) -> list[np.dtype[np.generic] | None]:
        labels = self.classes if self.classes is not None else self.values
        return [None if values is None else values.dtype for values in (labels, self.weights)]

    def join(self, other: StoredLabels) -> StoredLabels:
        """Return the labels of both, which must be alike."""
        labels = _stack(self.labels(), other.labels())
        return StoredLabels.of(labels, _stack(self.weights, other.weights))

    def equals(self, other: StoredLabels) -> bool:
        return same_arrays([self.labels(), self.weights], [other.labels(), other.weights])


def same_arrays(a: Sequence[Array | None], b: Sequence[Array | None]) -> bool:
    """Return whether the arrays are equal, and None at the same indices."""
    return len(a) == len(b) and all(
        x is y if x is None or y is None else np.array_equal(x, y)
        for x, y in zip(a, b, strict=True)
    )


def _stack(a: Array | None, b: Array | None) -> Array | None:
    return None if a is None or b is None else np.concatenate([a, b])
