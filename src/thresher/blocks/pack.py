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
    """Which part of an ensemble a row belongs to, by its number among all rows that count.

    Attributes
    ----------
    keeps : ndarray of bool of shape (n_replicates, n_parts)
        Which parts each replicate keeps.
    by_class : bool
        Whether rows are numbered class after class.
    """

    @property
    def keeps(self) -> Mask: ...

    @property
    def by_class(self) -> bool: ...

    def part_of(self, numbers: Counts) -> Ints:
        """The parts of the rows with these numbers."""


@dataclass(frozen=True)
class LabelCoding:
    """The target of a block as class codes and as numbers.

    Attributes
    ----------
    classes : ndarray or None
        The labels, sorted; None of a target of numbers.
    coding : Coding or None
        How numbers become classes, where measures count.
    """

    classes: Array | None
    coding: Coding | None = None

    @property
    def n_classes(self) -> int:
        if self.classes is not None:
            return len(self.classes)
        return 1 if self.coding is None else int(self.coding.levels[0])

    def read(self, rows: Rows) -> tuple[Ints, Floats]:
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
    """What is told of a packed block; see `Pack`. Sums and counts of all blocks add up."""

    n_rows: int
    fingerprint: int
    margins: Counts | None  # feature after feature: [level][part][class]
    below: Floats | None  # of every threshold: the largest value up to it
    above: Floats | None  # and the smallest beyond
    rows_of: Counts  # rows by [part][class]
    counted_of: Counts  # and their weight, where it is whole
    target_range: Floats  # smallest and largest target of every part
    column_sums: Floats | None  # [column][part]
    class_sums: Floats | None  # [column][part][class]
    products: Floats | None  # [column][part]: with the target
    column_range: Floats | None  # smallest and largest value: [2][column][part]

    def negative(self) -> PackSummary:
        """That of rows which are taken away, where all that is told of them is counts; see `Pack.signed`."""
        return replace(
            self,
            n_rows=-self.n_rows,
            margins=None if self.margins is None else -self.margins,
            rows_of=-self.rows_of,
            counted_of=-self.counted_of,
        )


@dataclass(frozen=True)
class PackedBlock:
    """A block of rows, packed: codes for measures that count, numbers for the others."""

    coded: _core.CodedTable | None
    columns: Array | None
    parts: Ints
    n_parts: int
    weights: Floats | None

    @cached
    def numbers(self) -> _core.NumericTable | None:
        """The table of numbers; None without rows, which have nothing to add."""
        if self.columns is None or self.columns.shape[1] == 0:
            return None
        return numeric_table(self.columns, self.parts, self.n_parts, self.weights)

    def __getstate__(self) -> Values:
        return {name: value for name, value in vars(self).items() if name in self.__annotations__}

    def save(self, path: Path) -> None:
        """Into a folder of that name; what it holds is written last."""
        path.mkdir(parents=True, exist_ok=True)
        if self.coded is not None:
            self.coded.save(str(path / "codes"))
        if self.columns is not None:
            np.save(path / "columns.npy", self.columns)
            np.save(path / "parts.npy", self.parts)
            if self.weights is not None:
                np.save(path / "weights.npy", self.weights)
        held = [own is not None for own in (self.coded, self.columns, self.weights)]
        np.save(path / "held.npy", np.array([self.n_parts, *held]))

    @classmethod
    def open(cls, path: Path) -> Self:
        """A folder of which something is gone is a FileNotFoundError."""
        n_parts, has_codes, has_columns, has_weights = np.load(path / "held.npy").tolist()
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
        For measures that count.
    centres : ndarray or None
        For measures of numbers: of every feature, then of the target.
    powers : ndarray of int or None
        For these, too: columns and target are packed times two to these powers.
    missing_code : int
        -1 where missing values are a level or there are none.
    labels : LabelCoding or None
    weights : {"none", "whole", "real"}
    parts : RowParts or None
    first_rows : ndarray of int of shape (n_blocks,), or None
        Number of the first row of every block.
    class_rows : ndarray of int of shape (n_blocks, n_classes), or None
        The same where rows are numbered class after class.
    by_class : bool
        Whether the packed codes are split by class, for terms of two features and the target.
    of_numbers, of_classes : bool
        Whether products with the target, and sums by class, are told of numbers.
    is_signed : bool
        Whether some rows are packed twice, to be counted and to be taken away again: their levels and classes may be
        unknown, and become any.
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
        """The same of rows that come and go; None where more is told of them than counts, which alone subtract."""
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
        fingerprint = _mark(values) if real is None else _mark(real, _mark(values))
        n_split = self.n_parts * self.n_classes
        rows_of = np.bincount(split, minlength=n_split)
        counted_of = np.bincount(split, weights, minlength=n_split)
        coded = margins = below = above = None
        if self.coding is not None:
            codes = self.coding.codes(rows)
            levels = self.coding.levels
            if self.is_signed:
                codes[codes >= levels[:, None]] = 0
            fingerprint = _mark(codes, fingerprint)
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
            fingerprint = _mark(columns, fingerprint)
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
        """Sums of columns, by class, with the target, and ranges; of each what is asked for."""
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


def _mark(values: Array, before: int = 0) -> int:
    return zlib.crc32(np.ascontiguousarray(values).data, before) if values.size else before


def numeric_table(
    columns: Array, parts: Ints, n_parts: int, weights: Floats | None
) -> _core.NumericTable:
    """The core's table of a block, with the sums of every part told apart."""
    return _core.NumericTable(
        columns, parts=parts, sets=np.ones((1, n_parts), dtype=np.uint8), weights=weights
    )


def _margins(
    codes: Codes, levels: Ints, split: Ints, n_split: int, weights: Array | None
) -> Counts:
    """How often every level of every column occurs in every part and class."""
    found = []
    for own, n_levels in zip(codes, levels.tolist(), strict=True):
        cells = own.astype(np.intp) * n_split + split
        counts = np.bincount(cells, weights, minlength=n_levels * n_split)
        found.append(counts[: n_levels * n_split].astype(np.int64))  # beyond: missing
    return np.concatenate(found) if found else np.empty(0, dtype=np.int64)


def _neighbours(rows: Rows, coding: Coding) -> tuple[Floats, Floats]:
    """For every threshold the largest value up to it and the smallest beyond; infinite where there is none."""
    counts = np.array([len(own) for own in coding.borders]) * coding.thresholds
    starts = np.cumsum([0, *counts])
    below, above = np.full(starts[-1], -np.inf), np.full(starts[-1], np.inf)
    places = np.flatnonzero(counts)
    if rows.n_rows == 0:
        return below, above
    for block in feature_blocks(len(places), rows.n_rows, 1 << 22):
        some = places[block]
        columns = to_feature_major(rows.matrix[:, some])
        for column, feature in zip(columns, some.tolist(), strict=True):
            for i, border in enumerate(coding.borders[feature], start=starts[feature]):
                below[i] = np.max(column, where=column <= border, initial=-np.inf)
                above[i] = np.min(column, where=column > border, initial=np.inf)
    return below, above


def _range_of_parts(columns: Array, parts: Ints, n_parts: int) -> Floats:
    """Smallest and largest value of every column in every part: [2][column][part]."""
    found = np.empty((2, len(columns), n_parts))
    found[0], found[1] = np.inf, -np.inf
    for part in np.unique(parts).tolist():
        some = columns if n_parts == 1 else columns[:, parts == part]
        found[0, :, part], found[1, :, part] = some.min(axis=1), some.max(axis=1)
    return found
