"""Sparse matrices: checks of their structure, and memory maps of their arrays."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from typing import TypeVar

import numpy as np
from scipy import sparse

from thresher._utils.arrays import LARGEST_EXACT
from thresher._utils.types import Array, Indices, Matrix
from thresher.io.temporary import StoreFile, TemporaryStore

T = TypeVar("T")


def check_sparse(X: T, name: str = "X") -> T:
    """Return X; raise ValueError for a sparse matrix with entries outside its shape or with inconsistent arrays.

    Anything but a sparse matrix passes. Time O(stored entries), without a copy; formats of Python lists and
    dictionaries take longer.
    """
    if sparse.issparse(X) and (fault := _find_fault(X)):
        raise ValueError(
            f"{name} is not a valid sparse matrix: {fault}. Build it again from its entries"
        )
    return X


def _find_fault(X: Matrix) -> str | None:
    if len(X.shape) != 2:
        return f"it has the shape {X.shape}, not rows and columns"
    if X.format == "dok":
        # SciPy reads the keys one by one, and rejects anything but an entry of the matrix.
        X = X.tocoo()
    checks: dict[str, Callable[[Matrix], str | None]] = {
        "csr": partial(_check_compressed, shape=X.shape),
        "csc": partial(_check_compressed, shape=X.shape[::-1]),
        "bsr": _check_blocks,
        "coo": _check_entries,
        "dia": _check_diagonals,
        "lil": _check_lists,
    }
    return checks[X.format](X) if X.format in checks else f"its format {X.format!r} is unknown"


def _check_compressed(X: Matrix, shape: tuple[int, int]) -> str | None:
    n_lines, width = shape
    starts, indices = X.indptr, X.indices
    if fault := _check_index_type("indptr", starts) or _check_index_type("indices", indices):
        return fault
    if len(starts) != n_lines + 1:
        return f"indptr has {len(starts)} values, not {n_lines + 1}"
    if len(indices) != len(X.data):
        return f"{len(indices)} indices have {len(X.data)} values"
    # Like SciPy, the core accepts arrays that are longer than the number of entries.
    if starts[0] != 0 or starts[-1] > len(indices) or (starts[1:] < starts[:-1]).any():
        return "indptr must rise from 0 to the number of entries"
    return _check_range("indices", indices[: starts[-1]], width)


def _check_blocks(X: Matrix) -> str | None:
    if X.data.ndim != 3:
        return f"its blocks have the shape {X.data.shape}, not three dimensions"
    height, width = X.data.shape[1:]
    if min(height, width) < 1 or X.shape[0] % height or X.shape[1] % width:
        return f"blocks of {height} x {width} do not fill the shape {X.shape}"
    return _check_compressed(X, (X.shape[0] // height, X.shape[1] // width))


def _check_entries(X: Matrix) -> str | None:
    for name, indices, size in (("rows", X.row, X.shape[0]), ("columns", X.col, X.shape[1])):
        if fault := _check_index_type(name, indices):
            return fault
        if len(indices) != len(X.data):
            return f"{len(indices)} {name} have {len(X.data)} values"
        if fault := _check_range(name, indices, size):
            return fault
    return None


def _check_diagonals(X: Matrix) -> str | None:
    if fault := _check_index_type("offsets", X.offsets):
        return fault
    if X.data.ndim != 2 or len(X.data) != len(X.offsets):
        return f"{len(X.offsets)} offsets have values of the shape {X.data.shape}"
    outside = (X.offsets <= -X.shape[0]) | (X.offsets >= X.shape[1])
    return f"a diagonal at {X.offsets[outside][0]} is outside its shape" if outside.any() else None


def _check_lists(X: Matrix) -> str | None:
    n_rows, n_columns = X.shape
    for name, lists in (("rows", X.rows), ("data", X.data)):
        if lists.shape != (n_rows,) or not all(isinstance(one, list) for one in lists):
            return f"{name} must be {n_rows} lists"
    for indices, values in zip(X.rows, X.data, strict=True):
        if len(indices) != len(values):
            return f"a row has {len(indices)} indices and {len(values)} values"
        if indices and not (min(indices) >= 0 and max(indices) < n_columns):
            return f"indices must be at least 0 and below {n_columns}"
    return None


def _check_index_type(name: str, indices: Array) -> str | None:
    """Return a fault unless indices are int32 or int64, the types of SciPy's compiled code and of the core."""
    if indices.ndim == 1 and indices.dtype in (np.int32, np.int64):
        return None
    return f"{name} must be int32 or int64 of one dimension, got {indices.dtype} {indices.shape}"


def _check_range(name: str, indices: Array, size: int) -> str | None:
    if len(indices) == 0 or (indices.min() >= 0 and indices.max() < size):
        return None
    return f"{name} must be at least 0 and below {size}"


def runs_of(numbers: Array) -> Iterator[tuple[int, int]]:
    """Return the ranges of positions with equal numbers."""
    return pairwise([0, *(np.flatnonzero(np.diff(numbers)) + 1).tolist(), len(numbers)])


_LARGEST_NARROW = np.iinfo(np.int32).max


class MappedMatrix(sparse.csc_matrix):  # type: ignore[misc]
    """A CSC matrix in a read-only memory map.

    `scratch` is the store for further temporary files; None for a part of such a matrix that is in memory.
    """

    scratch: TemporaryStore | None = None


@dataclass(frozen=True)
class SparseColumns:
    """Columns of blocks of rows, all of them mapped.

    Attributes
    ----------
    blocks : list of MappedMatrix
        With the same columns.
    indices : ndarray of int
        The columns in use, ascending.
    scratch : TemporaryStore
    """

    blocks: list[MappedMatrix]
    indices: Indices
    scratch: TemporaryStore

    @property
    def shape(self) -> tuple[int, int]:
        return sum(block.shape[0] for block in self.blocks), len(self.indices)

    def take(self, columns: slice | list[int]) -> SparseColumns:
        """Return the same rows with some of the columns."""
        return replace(self, indices=self.indices[columns])

    def column(self, index: int) -> Array:
        """Return one column, dense and in memory."""
        return np.asarray(self._columns(self.indices[[index]]).toarray().ravel())

    def rows(self, rows: Indices) -> sparse.csr_matrix:
        """Return some rows of all columns, in memory."""
        return sparse.hstack([group.tocsr()[rows] for group in self.column_groups()], format="csr")

    def column_groups(self) -> Iterator[sparse.csc_matrix]:
        """Yield groups of columns, in memory; a group has about as many entries as one block."""
        counts: Array | int = sum(np.diff(block.indptr)[self.indices] for block in self.blocks)
        size = self.scratch.block_bytes // 12
        number = np.cumsum(counts, dtype=np.int64) // max(1, size)
        for start, end in runs_of(number):
            yield self._columns(self.indices[start:end])

    def matrix(self) -> MappedMatrix:
        """Return the columns as one mapped matrix."""
        n_rows, n_columns = self.shape
        if len(self.blocks) == 1 and n_columns == self.blocks[0].shape[1]:
            return self.blocks[0]
        return write_columns(self.column_groups(), n_rows, self.scratch).blocks[0]

    def _columns(self, indices: Indices) -> sparse.csc_matrix:
        runs = np.split(indices, np.flatnonzero(np.diff(indices) != 1) + 1)
        values, rows, columns = [], [], []
        n_above = 0
        for block in self.blocks:
            starts = block.indptr
            for run in runs:
                stored = slice(int(starts[run[0]]), int(starts[run[-1] + 1]))
                values.append(block.data[stored])
                rows.append(block.indices[stored].astype(np.int64) + n_above)
            columns.append(np.repeat(np.arange(len(indices)), np.diff(starts)[indices]))
            n_above += block.shape[0]
        column = np.concatenate(columns)
        # Within a column, the rows of one block after those of another.
        order = np.argsort(column, kind="stable")
        starts = np.searchsorted(column[order], np.arange(len(indices) + 1))
        entries = np.concatenate(values)[order], np.concatenate(rows)[order], starts
        return sparse.csc_matrix(entries, shape=(n_above, len(indices)))


def write_rows(blocks: Iterable[Matrix], scratch: TemporaryStore) -> SparseColumns:
    """Write blocks of rows of a sparse matrix to temporary files; the widest block has all columns."""
    writer = _SparseWriter(scratch)
    for block in blocks:
        writer.add(block.tocsc())
        writer.end_block(block.shape[0])
    return writer.columns()


def write_columns(blocks: Iterable[Matrix], n_rows: int, scratch: TemporaryStore) -> SparseColumns:
    """Write blocks of columns of a sparse matrix to temporary files."""
    writer = _SparseWriter(scratch, is_narrow=n_rows <= _LARGEST_NARROW)
    for block in blocks:
        writer.add(block.tocsc())
    writer.end_block(n_rows)
    return writer.columns()


class _SparseWriter:
    """Writer of blocks of rows, each column by column.

    All blocks share three files, because a process may have few open.
    """

    def __init__(self, scratch: TemporaryStore, is_narrow: bool = True) -> None:
        self._scratch = scratch
        self._values, self._rows, self._starts = (scratch.file() for _ in range(3))
        self._index = np.dtype(np.int32 if is_narrow else np.int64)
        self._sizes: list[tuple[int, int, int]] = []  # rows, columns, entries
        self._begin_block()

    def _begin_block(self) -> None:
        self._n_columns = self._n_entries = 0
        self._starts.write(np.zeros(1, np.int64))

    def add(self, columns: sparse.csc_matrix) -> None:
        """Write more columns of the current block, in CSC format."""
        columns.sum_duplicates()
        values = columns.data.astype(np.float64)  # sums would copy any other type
        if columns.data.dtype.kind in "iu" and np.any(np.abs(values) > LARGEST_EXACT):
            raise ValueError(
                "it has integers beyond 2^53, which are distinct in memory only. Pass the matrix itself as X, "
                "or floats"
            )
        self._values.write(values)
        self._rows.write(columns.indices.astype(self._index))
        self._starts.write(columns.indptr[1:].astype(np.int64) + self._n_entries)
        self._n_columns += columns.shape[1]
        self._n_entries += columns.nnz

    def end_block(self, n_rows: int) -> None:
        self._sizes.append((n_rows, self._n_columns, self._n_entries))
        self._begin_block()

    def columns(self) -> SparseColumns:
        values = _map_file(self._values, np.dtype(np.float64))
        rows = _map_file(self._rows, self._index)
        widest = max((size[1] for size in self._sizes), default=0)
        starts = self._all_starts(widest)
        blocks, done = [], 0
        for i, (n_rows, _, n_entries) in enumerate(self._sizes):
            block = MappedMatrix((n_rows, widest), dtype=np.float64)
            stored = slice(done, done + n_entries)
            block.data, block.indices = values[stored], rows[stored]
            block.indptr = starts[i * (widest + 1) : (i + 1) * (widest + 1)]
            block.has_canonical_format = True
            block.scratch = self._scratch
            blocks.append(block)
            done += n_entries
        return SparseColumns(blocks, np.arange(widest), self._scratch)

    def _all_starts(self, widest: int) -> Array:
        """Return the column starts of all blocks, each as wide as the widest, in the type of the rows if they fit."""
        is_narrow = max((size[2] for size in self._sizes), default=0) <= _LARGEST_NARROW
        index = self._index if is_narrow else np.dtype(np.int64)
        written = _map_file(self._starts, np.dtype(np.int64))
        file = self._scratch.file()
        done = 0
        for _, n_columns, n_entries in self._sizes:
            file.write(written[done : done + n_columns + 1].astype(index))
            file.write(np.full(widest - n_columns, n_entries, dtype=index))
            done += n_columns + 1
        return _map_file(file, index)


def _map_file(file: StoreFile, dtype: np.dtype[np.generic]) -> Array:
    return file.array(dtype, (-1,)) if file.size else np.empty(0, dtype)
