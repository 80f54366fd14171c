"""Rows stored as packed codes or numbers, and the keys by which they are found again."""

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
from thresher._utils.types import Array, Floats
from thresher.blocks.engine import RowBlock
from thresher.data import is_frame, to_feature_major, unmasked

Codes = npt.NDArray[np.uint8]
Indices = npt.NDArray[np.intp]
Cuts = Sequence[Floats | None]
# The distinct values of columns of categories, by column.
Texts: TypeAlias = dict[int, list[str]]

MOST_LEVELS = 256
# Whole numbers in so short a span are coded by their distance from the smallest, unless doubles skip some of them.
SHORT_SPAN = 8


@dataclass(frozen=True)
class PackedRows:
    """Some rows, of which single ones can be taken.

    Attributes
    ----------
    coded : ndarray of int
        Columns that are codes, ascending.
    values : list of ndarray
        For each of them, what its codes stand for, ascending; NaN, the last, for missing values.
    codes : CodedTable
    others : ndarray of shape (n_others, n_rows)
        The other columns, in their order.
    texts : dict of int to list of str
        What the numbers of categories stand for.
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
        """The rows as numbers: of a column with given cuts, each value as one of the same bin."""
        return self.numbers(np.arange(self.shape[1])).T

    def numbers(self, wanted: Indices) -> Array:
        """Some columns as numbers, a copy."""
        place = np.full(self.shape[1], -1)
        place[self.coded] = np.arange(len(self.coded))
        others = np.cumsum(place < 0) - 1
        is_coded = place[wanted] >= 0
        if not is_coded.any():
            return np.asarray(self.others[others[wanted]])
        found = np.empty((len(wanted), len(self)))
        found[~is_coded] = self.others[others[wanted[~is_coded]]]
        places = place[wanted[is_coded]]
        codes = self.codes.matrix(places.astype(np.uint32))
        for i, own, place_of in zip(np.flatnonzero(is_coded), codes, places, strict=True):
            np.take(self.values[place_of], own, out=found[i], mode="clip")
        return found

    def take(self, places: Indices) -> PackedRows:
        """Some of the rows."""
        codes = self.codes.take(places)
        return PackedRows(self.coded, self.values, codes, self.others[:, places], self.texts)

    def is_like(self, other: PackedRows) -> bool:
        """Whether both have categories in the same columns, so that they can be joined."""
        return self.texts.keys() == other.texts.keys()

    def with_texts(self, texts: Texts) -> PackedRows:
        """The same rows by longer tables of texts."""
        if texts == self.texts:
            return self
        values, others = list(self.values), self.others.copy()
        numbers = np.delete(np.arange(self.shape[1]), self.coded)
        for column, own in texts.items():
            place = {text: float(i) for i, text in enumerate(own)}
            rank = np.array([place[text] for text in self.texts[column]])
            i = int(np.searchsorted(self.coded, column))
            if i < len(self.coded) and self.coded[i] == column:
                values[i] = _looked_up(rank, values[i])
            else:
                j = int(np.searchsorted(numbers, column))
                others[j] = _looked_up(rank, others[j])
        return PackedRows(self.coded, values, self.codes, others, texts)


def pack_rows(matrix: Array, texts: Texts, cuts: Cuts) -> PackedRows:
    """Rows that were read, packed: columns with cuts by their bins, others without loss."""
    n, p = matrix.shape
    columns = to_feature_major(matrix)
    codes = np.zeros((p, n), dtype=np.uint8)
    values: dict[int, Floats] = {}
    if n and p:
        scan = _core.scan_columns(matrix, 1)
        finite = scan.n_infinite == 0
        given = {
            i: np.asarray(own, dtype=np.float64)
            for i, own in enumerate(cuts)
            if own is not None and finite[i] and i not in texts
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
            own = columns[column] - lowest
            codes[column] = np.where(np.isnan(own), 0, own)
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
    """The rows of both, which are alike; columns that are codes in both stay so."""
    a, b = _with_same_texts(a, b)
    coded, from_a, from_b = np.intersect1d(a.coded, b.coded, return_indices=True)
    tables = [_union(a.values[i], b.values[j]) for i, j in zip(from_a, from_b, strict=True)]
    few = np.flatnonzero([len(own) <= MOST_LEVELS for own in tables])
    coded, from_a, from_b = coded[few], from_a[few], from_b[few]
    tables = [tables[i] for i in few]
    codes = np.concatenate(
        [_recoded(own, places, tables) for own, places in ((a, from_a), (b, from_b))],
        axis=1,
    )
    rest = np.delete(np.arange(a.shape[1]), coded)
    more = pack_rows(np.concatenate([a.numbers(rest), b.numbers(rest)], axis=1).T, {}, ())
    coded = np.concatenate([coded, rest[more.coded]])
    order = np.argsort(coded)
    tables = [[*tables, *more.values][i] for i in order]
    codes = np.concatenate([codes, more.codes.matrix()])[order]
    return PackedRows(coded[order], tables, _table(codes, tables), more.others, a.texts)


def same_rows(a: PackedRows, b: PackedRows) -> bool:
    """Whether two lists of rows, packed by the same cuts, hold the same."""
    if not a.is_like(b):
        return False
    first, second = _with_same_texts(a, b)
    return np.array_equal(first.matrix(), second.matrix(), equal_nan=True)


def _with_same_texts(a: PackedRows, b: PackedRows) -> tuple[PackedRows, PackedRows]:
    texts = {column: sorted({*own, *b.texts[column]}) for column, own in a.texts.items()}
    return a.with_texts(texts), b.with_texts(texts)


def _table(codes: Codes, tables: list[Floats]) -> _core.CodedTable:
    levels = np.array([len(own) for own in tables], dtype=np.int32)
    return _core.CodedTable.from_codes(np.ascontiguousarray(codes), levels)


def _union(a: Floats, b: Floats) -> Floats:
    return a if np.array_equal(a, b, equal_nan=True) else np.unique(np.concatenate([a, b]))


def _recoded(rows: PackedRows, places: Indices, tables: list[Floats]) -> Codes:
    """The codes of some coded columns by other tables, which hold all their values."""
    codes = rows.codes.matrix(places.astype(np.uint32))
    for own, place, table in zip(codes, places.tolist(), tables, strict=True):
        before = rows.values[place]
        if len(before) < len(table):
            own[:] = np.searchsorted(table, before).astype(np.uint8)[own]
    return codes


def _looked_up(table: Floats, ranks: Array) -> Floats:
    """What ranks stand for in a table, NaN as it is."""
    missing = np.isnan(ranks)
    return np.append(table, np.nan)[np.where(missing, len(table), ranks).astype(np.intp)]


def _code_bins(
    columns: Array, codes: Codes, values: dict[int, Floats], given: dict[int, Floats]
) -> None:
    """Codes of columns with cuts: a bin stands as its largest value, the last as what follows the cuts."""
    of_all = [given.get(i, np.empty(0)) for i in range(len(columns))]
    offsets = np.cumsum([0, *map(len, of_all)], dtype=np.int64)
    codes[:] = _core.apply_cuts(columns, np.concatenate(of_all), offsets, 1)
    for place, own in given.items():
        with np.errstate(over="ignore"):
            beyond = np.nextafter(own[-1], np.inf) if own.size else 0.0
        if np.isfinite(beyond):
            values[place] = np.append(own, beyond)


def _code_few(column: Array, codes: Codes, values: dict[int, Floats], place: int) -> None:
    """Codes of a column with few distinct values; one with many stays as it is."""
    most = min(MOST_LEVELS - 1, len(column) // 2)
    if len(np.unique(column[: 4 * MOST_LEVELS])) > most:
        return
    found, own = np.unique(np.where(np.isnan(column), 0, column), return_inverse=True)
    if len(found) <= most:
        codes[:] = own.reshape(-1)
        values[place] = found.astype(np.float64) + 0.0


Keys = npt.NDArray[np.uint64]

MISSING = np.uint64(np.array(np.nan).view(np.uint64))


def row_keys(block: RowBlock) -> Keys:
    """Two words for each row, made of its values, its target and its weight."""
    first, second = np.zeros((2, block.X.shape[0]), dtype=np.uint64)
    for place, column in enumerate(_values_of(block)):
        words = _mixed(_bits(column) + np.uint64((2 * place + 1) * 0x9E3779B97F4A7C15 % 2**64))
        first += words
        words ^= words >> np.uint64(32)
        words *= np.uint64(0xD1B54A32D192ED03)
        second += words
    return np.stack([first, second], axis=1)


def fingerprint(keys: Keys) -> list[int]:
    """The same for the same rows in any order; keys are mixed first, as they are sums over columns themselves."""
    found: list[int] = _mixed(keys).sum(axis=0).tolist()
    return found


def _values_of(block: RowBlock) -> Iterator[Array]:
    """The columns of X, the target and the weights, one after the other."""
    X = unmasked(block.X)
    if is_frame(X):
        frame = nw.from_native(X, eager_only=True)
        yield from (_array(frame[:, place]) for place in range(frame.shape[1]))
    elif sparse.issparse(X):
        columns = X.tocsc()
        for place in range(columns.shape[1]):
            yield columns[:, [place]].toarray().ravel()
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
    """A word for each value: equal numbers have equal words whatever their type, and so have equal texts."""
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
        if number.dtype != object:  # which holds whole numbers of any size
            return np.uint64(_bits(number)[0])
    digest = blake2b(str(value).encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return np.uint64(int.from_bytes(digest, "little"))


def _mixed(words: Keys) -> Keys:
    """Every bit of the result depends on every bit of the word."""
    words = words ^ (words >> np.uint64(30))
    words *= np.uint64(0xBF58476D1CE4E5B9)
    words ^= words >> np.uint64(27)
    words *= np.uint64(0x94D049BB133111EB)
    words ^= words >> np.uint64(31)
    return words
