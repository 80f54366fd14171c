"""The pass that packs the rows of every block."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, Self, TypeAlias

import numpy as np
import numpy.typing as npt

from thresher import _core
from thresher._utils.lazy import cached
from thresher._utils.types import Array, Floats, Mask, Values
from thresher.blocks.coding import Coding
from thresher.blocks.engine import Counts, RowBlock
from thresher.blocks.packed_rows import Codes
from thresher.blocks.rows import RowReader, Rows
from thresher.blocks.summary import times_powers
from thresher.data import as_numbers, feature_blocks, to_feature_major

Ints: TypeAlias = npt.NDArray[np.int32]


class RowParts(Protocol):
    """The parts of an ensemble. The part of a row depends on its number among all rows that count.

    Attributes
    ----------
    keeps : ndarray of bool of shape (n_replicates, n_parts)
        The parts that each replicate keeps.
    by_class : bool
        Whether rows are numbered class by class.
    """

    @property
    def keeps(self) -> Mask: ...

    @property
    def by_class(self) -> bool: ...

    def part_of(self, numbers: Counts) -> Ints:
        """Return the parts of the rows with these numbers."""


@dataclass(frozen=True)
class LabelCoding:
    """The target of a block as class codes and as numbers.

    Attributes
    ----------
    classes : ndarray or None
        The labels, sorted; None for a numeric target.
    coding : Coding or None
        The bins of a numeric target, if measures count.
    """

    classes: Array | None
    coding: Coding | None = None

    @property
    def n_classes(self) -> int:
        if self.classes is not None:
            return len(self.classes)
        return 1 if self.coding is None else int(self.coding.levels[0])

    def read(self, rows: Rows) -> tuple[Ints, Floats]:
        """Return class codes and numbers of the rows."""
        assert rows.labels is not None
        labels = rows.of_used(rows.labels)
        if self.classes is not None:
            codes = np.searchsorted(self.classes, labels.astype(self.classes.dtype))
            return codes.astype(np.int32), codes.astype(np.float64)
        values = as_numbers(labels)
        if self.coding is None:
            return np.zeros(len(values), dtype=np.int32), values
        column = Rows(values[:, None], {}, None, None, None, len(values), None)
        return self.coding.codes(column)[0].astype(np.int32), values


@dataclass(frozen=True)
class PackSummary:
    """Counts and sums of a packed block, see `Pack`. Those of several blocks add up."""

    n_rows: int
    fingerprint: int
    margins: Counts | None  # feature after feature: [level][part][class]
    below: Floats | None  # the largest value up to every threshold
    above: Floats | None  # the smallest value above every threshold
    rows_of: Counts  # number of rows: [part][class]
    counted_of: Counts  # weight of rows if weights are integers: [part][class]
    target_range: Floats  # smallest and largest target of every part: [2][part]
    column_sums: Floats | None  # [column][part]
    class_sums: Floats | None  # [column][part][class]
    products: Floats | None  # with the target: [column][part]
    column_range: Floats | None  # smallest and largest value: [2][column][part]

    def negative(self) -> PackSummary:
        """Return the summary with counts negated, for rows that are removed; see `Pack.signed`."""
        return replace(
            self,
            n_rows=-self.n_rows,
            margins=None if self.margins is None else -self.margins,
            rows_of=-self.rows_of,
            counted_of=-self.counted_of,
        )


@dataclass(frozen=True)
class PackedBlock:
    """A packed block of rows: codes for measures that count, numbers for the others."""

    coded: _core.CodedTable | None
    columns: Array | None
    parts: Ints
    n_parts: int
    weights: Floats | None

    @cached
    def numbers(self) -> _core.NumericTable | None:
        """Return the table of numbers; None without rows."""
        if self.columns is None or self.columns.shape[1] == 0:
            return None
        return numeric_table(self.columns, self.parts, self.n_parts, self.weights)

    def __getstate__(self) -> Values:
        return {name: value for name, value in vars(self).items() if name in self.__annotations__}

    def save(self, path: Path) -> None:
        """Write the block to a new folder. Its list of contents is written last."""
        path.mkdir(parents=True, exist_ok=True)
        if self.coded is not None:
            self.coded.save(str(path / "codes"))
        if self.columns is not None:
            np.save(path / "columns.npy", self.columns)
            np.save(path / "parts.npy", self.parts)
            if self.weights is not None:
                np.save(path / "weights.npy", self.weights)
        is_saved = [part is not None for part in (self.coded, self.columns, self.weights)]
        np.save(path / "contents.npy", np.array([self.n_parts, *is_saved]))

    @classmethod
    def open(cls, path: Path) -> Self:
        """Return the block in that folder. Raise FileNotFoundError if a file is missing."""
        n_parts, has_codes, has_columns, has_weights = np.load(path / "contents.npy").tolist()
        coded = _core.CodedTable.open(str(path / "codes")) if has_codes else None
        if not has_columns:
            return cls(coded, None, np.empty(0, dtype=np.int32), n_parts, None)
        return cls(
            coded,
            np.load(path / "columns.npy", mmap_mode="r"),
            np.load(path / "parts.npy"),
            n_parts,
            np.load(path / "weights.npy") if has_weights else None,
        )


@dataclass(frozen=True)
class Pack:
    """The task of packing.

    Attributes
    ----------
    reader : RowReader
    coding : Coding or None
        The coding of the features, if measures count.
    centres : ndarray or None
        The centres of every feature, then of the target, if measures add up values.
    powers : ndarray of int or None
        Columns and target are packed times two to these powers, if measures add up values.
    missing_code : int
        The code of missing values; -1 if they are a level or there are none.
    labels : LabelCoding or None
    weights : {"none", "whole", "real"}
    parts : RowParts or None
    first_rows : ndarray of int of shape (n_blocks,), or None
        The number of the first row of every block.
    class_rows : ndarray of int of shape (n_blocks, n_classes), or None
        The same by class, if rows are numbered class by class.
    by_class : bool
        Whether the packed codes are split by class, for terms of two features and the target.
    of_numbers, of_classes : bool
        Whether to add up products with the target, and sums by class.
    is_signed : bool
        Whether removed rows are packed too, to be subtracted. Their levels and classes may be unknown. Any code serves,
        as they cancel.
    """

    reader: RowReader
    coding: Coding | None
    centres: Floats | None
    powers: npt.NDArray[np.intc] | None
    missing_code: int
    labels: LabelCoding | None
    weights: str
    parts: RowParts | None
    first_rows: Counts | None
    class_rows: Counts | None
    by_class: bool
    of_numbers: bool
    of_classes: bool
    is_signed: bool = False

    def signed(self) -> Pack | None:
        """Return the task for rows that can be removed; None if it computes more than counts, which are exact."""
        is_learnt = self.coding is not None and bool(self.coding.thresholds.any())
        is_more = self.parts is not None or self.centres is not None or self.missing_code >= 0
        return None if is_more or is_learnt else replace(self, is_signed=True)

    @property
    def n_parts(self) -> int:
        return 1 if self.parts is None else self.parts.keeps.shape[1]

    @property
    def n_classes(self) -> int:
        return 1 if self.labels is None else self.labels.n_classes

    def __call__(self, number: int, block: RowBlock) -> tuple[PackedBlock, PackSummary]:
        rows = self.reader(number, block)
        n = rows.n_rows
        classes, values = np.zeros(n, dtype=np.int32), np.zeros(n)
        if self.labels is not None:
            classes, values = self.labels.read(rows)
        if self.is_signed:
            classes = np.minimum(classes, self.n_classes - 1)
        parts = self._parts(number, classes)
        split = parts * self.n_classes + classes
        weights = rows.weights if self.weights != "none" else None
        real = None if weights is None else weights.astype(np.float64)
        fingerprint = _checksum(values) if real is None else _checksum(real, _checksum(values))
        n_split = self.n_parts * self.n_classes
        rows_of = np.bincount(split, minlength=n_split)
        counted_of = np.bincount(split, weights, minlength=n_split)
        coded = margins = below = above = None
        if self.coding is not None:
            codes = self.coding.codes(rows)
            levels = self.coding.levels
            if self.is_signed:
                codes[codes >= levels[:, None]] = 0
            fingerprint = _checksum(codes, fingerprint)
            margins = _margins(codes, levels, split, n_split, weights)
            below, above = _neighbours(rows, self.coding)
            coded = _core.CodedTable.from_codes(
                codes,
                levels,
                parts=split if self.by_class else parts,
                sets=np.ones((1, n_split if self.by_class else self.n_parts), dtype=np.uint8),
                weights=None if weights is None else weights.astype(np.int64),
                missing_code=self.missing_code,
            )
        columns = None
        if self.powers is not None:
            columns = times_powers(to_feature_major(rows.matrix), self.powers[:-1])
            fingerprint = _checksum(columns, fingerprint)
        packed = PackedBlock(coded, columns, parts, self.n_parts, real)
        summary = PackSummary(
            n,
            fingerprint,
            margins,
            below,
            above,
            rows_of.reshape(self.n_parts, -1).astype(np.int64),
            counted_of.reshape(self.n_parts, -1).astype(np.int64),
            _range_of_parts(values[None, :], parts, self.n_parts)[:, 0],
            *self._numbers(packed, classes, values),
        )
        return packed, summary

    def _parts(self, number: int, classes: Ints) -> Ints:
        """Return the part of every row of a block."""
        n = len(classes)
        if self.parts is None:
            return np.zeros(n, dtype=np.int32)
        if not self.parts.by_class:
            assert self.first_rows is not None
            return self.parts.part_of(self.first_rows[number] + np.arange(n, dtype=np.int64))
        assert self.class_rows is not None
        order = np.argsort(classes, kind="stable")
        counts = np.bincount(classes, minlength=self.n_classes)
        within = np.arange(n) - np.repeat(np.cumsum(counts) - counts, counts)
        numbers = np.empty(n, dtype=np.int64)
        numbers[order] = self.class_rows[number][classes[order]] + within
        return self.parts.part_of(numbers)

    def _numbers(
        self, packed: PackedBlock, classes: Ints, values: Floats
    ) -> tuple[Floats | None, Floats | None, Floats | None, Floats | None]:
        """Return sums of columns, sums by class, products with the target, and ranges, or None for each."""
        columns, centres = packed.columns, self.centres
        if columns is None or centres is None or self.powers is None:
            return None, None, None, None
        p = len(columns)
        extremes = _range_of_parts(columns, packed.parts, self.n_parts)
        sums = np.zeros((p + 1, self.n_parts, 3, 2))
        n_split = self.n_parts * self.n_classes
        by_class = np.zeros((p, n_split, 3, 2)) if self.of_classes else None
        products = np.zeros((p, self.n_parts, 2)) if self.of_numbers else None
        table = packed.numbers
        if table is None:
            return sums, by_class, products, extremes
        sums[:p] = _core.column_sums(table, centres[:p])
        if self.of_classes:
            split = packed.parts * self.n_classes + classes
            in_classes = numeric_table(columns, split, n_split, packed.weights)
            by_class = _core.column_sums(in_classes, centres[:p])
        if self.of_numbers:
            scaled = np.ldexp(values, self.powers[-1])
            with_target = np.vstack([columns, scaled]).astype(np.float64, copy=False)
            both = numeric_table(with_target, packed.parts, self.n_parts, packed.weights)
            features = np.arange(p, dtype=np.uint32)
            products = _core.product_sums(both, np.full_like(features, p), features, centres)
            sums[p] = _core.column_sums(both, centres)[p]
        return sums, by_class, products, extremes


def _checksum(values: Array, before: int = 0) -> int:
    return zlib.crc32(np.ascontiguousarray(values).data, before) if values.size else before


def numeric_table(
    columns: Array, parts: Ints, n_parts: int, weights: Floats | None
) -> _core.NumericTable:
    """Return the core's table of a block, with separate sums of every part."""
    return _core.NumericTable(
        columns, parts=parts, sets=np.ones((1, n_parts), dtype=np.uint8), weights=weights
    )


def _margins(
    codes: Codes, levels: Ints, split: Ints, n_split: int, weights: Array | None
) -> Counts:
    """Count every level of every column in every part and class."""
    margins = [np.empty(0, dtype=np.int64)]
    for column, n_levels in zip(codes, levels.tolist(), strict=True):
        cells = column.astype(np.intp) * n_split + split
        counts = np.bincount(cells, weights, minlength=n_levels * n_split)
        margins.append(counts[: n_levels * n_split].astype(np.int64))  # missing values follow
    return np.concatenate(margins)


def _neighbours(rows: Rows, coding: Coding) -> tuple[Floats, Floats]:
    """Return the largest value up to every threshold and the smallest above it; infinite if there is none."""
    counts = coding.n_thresholds
    starts = np.cumsum([0, *counts])
    below, above = np.full(starts[-1], -np.inf), np.full(starts[-1], np.inf)
    features = np.flatnonzero(counts)
    if rows.n_rows == 0:
        return below, above
    for block in feature_blocks(len(features), rows.n_rows, 1 << 22):
        some = features[block]
        columns = to_feature_major(rows.matrix[:, some])
        for column, feature in zip(columns, some.tolist(), strict=True):
            for i, border in enumerate(coding.borders[feature], start=starts[feature]):
                below[i] = np.max(column, where=column <= border, initial=-np.inf)
                above[i] = np.min(column, where=column > border, initial=np.inf)
    return below, above


def _range_of_parts(columns: Array, parts: Ints, n_parts: int) -> Floats:
    """Return the smallest and the largest value of every column in every part: [2][column][part]."""
    ranges = np.empty((2, len(columns), n_parts))
    ranges[0], ranges[1] = np.inf, -np.inf
    for part in np.unique(parts).tolist():
        some = columns if n_parts == 1 else columns[:, parts == part]
        ranges[0, :, part], ranges[1, :, part] = some.min(axis=1), some.max(axis=1)
    return ranges
