"""The first pass over the blocks: facts of columns, target and weights, which merge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher._utils.types import Array, Floats
from thresher.blocks import double_double as words
from thresher.blocks.engine import RowBlock
from thresher.blocks.rows import RowReader, Rows
from thresher.data import (
    MOST_DISCRETE_VALUES,
    TargetSummary,
    are_whole,
    as_numbers,
    distinct_labels,
    feature_blocks,
    has_classes,
    powers_of_two,
    refuse_missing_labels,
    to_feature_major,
)

# More distinct values than a target of classes can have.
MOST_CLASSES = 1 << 16


@dataclass(frozen=True)
class LabelFacts:
    """What a block tells of its target.

    Attributes
    ----------
    distinct : ndarray or None
        The distinct values of all rows, sorted; None if they are so many that they are numbers.
    counts : ndarray of int, or None
        How often each occurs among the rows that count.
    lowest, highest : float
        Of the rows that count, where they are numbers; NaN without rows.
    is_float : bool
    """

    distinct: Array | None
    counts: npt.NDArray[np.int64] | None
    lowest: float
    highest: float
    is_float: bool


def label_facts(rows: Rows, as_quantity: bool, keeps_all: bool, number: int) -> LabelFacts:
    """The facts of a block; floats with many values are told as numbers only, unless all are to be kept."""
    labels = rows.labels
    assert labels is not None
    refuse_missing_labels(labels, f" of block {number}")
    if as_quantity:
        labels = as_numbers(labels)
    used = rows.of_used(labels)
    is_number = labels.dtype.kind in "fiub"
    lowest, highest = np.nan, np.nan
    if is_number and used.size:
        lowest, highest = float(used.min()), float(used.max())
    is_float = labels.dtype.kind == "f"
    if as_quantity:
        return LabelFacts(None, None, lowest, highest, is_float)
    distinct, codes = distinct_labels(labels)
    if is_float and len(distinct) > 2 and not keeps_all:
        return LabelFacts(None, None, lowest, highest, True)
    counts = np.bincount(rows.of_used(codes), minlength=len(distinct))
    return LabelFacts(distinct, counts, lowest, highest, is_float)


@dataclass(frozen=True)
class BlockTarget(TargetSummary):
    """The target of rows in blocks.

    Attributes
    ----------
    rows_before : ndarray of int of shape (n_blocks, n_classes), or None
        How many rows of each class count in the blocks before each; None for numbers.
    n_of_class : ndarray of int of shape (n_classes,), or None
    """

    rows_before: npt.NDArray[np.int64] | None = None
    n_of_class: npt.NDArray[np.int64] | None = None


def merge_labels(
    facts: Sequence[LabelFacts], n_given: int, kind: str, classes_only: bool, owner: str
) -> BlockTarget:
    """The target of all blocks, by the rules of a target in memory."""
    filled = [own for own in facts if own.distinct is None or len(own.distinct)] or list(facts[:1])
    told = [own.distinct for own in filled if own.distinct is not None]
    is_text = {own.distinct is not None and own.distinct.dtype.kind == "O" for own in filled}
    if len(is_text) == 2:
        raise ValueError("y holds text in one block and numbers in another; make it one of them")
    is_quantity = kind == "numeric" or len(told) < len(filled)
    if not is_quantity:
        classes = distinct_labels(np.concatenate(told))[0]
        is_quantity = not has_classes(classes, n_given, kind, classes_only, owner)
    if is_quantity:
        lowest = np.fmin.reduce([own.lowest for own in facts])
        highest = np.fmax.reduce([own.highest for own in facts])
        return BlockTarget(False, None, float(lowest), float(highest))
    if len(classes) > MOST_CLASSES:
        raise ValueError(
            f"y has {len(classes)} distinct values, too many for classes where rows are in blocks; "
            'if it is a quantity, give target="numeric"'
        )
    counts = np.zeros((len(facts), len(classes)), dtype=np.int64)
    for i, own in enumerate(facts):
        if own.distinct is not None and len(own.distinct):
            assert own.counts is not None
            counts[i, np.searchsorted(classes, own.distinct.astype(classes.dtype))] = own.counts
    used = counts.sum(axis=0) > 0  # classes that only rows of no weight have are gone
    counts = counts[:, used]
    before = np.vstack([np.zeros_like(counts[:1]), np.cumsum(counts, axis=0)[:-1]])
    present = classes[used]
    return BlockTarget(True, present, 0.0, len(present) - 1.0, before, counts.sum(axis=0))


# A span of whole numbers up to which they are counted rather than sorted.
MOST_COUNTED = 1 << 16


@dataclass(frozen=True)
class ColumnFacts:
    """Facts of columns that add: those of two blocks make those of both.

    Attributes
    ----------
    minimum, maximum : ndarray
        NaN where no value is present.
    n_missing, n_infinite : ndarray of int
    whole : ndarray of bool
        All values present are whole numbers.
    distinct : list of (ndarray or None)
        The distinct values, sorted; None if there are too many.
    texts : dict of int to list of str
        The distinct values of categories, sorted; a column without values is in neither.
    is_number : ndarray of bool
        Columns with values that are numbers.
    powers : ndarray of int
        Columns of extreme size are added up times two to these powers; 0 for others.
    centre, n, sums, squares : ndarray
        Weighted count of the values present; in two words, the sums of their distances from a centre and of the squares
        of these.
    """

    minimum: Floats
    maximum: Floats
    n_missing: npt.NDArray[np.int64]
    n_infinite: npt.NDArray[np.int64]
    whole: npt.NDArray[np.bool_]
    distinct: list[Floats | None]
    texts: dict[int, list[str]]
    is_number: npt.NDArray[np.bool_]
    powers: npt.NDArray[np.intc]
    centre: Floats
    n: Floats
    sums: Floats
    squares: Floats

    def moments(self) -> tuple[Floats, Floats]:
        """Mean and variance of every column times two to `powers`, NaN where no value is present."""
        with np.errstate(all="ignore"):
            n = np.where(self.n > 0, self.n, np.nan)
            mean = words.quotient(self.sums, n)
            scatter = words.add(self.squares, -words.product(self.sums, mean))
            means = words.add(words.as_words(self.centre), mean)[..., 0]
            return means, np.maximum(scatter[..., 0] / n, 0.0)


@dataclass(frozen=True)
class WeightFacts:
    """Facts of the weights of a block; `total` is that of the rows that count, times two to the power of `shift`."""

    whole: bool
    smallest: float
    largest: float
    total: float
    shift: int
    n_positive: int


@dataclass(frozen=True)
class BlockSummary:
    """What a block says of itself."""

    n_given: int
    n_rows: int
    n_incomplete: int
    columns: ColumnFacts
    labels: LabelFacts | None
    quantity: ColumnFacts | None  # the target as a column, where it may be numbers
    weights: WeightFacts | None


@dataclass(frozen=True)
class Summarise:
    """The task of the first pass.

    Attributes
    ----------
    most_levels : int
        Up to how many distinct values are told.
    any_levels : bool
        Also of columns that are not whole numbers.
    target : str
        What ``target=`` says.
    classes_only : bool
    """

    reader: RowReader
    most_levels: int
    any_levels: bool
    target: str
    classes_only: bool

    def __call__(self, number: int, block: RowBlock) -> BlockSummary:
        rows = self.reader(number, block)
        labels = quantity = None
        if rows.labels is not None:
            keeps_all = self.target == "nominal" or self.classes_only
            labels = label_facts(rows, self.target == "numeric", keeps_all, number)
            if labels.is_float and not keeps_all:
                values = as_numbers(rows.of_used(rows.labels))[:, None]
                quantity = column_facts(values, {}, rows.weights)
        weights = None
        if rows.given_weights is not None and rows.weights is not None:
            weights = weight_facts(rows.given_weights, float(rows.weights.sum()), rows.weight_shift)
        columns = column_facts(
            rows.matrix, rows.texts, rows.weights, self.most_levels, self.any_levels
        )
        return BlockSummary(
            rows.n_given, rows.n_rows, rows.n_incomplete, columns, labels, quantity, weights
        )


def weight_facts(weights: Array, total: float, shift: int) -> WeightFacts:
    return WeightFacts(
        are_whole(weights),
        float(weights.min()) if weights.size else np.inf,
        float(weights.max()) if weights.size else 0.0,
        total,
        shift,
        int((weights > 0).sum()),
    )


def column_facts(
    matrix: Array,
    texts: dict[int, list[str]],
    weights: Array | None,
    most_levels: int = MOST_DISCRETE_VALUES,
    any_levels: bool = False,
) -> ColumnFacts:
    """The facts of the columns of a block, perhaps without rows."""
    n, p = matrix.shape
    is_number = np.ones(p, dtype=bool)
    is_number[list(texts)] = False
    scan = _core.scan_columns(matrix, 1)
    present = n - scan.n_missing
    known = {}
    for column, own in texts.items():
        codes = matrix[:, column]
        found = np.unique(codes[~np.isnan(codes)]).astype(np.intp)
        if found.size:
            known[column] = [own[i] for i in found]
    distinct: list[Floats | None] = [None] * p
    few = scan.whole & (scan.n_distinct <= MOST_DISCRETE_VALUES)
    for column in np.flatnonzero(is_number & (few | any_levels)).tolist():
        values = _distinct(matrix[:, column], bool(few[column]))
        distinct[column] = values if len(values) <= most_levels else None
    powers = np.where(is_number, _powers(scan.minimum, scan.maximum), 0)
    centre, count, sums, squares = _sums(matrix, is_number, scan, powers, weights)
    return ColumnFacts(
        np.where(present > 0, scan.minimum, np.nan),
        np.where(present > 0, scan.maximum, np.nan),
        scan.n_missing,
        scan.n_infinite,
        scan.whole,
        distinct,
        known,
        is_number & (present > 0),
        powers,
        centre,
        count,
        sums,
        squares,
    )


def _distinct(column: Array, is_whole: bool) -> Floats:
    values = column if column.dtype.kind != "f" else column[~np.isnan(column)]
    if is_whole and values.size:
        lowest, highest = float(values.min()), float(values.max())
        if highest - lowest < MOST_COUNTED:
            counts = np.bincount((values.astype(np.float64) - lowest).astype(np.intp))
            return np.asarray(np.flatnonzero(counts) + lowest, dtype=np.float64)
    return np.asarray(np.unique(values), dtype=np.float64) + 0.0


def _sums(
    matrix: Array,
    is_number: npt.NDArray[np.bool_],
    scan: _core.ColumnScan,
    powers: npt.NDArray[np.intc],
    weights: Array | None,
) -> tuple[Floats, Floats, Floats, Floats]:
    """Sums of every column times two to `powers`, about a centre of its own; those of categories mean nothing."""
    n, p = matrix.shape
    centre = np.zeros(p)
    sums, squares = np.zeros((p, 2)), np.zeros((p, 2))
    real = None if weights is None else weights.astype(np.float64)
    count = (n - scan.n_missing).astype(np.float64)
    if real is not None:
        count = np.full(p, real.sum())
        for i in np.flatnonzero(scan.n_missing).tolist():
            count[i] = real[~np.isnan(matrix[:, i])].sum()
    safe = is_number & (scan.n_infinite == 0) & (scan.n_missing < n)
    places = np.flatnonzero(safe)
    for block in feature_blocks(len(places), n):
        some = places[block]
        columns = times_powers(to_feature_major(matrix[:, some]), powers[some])
        lowest, highest = (
            np.ldexp(end[some], powers[some]) for end in (scan.minimum, scan.maximum)
        )
        holes = np.flatnonzero(scan.n_missing[some])
        mean = columns.mean(axis=1, dtype=np.float64)
        if holes.size:
            columns = columns.copy()
            for i in holes.tolist():
                missing = np.isnan(columns[i])
                mean[i] = columns[i][~missing].mean(dtype=np.float64)
        centres = _core.exact_centres(lowest, highest, np.clip(mean, lowest, highest))
        for i in holes.tolist():
            columns[i][np.isnan(columns[i])] = centres[i]
        found = _core.column_sums(_core.NumericTable(columns, weights=real), centres)
        centre[some] = centres
        sums[some], squares[some] = found[:, 0, 1], found[:, 0, 2]
    return centre, count, sums, squares


def times_powers(columns: Array, powers: npt.NDArray[np.intc]) -> Array:
    """Return the columns, rows of the array, times two to these powers."""
    return np.ldexp(columns.astype(np.float64), powers[:, None]) if powers.any() else columns


def _powers(minimum: Floats, maximum: Floats) -> npt.NDArray[np.intc]:
    return powers_of_two(np.fmax(np.abs(minimum), np.abs(maximum)))


def merge_columns(facts: Sequence[ColumnFacts], most_levels: int, names: Any = None) -> ColumnFacts:
    """The facts of all blocks."""
    p = len(facts[0].minimum)
    for number, own in enumerate(facts):
        if len(own.minimum) != p:
            raise ValueError(
                f"blocks must have the same columns, but block {number} has {len(own.minimum)} features and block 0 "
                f"has {p}"
            )
    texts: dict[int, set[str]] = {}
    for own in facts:
        for column, some in own.texts.items():
            texts.setdefault(column, set()).update(some)
    is_number = np.any([own.is_number for own in facts], axis=0)
    for column in texts:
        if is_number[column]:
            number = next(i for i, own in enumerate(facts) if column in own.texts)
            other = next(i for i, own in enumerate(facts) if own.is_number[column])
            label = column if names is None else repr(str(names[column]))
            raise ValueError(
                f"column {label} holds text in block {number} and numbers in block {other}; make it one of them"
            )
    distinct: list[Floats | None] = []
    for column in range(p):
        own_values = [own.distinct[column] for own in facts if own.is_number[column]]
        if any(values is None for values in own_values):
            distinct.append(None)
            continue
        merged = np.unique(np.concatenate([np.empty(0), *own_values]))
        distinct.append(merged if len(merged) <= most_levels else None)
    minimum = np.fmin.reduce([own.minimum for own in facts])
    maximum = np.fmax.reduce([own.maximum for own in facts])
    powers = np.where(is_number, _powers(minimum, maximum), 0)
    centre, n, sums, squares = _merged_sums([_at_powers(own, powers) for own in facts])
    return ColumnFacts(
        minimum,
        maximum,
        np.sum([own.n_missing for own in facts], axis=0),
        np.sum([own.n_infinite for own in facts], axis=0),
        np.all([own.whole for own in facts], axis=0),
        distinct,
        {column: sorted(some) for column, some in texts.items()},
        is_number,
        powers,
        centre,
        n,
        sums,
        squares,
    )


def _at_powers(own: ColumnFacts, powers: npt.NDArray[np.intc]) -> ColumnFacts:
    """The facts with the sums of columns times two to other powers."""
    if np.array_equal(own.powers, powers):
        return own
    shift = powers - own.powers
    return replace(
        own,
        powers=powers,
        centre=np.ldexp(own.centre, shift),
        sums=np.ldexp(own.sums, shift[:, None]),
        squares=np.ldexp(own.squares, 2 * shift[:, None]),
    )


def _merged_sums(facts: Sequence[ColumnFacts]) -> tuple[Floats, Floats, Floats, Floats]:
    """The sums about the centre of the first block that has values: those of the others are moved there."""
    centre = np.zeros(len(facts[0].centre))
    known = np.zeros(len(centre), dtype=bool)
    for own in facts:
        new = ~known & (own.n > 0)
        centre[new], known[new] = own.centre[new], True
    n = np.zeros(len(centre))
    sums, squares = np.zeros((len(centre), 2)), np.zeros((len(centre), 2))
    for own in facts:
        count = words.as_words(own.n)
        moved = words.difference(own.centre, centre)
        shift = words.product(moved, count)
        twice = 2 * words.product(moved, own.sums)
        n += own.n
        sums = words.add(sums, own.sums, shift)
        squares = words.add(squares, own.squares, twice, words.product(shift, moved))
    return centre, n, sums, squares
