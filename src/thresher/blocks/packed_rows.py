"""Rows stored as packed codes or numbers, and the keys that identify equal rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
import numpy.typing as npt
from scipy import sparse

from thresher import _core
from thresher._utils.arrays import LARGEST_EXACT
from thresher._utils.checks import is_missing
from thresher._utils.types import Array, Floats, Indices
from thresher.blocks.engine import RowBlock
from thresher.data import is_frame, to_feature_major, unmasked

Codes = npt.NDArray[np.uint8]
Cuts = Sequence[Floats | None]
# The distinct values of columns of categories, by column.
Texts: TypeAlias = dict[int, list[str]]

MOST_LEVELS = 256
# Integers in a span up to this are coded by their distance from the smallest, unless they are beyond 2^53.
SHORT_SPAN = 8


@dataclass(frozen=True)
class PackedRows:
    """Stored rows, from which single rows can be taken.

    Attributes
    ----------
    coded : ndarray of int
        Columns stored as codes, ascending.
    values : list of ndarray
        For each of them, the values of its codes, ascending. NaN, for missing values, is the last.
    codes : CodedTable
    others : ndarray of shape (n_others, n_rows)
        The other columns, in their order.
    texts : dict of int to list of str
        The texts of the ranks of categories.
    """

    coded: Indices
    values: list[Floats]
    codes: _core.CodedTable
    others: Array
    texts: Texts

    @property
    def shape(self) -> tuple[int, int]:
        return self.others.shape[1], len(self.coded) + len(self.others)

    def __len__(self) -> int:
        return int(self.others.shape[1])

    def matrix(self) -> Array:
        """Return the rows as numbers. In a column with given cut points each value is one of the same bin."""
        return self.numbers(np.arange(self.shape[1])).T

    def numbers(self, wanted: Indices) -> Array:
        """Return a copy of some columns as numbers."""
        index = np.full(self.shape[1], -1)
        index[self.coded] = np.arange(len(self.coded))
        others = np.cumsum(index < 0) - 1
        is_coded = index[wanted] >= 0
        if not is_coded.any():
            return np.asarray(self.others[others[wanted]])
        columns = np.empty((len(wanted), len(self)))
        columns[~is_coded] = self.others[others[wanted[~is_coded]]]
        indices = index[wanted[is_coded]]
        codes = self.codes.matrix(indices.astype(np.uint32))
        for i, column, of_coded in zip(np.flatnonzero(is_coded), codes, indices, strict=True):
            np.take(self.values[of_coded], column, out=columns[i], mode="clip")
        return columns

    def take(self, rows: Indices) -> PackedRows:
        """Return some of the rows."""
        codes = self.codes.take(rows)
        return PackedRows(self.coded, self.values, codes, self.others[:, rows], self.texts)

    def is_like(self, other: PackedRows) -> bool:
        """Return whether both have categories in the same columns, so that they can be joined."""
        return self.texts.keys() == other.texts.keys()

    def with_texts(self, texts: Texts) -> PackedRows:
        """Return the rows with ranks of longer lists of texts."""
        if texts == self.texts:
            return self
        values, others = list(self.values), self.others.copy()
        numbers = np.delete(np.arange(self.shape[1]), self.coded)
        for column, all_texts in texts.items():
            rank_of = {text: float(i) for i, text in enumerate(all_texts)}
            rank = np.array([rank_of[text] for text in self.texts[column]])
            i = int(np.searchsorted(self.coded, column))
            if i < len(self.coded) and self.coded[i] == column:
                values[i] = _look_up(rank, values[i])
            else:
                j = int(np.searchsorted(numbers, column))
                others[j] = _look_up(rank, others[j])
        return PackedRows(self.coded, values, self.codes, others, texts)


def pack_rows(matrix: Array, texts: Texts, cuts: Cuts) -> PackedRows:
    """Pack rows: columns with cut points as bins, other columns without loss."""
    n, p = matrix.shape
    columns = to_feature_major(matrix)
    codes = np.zeros((p, n), dtype=np.uint8)
    values: dict[int, Floats] = {}
    if n and p:
        scan = _core.scan_columns(matrix, 1)
        finite = scan.n_infinite == 0
        given = {
            i: np.asarray(some, dtype=np.float64)
            for i, some in enumerate(cuts)
            if some is not None and finite[i] and i not in texts
        }
        if given:
            _code_bins(columns, codes, values, given)
        with np.errstate(invalid="ignore", over="ignore"):
            is_short = scan.whole & (scan.maximum - scan.minimum <= SHORT_SPAN)
            is_short &= np.maximum(-scan.minimum, scan.maximum) < LARGEST_EXACT
        is_short &= finite & (scan.n_missing < n)
        is_short[list(values)] = False
        for column in np.flatnonzero(is_short).tolist():
            lowest = scan.minimum[column]
            distance = columns[column] - lowest
            codes[column] = np.where(np.isnan(distance), 0, distance)
            values[column] = lowest + np.arange(codes[column].max() + 1.0)
        for column in np.flatnonzero(~is_short).tolist():
            if column not in values:
                _code_few(columns[column], codes[column], values, column)
        for column in np.flatnonzero(scan.n_missing).tolist():
            if column in values:
                codes[column][np.isnan(columns[column])] = len(values[column])
                values[column] = np.append(values[column], np.nan)
    coded = np.array(sorted(values), dtype=np.intp)
    tables = [values[column] for column in coded.tolist()]
    others = columns[np.delete(np.arange(p), coded)]
    return PackedRows(coded, tables, _table(codes[coded], tables), others, texts)


def join_rows(a: PackedRows, b: PackedRows) -> PackedRows:
    """Return the rows of both, which must be alike. Columns stored as codes in both remain codes."""
    a, b = _with_same_texts(a, b)
    coded, from_a, from_b = np.intersect1d(a.coded, b.coded, return_indices=True)
    tables = [_union(a.values[i], b.values[j]) for i, j in zip(from_a, from_b, strict=True)]
    few = np.flatnonzero([len(table) <= MOST_LEVELS for table in tables])
    coded, from_a, from_b = coded[few], from_a[few], from_b[few]
    tables = [tables[i] for i in few]
    codes = np.hstack([_recode(a, from_a, tables), _recode(b, from_b, tables)])
    rest = np.delete(np.arange(a.shape[1]), coded)
    more = pack_rows(np.concatenate([a.numbers(rest), b.numbers(rest)], axis=1).T, {}, ())
    coded = np.concatenate([coded, rest[more.coded]])
    order = np.argsort(coded)
    tables = [[*tables, *more.values][i] for i in order]
    codes = np.concatenate([codes, more.codes.matrix()])[order]
    return PackedRows(coded[order], tables, _table(codes, tables), more.others, a.texts)


def same_rows(a: PackedRows, b: PackedRows) -> bool:
    """Return whether two lists of rows, packed with the same cut points, are equal."""
    if not a.is_like(b):
        return False
    first, second = _with_same_texts(a, b)
    return np.array_equal(first.matrix(), second.matrix(), equal_nan=True)


def _with_same_texts(a: PackedRows, b: PackedRows) -> tuple[PackedRows, PackedRows]:
    texts = {column: sorted({*some, *b.texts[column]}) for column, some in a.texts.items()}
    return a.with_texts(texts), b.with_texts(texts)


def _table(codes: Codes, tables: list[Floats]) -> _core.CodedTable:
    levels = np.array([len(table) for table in tables], dtype=np.int32)
    return _core.CodedTable.from_codes(np.ascontiguousarray(codes), levels)


def _union(a: Floats, b: Floats) -> Floats:
    return a if np.array_equal(a, b, equal_nan=True) else np.unique(np.concatenate([a, b]))


def _recode(rows: PackedRows, indices: Indices, tables: list[Floats]) -> Codes:
    """Return the codes of some coded columns in other tables, which contain all their values."""
    codes = rows.codes.matrix(indices.astype(np.uint32))
    for column, index, table in zip(codes, indices.tolist(), tables, strict=True):
        before = rows.values[index]
        if len(before) < len(table):
            column[:] = np.searchsorted(table, before).astype(np.uint8)[column]
    return codes


def _look_up(table: Floats, ranks: Array) -> Floats:
    """Return the values of ranks in a table; NaN remains."""
    missing = np.isnan(ranks)
    return np.append(table, np.nan)[np.where(missing, len(table), ranks).astype(np.intp)]


def _code_bins(
    columns: Array, codes: Codes, values: dict[int, Floats], given: dict[int, Floats]
) -> None:
    """Code columns with cut points. The value of a bin is its largest, that of the last the next double."""
    of_all = [given.get(i, np.empty(0)) for i in range(len(columns))]
    offsets = np.cumsum([0, *map(len, of_all)], dtype=np.int64)
    codes[:] = _core.apply_cuts(columns, np.concatenate(of_all), offsets, 1)
    for i, cuts in given.items():
        with np.errstate(over="ignore"):
            beyond = np.nextafter(cuts[-1], np.inf) if cuts.size else 0.0
        if np.isfinite(beyond):
            values[i] = np.append(cuts, beyond)


def _code_few(column: Array, codes: Codes, values: dict[int, Floats], index: int) -> None:
    """Code a column with few distinct values. Do nothing if it has many."""
    most = min(MOST_LEVELS - 1, len(column) // 2)
    if len(np.unique(column[: 4 * MOST_LEVELS])) > most:
        return
    distinct, ranks = np.unique(np.where(np.isnan(column), 0, column), return_inverse=True)
    if len(distinct) <= most:
        codes[:] = ranks.reshape(-1)
        values[index] = distinct.astype(np.float64) + 0.0


Keys = npt.NDArray[np.uint64]

MISSING = np.uint64(np.array(np.nan).view(np.uint64))


def row_keys(block: RowBlock) -> Keys:
    """Return a key of two 64-bit words for each row, a hash of its values, its target and its weight."""
    first, second = np.zeros((2, block.X.shape[0]), dtype=np.uint64)
    for index, column in enumerate(_columns(block)):
        words = _mixed(_bits(column) + np.uint64((2 * index + 1) * 0x9E3779B97F4A7C15 % 2**64))
        first += words
        words ^= words >> np.uint64(32)
        words *= np.uint64(0xD1B54A32D192ED03)
        second += words
    return np.stack([first, second], axis=1)


def fingerprint(keys: Keys) -> list[int]:
    """Return a fingerprint that does not depend on the order of rows. Keys are sums over columns, so mix them first."""
    sums: list[int] = _mixed(keys).sum(axis=0).tolist()
    return sums


def _columns(block: RowBlock) -> Iterator[Array]:
    """Yield the columns of X, the target and the weights."""
    X = unmasked(block.X)
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        yield from (_array(frame[:, i]) for i in range(frame.shape[1]))
    elif sparse.issparse(X):
        columns = X.tocsc()
        for i in range(columns.shape[1]):
            yield columns[:, [i]].toarray().ravel()
    else:
        yield from np.asarray(X).T
    for values in (block.y, block.weights):
        if values is not None:
            series = nw.from_native(values, series_only=True, pass_through=True)
            yield _array(series) if isinstance(series, nw.Series) else np.asarray(values)


def _array(column: nw.Series[Any]) -> Array:
    if column.dtype.is_numeric() or column.dtype == nw.Boolean:
        return np.asarray(column.to_numpy())
    return np.array(column.to_list(), dtype=object)


def _bits(values: Array) -> Keys:
    """Return a 64-bit word for each value. Equal numbers of any types have equal words, as have equal texts."""
    if values.dtype.kind in "iu" and values.dtype.itemsize == 8:
        exact = values.astype(np.float64)
        large = np.abs(exact) >= 2.0**53
        words = (exact + 0.0).view(np.uint64)
        return np.where(large, _mixed(values.view(np.uint64)), words)
    if values.dtype.kind in "biuf":
        numbers = values.astype(np.float64) + 0.0  # one zero
        numbers[np.isnan(numbers)] = np.nan  # and one NaN
        return numbers.view(np.uint64)
    given = values.tolist()
    word_of = {value: _word(value) for value in set(given)}
    return np.array([word_of[value] for value in given], dtype=np.uint64)


def _word(value: object) -> np.uint64:
    if is_missing(value):
        return MISSING
    if isinstance(value, int | float | np.number | np.bool_):
        number = np.array([value])
        if number.dtype != object:  # an integer beyond 64 bits
            return np.uint64(_bits(number)[0])
    digest = blake2b(str(value).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def _mixed(words: Keys) -> Keys:
    """Return hashes of words: every bit of the result depends on every bit of the word."""
    words = words ^ (words >> np.uint64(30))
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words
