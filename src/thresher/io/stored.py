"""Arrays in files, dense or sparse, and the choice of features and labels among them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol, TypeAlias

import numpy as np
from scipy import sparse

from thresher._utils.checks import readable
from thresher._utils.types import Array, Matrix, Values
from thresher.io import BadFile
from thresher.io.sparse import SparseColumns, check_sparse, runs_of, write_columns, write_rows
from thresher.io.table import FileColumns, TableSource, default_names, join_parts
from thresher.io.temporary import TemporaryStore
from thresher.io.temporary_parts import write_matrix

# Names of the arrays of features and of feature names in files of several arrays.
_FEATURES = ("X", "data", "fea", "features")
_NAMES = ("feature_names", "names", "columns")


class Readable(Protocol):
    """A binary stream."""

    def read(self, size: int, /) -> bytes: ...


class Sliceable(Protocol):
    """An array or a dataset of HDF5, read some entries at a time."""

    @property
    def dtype(self) -> np.dtype[np.generic]: ...
    def __len__(self) -> int: ...
    def __getitem__(self, entries: slice, /) -> Array: ...


# Values, indices and starts of a matrix in CSR or CSC format.
Entries: TypeAlias = tuple[Sliceable, Sliceable, Array]
Dtype: TypeAlias = np.dtype[np.generic]


@dataclass(frozen=True)
class Stored(ABC):
    """An array in a file, not yet read."""

    path: Path
    name: str
    shape: tuple[int, ...]
    dtype: Dtype

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        """Bytes in memory."""
        return math.prod(self.shape) * self.dtype.itemsize

    @abstractmethod
    def read(self) -> Matrix:
        """Read the whole array."""

    @abstractmethod
    def to_file(self, names: list[str], scratch: TemporaryStore) -> FileColumns | SparseColumns:
        """Write the columns to a temporary file and return them."""


@dataclass(frozen=True)
class StoredMatrix(Stored):
    """A dense matrix of numbers."""

    by_columns: bool  # stored column by column, not row by row

    @abstractmethod
    def lines(self, n_bytes: int) -> Iterator[Array]:
        """Yield blocks of rows, or of columns, of about `n_bytes` bytes."""

    def to_file(self, names: list[str], scratch: TemporaryStore) -> FileColumns:
        lines = self.lines(scratch.block_bytes)
        return join_parts([write_matrix(str(self.path), names, lines, scratch, self.by_columns)])


class StreamedMatrix(StoredMatrix):
    """A dense matrix that can only be read sequentially."""

    @abstractmethod
    def open(self) -> AbstractContextManager[Readable]:
        """Open the stream of its numbers."""

    def lines(self, n_bytes: int) -> Iterator[Array]:
        shape = self.shape[::-1] if self.by_columns else self.shape
        width = int(np.prod(shape[1:], dtype=np.int64)) * self.dtype.itemsize
        size = max(1, n_bytes // width) * width
        with self.open() as file:
            for block in read_blocks(file, self.dtype, self.nbytes, size):
                yield block.reshape(-1, *shape[1:])


@dataclass(frozen=True)
class StoredSparse(Stored):
    """A sparse matrix."""

    n_entries: int

    @property
    def nbytes(self) -> int:
        return self.n_entries * (self.dtype.itemsize + np.dtype(np.int32).itemsize)


def read_blocks(file: Readable, dtype: Dtype, n_bytes: int, size: int) -> Iterator[Array]:
    """Yield the next `n_bytes` bytes of a file as numbers, about `size` bytes at a time."""
    size = max(1, size // dtype.itemsize) * dtype.itemsize
    for done in range(0, n_bytes, size):
        wanted = min(size, n_bytes - done)
        read = file.read(wanted)
        if len(read) < wanted:
            raise EOFError("it ends too early")
        yield to_native_numbers(np.frombuffer(read, dtype))


def write_blocks(blocks: Iterable[Array], dtype: Dtype, scratch: TemporaryStore) -> Array:
    """Write numbers of one type to a temporary file, and return them as a mapped array."""
    file = scratch.file()
    for block in blocks:
        file.write(block)
    dtype = to_native_numbers(np.empty(0, dtype)).dtype
    return file.array(dtype, (-1,)) if file.size else np.empty(0, dtype)


def to_native_numbers(values: Array) -> Array:
    """Return numbers in the byte order of this machine, of at most 8 bytes each."""
    if values.dtype.itemsize > 8:
        return values.astype(np.float64)
    return values.astype(values.dtype.newbyteorder("="), copy=False)


def write_sparse(
    kind: str, shape: tuple[int, ...], entries: Entries, scratch: TemporaryStore
) -> SparseColumns:
    """Write a sparse matrix in CSR or CSC format to temporary files, some rows or columns at a time."""
    values, indices, starts = entries
    if len(starts) - 1 != (shape[0] if kind == "csr" else shape[1]) or len(values) != len(indices):
        raise ValueError("its numbers of entries, rows and columns do not agree")
    if starts[0] != 0 or np.any(starts[1:] < starts[:-1]) or starts[-1] > len(values):
        raise ValueError("the starts of its rows or columns do not rise to the number of entries")
    form, across = (sparse.csr_matrix, shape[1]) if kind == "csr" else (sparse.csc_matrix, shape[0])
    n_entries = max(1, scratch.block_bytes // 16)

    def blocks() -> Iterator[Matrix]:
        for start, end in runs_of(starts[:-1] // n_entries):
            stored = slice(int(starts[start]), int(starts[end]))
            copies = (np.array(given[stored]) for given in (values, indices))  # to be sorted
            own = *copies, starts[start : end + 1] - starts[start]
            lines = end - start
            block = form(own, shape=(lines, across) if kind == "csr" else (across, lines))
            yield check_sparse(block, "it")

    if kind == "csr":
        return write_rows(blocks(), scratch)
    return write_columns(blocks(), shape[0], scratch)


def read_columns(source: TableSource, scratch: TemporaryStore | None) -> TableSource:
    """Return the source with its columns in memory or, with `scratch`, in a temporary file."""
    if not isinstance(source.columns, Stored):
        return source
    if scratch is None:
        return replace(source, columns=source.columns.read())
    names = source.names or default_names(source.shape[1])
    return replace(source, columns=source.columns.to_file(names, scratch), names=names)


def choose_arrays(path: Path, arrays: Values) -> TableSource:
    """Return the array of features, perhaps not yet read, and the arrays with one value per row."""
    tables = {n: a for n, a in arrays.items() if a.ndim == 2}
    known = [name for name in _FEATURES if name in tables]
    wide = known or [name for name, a in tables.items() if min(a.shape) > 1]
    if not known and len(wide) != 1:
        raise BadFile(
            f"{path} must have one array of rows and columns, or one named {', '.join(_FEATURES)}, got "
            + (", ".join(f"{readable(n)} {a.shape}" for n, a in arrays.items()) or "none")
        )
    X = arrays[wide[0]]
    if X.dtype.kind not in "biuf":
        raise BadFile(
            f"{path}: {readable(wide[0])} contains {X.dtype}, not numbers. Pass text columns as .csv or .parquet"
        )
    flat = {
        name: _unpack_cells(np.asarray(a.read() if isinstance(a, Stored) else a).ravel())
        for name, a in arrays.items()
        if name != wide[0] and not _is_sparse(a) and 1 in (a.ndim, *a.shape)
    }
    texts = [name for name in _NAMES if name in flat and len(flat[name]) == X.shape[1]]
    names = [_text(name) for name in flat.pop(texts[0])] if texts else []
    return TableSource(X, names, {n: a for n, a in flat.items() if len(a) == X.shape[0]})


def _unpack_cells(values: Array) -> Array:
    """Return values without the MATLAB cells around them."""
    if values.dtype != object:
        return values
    return np.array([_unpack_cell(cell) for cell in values], dtype=object)


def _unpack_cell(cell: object) -> object:
    while isinstance(cell, np.ndarray) and cell.size == 1:
        cell = cell.ravel()[0]
    return cell


def _text(name: object) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)


def _is_sparse(array: object) -> bool:
    return isinstance(array, StoredSparse) or sparse.issparse(array)
