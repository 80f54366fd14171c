"""The first pass over the blocks: mergeable facts of the columns, the target and the weights."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher._utils.types import Array, Floats, Mask
from thresher.blocks import double_double as words
from thresher.blocks.engine import RowBlock
from thresher.blocks.packed_rows import Texts
from thresher.blocks.rows import RowReader, Rows
from thresher.data import (
    MOST_CLASSES,
    MOST_DISCRETE_VALUES,
    MOST_FLOAT_CLASSES,
    TargetSummary,
    are_whole,
    as_numbers,
    distinct_labels,
    feature_blocks,
    has_classes,
    powers_of_two,
    reject_missing_labels,
    to_feature_major,
)


@dataclass(frozen=True)
class LabelFacts:
    """The facts of the target of a block.

    Attributes
    ----------
    kind : {"text", "truth", "float", "integer"} or None
        The type of the values; None for a block without rows.
    is_whole : bool
        Whether the values of the rows that count are integers, of any type.
    distinct : ndarray or None
        The distinct values of the rows that count, sorted; None for a numeric target, and for too many values.
    counts : ndarray of int, or None
        The number of rows that count of each distinct value.
    lowest, highest : float
        The range of the rows that count; NaN without rows, and for labels that are not numbers.
    """

    kind: str | None
    is_whole: bool
    distinct: Array | None
    counts: npt.NDArray[np.int64] | None
    lowest: float
    highest: float


_LABEL_KINDS = {"b": "truth", "f": "float", "i": "integer", "u": "integer"}


def label_facts(rows: Rows, kind: str, classes_only: bool, number: int) -> LabelFacts:
    """Return the facts of the target of a block."""
    labels = rows.labels
    assert labels is not None
    reject_missing_labels(labels, f" of block {number}")
    if kind == "numeric":
        labels = as_numbers(labels)
    used = rows.of_used(labels)
    lowest, highest, is_whole = np.nan, np.nan, False
    if labels.dtype.kind in _LABEL_KINDS:
        is_whole = are_whole(used)
        if used.size:
            lowest, highest = float(used.min()), float(used.max())
    type_ = _LABEL_KINDS.get(labels.dtype.kind, "text") if len(labels) else None
    distinct = counts = None
    may_be_classes = kind == "nominal" or classes_only or is_whole or type_ in ("text", None)
    if kind != "numeric" and may_be_classes:
        values, codes = distinct_labels(used)
        few = kind == "auto" and not classes_only and type_ == "float"
        if len(values) <= (MOST_FLOAT_CLASSES if few else MOST_CLASSES):
            distinct, counts = values, np.bincount(codes, minlength=len(values))
    return LabelFacts(type_, is_whole, distinct, counts, lowest, highest)


@dataclass(frozen=True)
class BlockTarget(TargetSummary):
    """The target of rows in blocks.

    Attributes
    ----------
    rows_before : ndarray of int of shape (n_blocks, n_classes), or None
        The number of rows of each class in the blocks before each; None for a numeric target.
    n_of_class : ndarray of int of shape (n_classes,), or None
        The number of rows of each class.
    """

    rows_before: npt.NDArray[np.int64] | None = None
    n_of_class: npt.NDArray[np.int64] | None = None


def merge_labels(
    facts: Sequence[LabelFacts], n_counted: int, kind: str, classes_only: bool, owner: str
) -> BlockTarget:
    """Return the target of all blocks, by the rules of a target in memory."""
    types = {one.kind for one in facts if one.kind is not None}
    if "text" in types and len(types) > 1:
        raise ValueError(
            "y has text in one block and numbers in another. Convert it to one of them"
        )
    classes = _merged_classes(facts, types, n_counted, kind, classes_only, owner)
    if classes is None:
        lowest = np.fmin.reduce([one.lowest for one in facts])
        highest = np.fmax.reduce([one.highest for one in facts])
        return BlockTarget(False, None, float(lowest), float(highest))
    counts = np.zeros((len(facts), len(classes)), dtype=np.int64)
    for i, one in enumerate(facts):
        if one.distinct is not None and len(one.distinct):
            assert one.counts is not None
            counts[i, np.searchsorted(classes, one.distinct.astype(classes.dtype))] = one.counts
    before = np.vstack([np.zeros_like(counts[:1]), np.cumsum(counts, axis=0)[:-1]])
    return BlockTarget(True, classes, 0.0, len(classes) - 1.0, before, counts.sum(axis=0))


def _merged_classes(
    facts: Sequence[LabelFacts],
    types: set[str],
    n_counted: int,
    kind: str,
    classes_only: bool,
    owner: str,
) -> Array | None:
    """Return the distinct values of the rows that count if they are classes, None for a numeric target."""
    if kind == "numeric":
        return None
    is_auto = kind == "auto" and not classes_only
    filled = [one for one in facts if one.kind is not None] or list(facts[:1])
    if is_auto and "text" not in types and not all(one.is_whole for one in filled):
        return None
    distinct = [one.distinct for one in filled if one.distinct is not None]
    if len(distinct) == len(filled):
        # Blocks of which no row counts may have a type that cannot be compared with others.
        distinct = [values for values in distinct if len(values)] or distinct[:1]
        classes = distinct_labels(np.concatenate(distinct))[0]
        if "float" in types:
            classes = classes.astype(np.float64)
        is_nominal = has_classes(classes, n_counted, kind, classes_only, owner)
        if not is_nominal or len(classes) <= MOST_CLASSES:
            return classes if is_nominal else None
    elif is_auto and "text" not in types:
        return None
    remedy = "Pass labels that repeat"
    if "text" not in types:
        remedy = 'If y is a quantity, set target="numeric"'
    raise ValueError(f"y has more than {MOST_CLASSES} classes, too many in blocks. {remedy}")


# Integers in a span up to this are counted rather than sorted.
MOST_COUNTED = 1 << 16


@dataclass(frozen=True)
class ColumnFacts:
    """Facts of columns, mergeable over blocks.

    Attributes
    ----------
    minimum, maximum : ndarray
        The range of the values present; NaN without any.
    n_missing, n_infinite : ndarray of int
    whole : ndarray of bool
        Columns with integers only.
    distinct : list of (ndarray or None)
        The distinct values, sorted; None if there are too many.
    texts : dict of int to list of str
        The distinct texts of categories, sorted. A column without values is neither here nor in `is_number`.
    is_number : ndarray of bool
        Columns with numbers.
    sums : ColumnSums
    """

    minimum: Floats
    maximum: Floats
    n_missing: npt.NDArray[np.int64]
    n_infinite: npt.NDArray[np.int64]
    whole: Mask
    distinct: list[Floats | None]
    texts: Texts
    is_number: Mask
    sums: ColumnSums


@dataclass(frozen=True)
class ColumnSums:
    """Sums over the values of every column.

    Attributes
    ----------
    powers : ndarray of int
        Columns of extreme size are multiplied by two to these powers before their values are added; 0 for others.
    centre : ndarray
        A value near the mean.
    n : ndarray
        The weight of the values present.
    sums, squares : ndarray
        Sums, as double-doubles, of the distances of values from the centre, and of their squares.
    """

    powers: npt.NDArray[np.intc]
    centre: Floats
    n: Floats
    sums: Floats
    squares: Floats

    def moments(self) -> tuple[Floats, Floats]:
        """Return mean and variance of every column times two to `powers`; NaN without values."""
        with np.errstate(all="ignore"):
            n = np.where(self.n > 0, self.n, np.nan)
            mean = words.quotient(self.sums, n)
            scatter = words.add(self.squares, -words.product(self.sums, mean))
            means = words.add(words.as_words(self.centre), mean)[..., 0]
            return means, np.maximum(scatter[..., 0] / n, 0.0)

    def at(self, powers: npt.NDArray[np.intc]) -> ColumnSums:
        """Return the sums of the columns times two to other powers."""
        shift = powers - self.powers
        if not shift.any():
            return self
        return ColumnSums(
            powers,
            np.ldexp(self.centre, shift),
            self.n,
            np.ldexp(self.sums, shift[:, None]),
            np.ldexp(self.squares, 2 * shift[:, None]),
        )


@dataclass(frozen=True)
class WeightFacts:
    """The facts of the weights of a block. `total` covers the rows that count, times two to the power of `shift`."""

    whole: bool
    smallest: float
    largest: float
    total: float
    shift: int
    n_positive: int


@dataclass(frozen=True)
class BlockSummary:
    """The facts of a block."""

    n_given: int
    n_rows: int
    n_incomplete: int
    columns: ColumnFacts
    labels: LabelFacts | None
    quantity: ColumnFacts | None  # the target as a column, where it may be numbers
    weights: WeightFacts | None
    n_missing: npt.NDArray[np.int64] | None = None  # of each column, if rows were dropped


@dataclass(frozen=True)
class Summarise:
    """The task of the first pass.

    Attributes
    ----------
    most_levels : int
        Up to how many distinct values of a column are listed.
    any_levels : bool
        Whether values that are not integers are listed too.
    target : {"auto", "nominal", "numeric"}
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
            labels = label_facts(rows, self.target, self.classes_only, number)
            may_be_numeric = self.target != "nominal" and not self.classes_only
            if may_be_numeric and labels.kind != "text":
                values = as_numbers(rows.of_used(rows.labels))[:, None]
                quantity = column_facts(values, {}, rows.weights, MOST_DISCRETE_VALUES, False)
        weights = None
        if rows.given_weights is not None and rows.weights is not None:
            given = rows.given_weights
            weights = WeightFacts(
                are_whole(given),
                float(given.min()) if given.size else np.inf,
                float(given.max()) if given.size else 0.0,
                float(rows.weights.sum()),
                rows.weight_shift,
                int((given > 0).sum()),
            )
        columns = column_facts(
            rows.matrix, rows.texts, rows.weights, self.most_levels, self.any_levels
        )
        return BlockSummary(
            rows.n_given,
            rows.n_rows,
            rows.n_incomplete,
            columns,
            labels,
            quantity,
            weights,
            rows.n_missing,
        )


def column_facts(
    matrix: Array, texts: Texts, weights: Array | None, most_levels: int, any_levels: bool
) -> ColumnFacts:
    """Return the facts of the columns of a block, which may have no rows."""
    n, p = matrix.shape
    is_number = np.ones(p, dtype=bool)
    is_number[list(texts)] = False
    scan = _core.scan_columns(matrix, 1)
    present = n - scan.n_missing
    known = {}
    for column, levels in texts.items():
        codes = matrix[:, column]
        ranks = np.unique(codes[~np.isnan(codes)]).astype(np.intp)
        if ranks.size:
            known[column] = [levels[rank] for rank in ranks]
    distinct: list[Floats | None] = [None] * p
    few = scan.whole & (scan.n_distinct <= MOST_DISCRETE_VALUES)
    for column in np.flatnonzero(is_number & (few | any_levels)).tolist():
        values = _distinct(matrix[:, column], bool(few[column]))
        distinct[column] = values if len(values) <= most_levels else None
    return ColumnFacts(
        np.where(present > 0, scan.minimum, np.nan),
        np.where(present > 0, scan.maximum, np.nan),
        scan.n_missing,
        scan.n_infinite,
        scan.whole,
        distinct,
        known,
        is_number & (present > 0),
        _sums(matrix, is_number, scan, weights),
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
    matrix: Array, is_number: Mask, scan: _core.ColumnScan, weights: Array | None
) -> ColumnSums:
    """Return the sums of every column about its centre. Those of categories have no meaning."""
    n, p = matrix.shape
    powers = _powers(is_number, scan.minimum, scan.maximum)
    centre = np.zeros(p)
    sums, squares = np.zeros((p, 2)), np.zeros((p, 2))
    real = None if weights is None else weights.astype(np.float64)
    count = (n - scan.n_missing).astype(np.float64)
    if real is not None:
        count = np.full(p, real.sum())
        for i in np.flatnonzero(scan.n_missing).tolist():
            count[i] = real[~np.isnan(matrix[:, i])].sum()
    features = np.flatnonzero(is_number & (scan.n_infinite == 0) & (scan.n_missing < n))
    for block in feature_blocks(len(features), n):
        some = features[block]
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
        totals = _core.column_sums(_core.NumericTable(columns, weights=real), centres)
        centre[some] = centres
        sums[some], squares[some] = totals[:, 0, 1], totals[:, 0, 2]
    return ColumnSums(powers, centre, count, sums, squares)


def times_powers(columns: Array, powers: npt.NDArray[np.intc]) -> Array:
    """Return the columns, rows of the array, times two to these powers."""
    return np.ldexp(columns.astype(np.float64), powers[:, None]) if powers.any() else columns


def _powers(is_number: Mask, minimum: Floats, maximum: Floats) -> npt.NDArray[np.intc]:
    return np.where(is_number, powers_of_two(np.fmax(np.abs(minimum), np.abs(maximum))), 0)


def merge_columns(
    facts: Sequence[ColumnFacts], most_levels: int, names: Sequence[str] | None = None
) -> ColumnFacts:
    """Return the facts of the columns of all blocks."""
    p = len(facts[0].minimum)
    for number, width in enumerate(len(one.minimum) for one in facts):
        if width != p:
            raise ValueError(
                f"blocks must have the same columns: block {number} has {width} features and block 0 has {p}"
            )
    texts: dict[int, set[str]] = {}
    for one in facts:
        for column, some in one.texts.items():
            texts.setdefault(column, set()).update(some)
    is_number = np.any([one.is_number for one in facts], axis=0)
    for column in texts:
        if is_number[column]:
            number = next(i for i, one in enumerate(facts) if column in one.texts)
            other = next(i for i, one in enumerate(facts) if one.is_number[column])
            label = column if names is None else repr(str(names[column]))
            raise ValueError(
                f"column {label} has text in block {number} and numbers in block {other}. Convert it to one of them"
            )
    distinct: list[Floats | None] = []
    for column in range(p):
        of_blocks = [one.distinct[column] for one in facts if one.is_number[column]]
        if any(values is None for values in of_blocks):
            distinct.append(None)
            continue
        merged = np.unique(np.concatenate([np.empty(0), *of_blocks]))
        distinct.append(merged if len(merged) <= most_levels else None)
    minimum = np.fmin.reduce([one.minimum for one in facts])
    maximum = np.fmax.reduce([one.maximum for one in facts])
    powers = _powers(is_number, minimum, maximum)
    return ColumnFacts(
        minimum,
        maximum,
        np.sum([one.n_missing for one in facts], axis=0),
        np.sum([one.n_infinite for one in facts], axis=0),
        np.all([one.whole for one in facts], axis=0),
        distinct,
        {column: sorted(some) for column, some in texts.items()},
        is_number,
        _merged_sums([one.sums.at(powers) for one in facts]),
    )


def _merged_sums(facts: Sequence[ColumnSums]) -> ColumnSums:
    """Return the sums of all blocks about the centre of the first one with values."""
    centre = np.zeros(len(facts[0].centre))
    known = np.zeros(len(centre), dtype=bool)
    for one in facts:
        new = ~known & (one.n > 0)
        centre[new], known[new] = one.centre[new], True
    n = np.zeros(len(centre))
    sums, squares = np.zeros((len(centre), 2)), np.zeros((len(centre), 2))
    for one in facts:
        count = words.as_words(one.n)
        moved = words.difference(one.centre, centre)
        shift = words.product(moved, count)
        twice = 2 * words.product(moved, one.sums)
        n += one.n
        sums = words.add(sums, one.sums, shift)
        squares = words.add(squares, one.squares, twice, words.product(shift, moved))
    return ColumnSums(facts[0].powers, centre, n, sums, squares)
