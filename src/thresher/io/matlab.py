"""MATLAB files, versions 4 to 7.3."""

from __future__ import annotations

import io
import math
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import numpy as np
from scipy import sparse

from thresher._utils.types import Array, Values
from thresher.io import read_error
from thresher.io.hdf5 import open_hdf5
from thresher.io.sparse import SparseColumns
from thresher.io.stored import (
    Entries,
    Readable,
    Stored,
    StoredMatrix,
    StoredSparse,
    StreamedMatrix,
    choose_arrays,
    read_blocks,
    read_columns,
    to_native_numbers,
    write_blocks,
    write_sparse,
)
from thresher.io.table import Opener, TableSource, import_optional
from thresher.io.temporary import TemporaryStore

if TYPE_CHECKING:
    import h5py

# Types of elements, with text as bytes; types of arrays.
_INTEGERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 12: "i8", 13: "u8"}
_UTF8 = 16
_TYPES = _INTEGERS | {7: "f4", 9: "f8", _UTF8: "u1", 17: "u2", 18: "u4"}
_ARRAY, _COMPRESSED = 14, 15
_CELLS, _TEXT, _SPARSE, _DENSE = 1, 4, 5, range(6, 16)
_IS_COMPLEX = 0x800
_HEADER_BYTES = 128
_PIECE = 1 << 16
_BYTE = np.dtype(np.uint8)


class _Inflated:
    """A zlib stream, decompressed as it is read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._inflate = file, zlib.decompressobj()

    def read(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size and not self._inflate.eof:
            compressed = self._inflate.unconsumed_tail or self._file.read(_PIECE)
            parts.append(self._inflate.decompress(compressed, size))
            size -= len(parts[-1])
            if not compressed and not parts[-1]:
                break
        return b"".join(parts)


class _Elements:
    """The elements of the array at the position of a stream.

    Every size in the file is checked against the bytes that are left. The compiled reader of SciPy does not check, and
    a damaged file leads it to other memory.
    """

    def __init__(self, stream: BinaryIO, order: str) -> None:
        self._file: Readable = stream
        self._order, self._gap = order, 0
        kind, self.size = self._words()
        if kind == _COMPRESSED:
            self._file = _Inflated(stream)
            kind, _ = self._words()
        if kind != _ARRAY:
            raise ValueError("it contains another element where an array should be")
        flags = self.values()
        self.kind, self.is_complex = int(flags[0]) & 0xFF, bool(flags[0] & _IS_COMPLEX)
        self.n_entries = int(flags[1])  # of a sparse one
        self.shape: tuple[int, ...] = tuple(self.values().tolist())
        if len(self.shape) < 2 or min(self.shape) < 0:
            raise ValueError(f"it has an array of the shape {self.shape}")
        self.name = self.values().tobytes().decode()

    def _words(self) -> tuple[int, int]:
        first, second = _read_exactly(self._file, 8, np.dtype(self._order + "u4")).tolist()
        return first, second

    def open(self) -> tuple[np.dtype[np.generic], int, Readable]:
        """Return the type, the number of bytes and the stream of the next element."""
        _read_exactly(self._file, self._gap)
        tag = _read_exactly(self._file, 8)
        first, size = np.frombuffer(tag, self._order + "u4").tolist()
        self._type = first & 0xFFFF
        if self._type not in _TYPES:
            raise ValueError("it contains another element where numbers should be")
        dtype = np.dtype(self._order + _TYPES[self._type])
        if first >> 16:  # few bytes, stored in place of their number
            self._gap = 0
            return dtype, first >> 16, io.BytesIO(tag[4:].tobytes())
        self._gap = -size % 8
        return dtype, size, self._file

    def values(self, n_entries: int | None = None) -> Array:
        """Read the next element. Entries of one byte that are declared larger are Booleans."""
        dtype, size, file = self._open_entries(n_entries)
        return _read_exactly(file, size, dtype)

    def mapped(self, scratch: TemporaryStore, n_entries: int | None = None) -> Array:
        """Write the next element to a temporary file, and return it as a mapped array."""
        dtype, size, file = self._open_entries(n_entries)
        return write_blocks(read_blocks(file, dtype, size, scratch.block_bytes), dtype, scratch)

    def _open_entries(self, n_entries: int | None) -> tuple[np.dtype[np.generic], int, Readable]:
        dtype, size, file = self.open()
        is_boolean = size == n_entries and dtype.itemsize > 1
        return np.dtype(bool) if is_boolean else dtype, size, file

    def content(self) -> Array | None:
        """Return numbers, lines of text or cells; None for anything else."""
        if self.kind == _CELLS:
            cells = [self._cell() for _ in range(math.prod(self.shape))]
            return _object_array(cells).reshape(self.shape, order="F")
        if self.is_complex or self.kind not in (_TEXT, *_DENSE):
            return None
        values = self.values()
        if self.kind != _TEXT:
            return values.reshape(self.shape, order="F")
        letters = values.tobytes().decode() if self._type == _UTF8 else map(chr, values.tolist())
        lines = np.array(list(letters), dtype=str).reshape(self.shape, order="F")
        return np.array(["".join(line.ravel()) for line in lines], dtype=str)

    def _cell(self) -> Array | None:
        _read_exactly(self._file, self._gap)
        tag = _read_exactly(self._file, 8)
        size = int(np.frombuffer(tag, self._order + "u4")[1])
        self._gap = -size % 8
        if size == 0:
            return np.empty(0)
        array = tag.tobytes() + _read_exactly(self._file, size).tobytes()
        return _Elements(io.BytesIO(array), self._order).content()


def _read_exactly(file: Readable, n_bytes: int, dtype: np.dtype[np.generic] = _BYTE) -> Array:
    """Return the next `n_bytes` bytes of a file as numbers.

    Memory is used for the bytes that are there, not for the size that the file claims.
    """
    values = np.empty(n_bytes // dtype.itemsize, to_native_numbers(np.empty(0, dtype)).dtype)
    done = 0
    for block in read_blocks(file, dtype, n_bytes, _PIECE):
        values[done : done + len(block)] = block
        done += len(block)
    return values


@contextmanager
def _elements_at(path: Path, offset: int, order: str) -> Iterator[_Elements]:
    """Open a file at the array that starts at this offset."""
    with path.open("rb") as file:
        file.seek(offset)
        yield _Elements(file, order)


def _object_array(cells: Sequence[object]) -> Array:
    """Return an array of these objects, without converting them."""
    objects = np.empty(len(cells), object)
    objects[:] = cells
    return objects


@dataclass(frozen=True)
class _Matrix(StreamedMatrix):
    offset: int
    order: str

    def read(self) -> Array | None:
        with _elements_at(self.path, self.offset, self.order) as elements:
            return elements.content()

    @contextmanager
    def open(self) -> Iterator[Readable]:
        with _elements_at(self.path, self.offset, self.order) as elements:
            yield elements.open()[2]


@dataclass(frozen=True)
class _Sparse(StoredSparse):
    offset: int
    order: str

    def read(self) -> sparse.csc_matrix:
        with _elements_at(self.path, self.offset, self.order) as elements:
            indices, starts = elements.values(), elements.values()
            values = elements.values(int(starts[-1]))
        n_entries = int(starts[-1])  # the arrays may be longer
        return sparse.csc_matrix((values[:n_entries], indices[:n_entries], starts), self.shape)

    def to_file(self, names: list[str], scratch: TemporaryStore) -> SparseColumns:
        with _elements_at(self.path, self.offset, self.order) as elements:
            indices = elements.mapped(scratch)
            starts = elements.values().astype(np.int64)
            values = elements.mapped(scratch, int(starts[-1]))
        return write_sparse("csc", self.shape, (values, indices, starts), scratch)


def _read_version_5(path: Path) -> Values:
    """Return the arrays of numbers, not yet read, and those of text and cells."""
    arrays: Values = {}
    size = path.stat().st_size
    with path.open("rb") as file:
        order = "<" if file.read(_HEADER_BYTES)[-2:] == b"IM" else ">"
        offset = _HEADER_BYTES
        while offset < size:
            file.seek(offset)
            elements = _Elements(file, order)
            array = _read_element(path, elements, offset, order) if elements.name else None
            if array is not None:
                arrays[elements.name] = array
            offset += 8 + elements.size
    return arrays


def _read_element(
    path: Path, elements: _Elements, offset: int, order: str
) -> Array | Stored | None:
    about = (path, elements.name, elements.shape)
    if elements.is_complex and elements.kind in _DENSE and min(elements.shape) > 1:
        # Rejected later because of its type.
        return np.broadcast_to(np.complex128(0), elements.shape)
    if elements.is_complex or elements.kind not in (_SPARSE, *_DENSE):
        return elements.content()
    if elements.kind == _SPARSE:
        return _Sparse(*about, np.dtype(np.float64), elements.n_entries, offset, order)
    dtype, n_bytes, _ = elements.open()
    matrix = _Matrix(*about, dtype, True, offset, order)
    if n_bytes != matrix.nbytes:
        raise ValueError(f"the number of values of {elements.name} does not fit its shape")
    return matrix


def size(path: Path) -> int:
    """Return the bytes of all arrays of numbers in memory."""
    return sum(array.nbytes for array in _read_arrays(path).values() if isinstance(array, Stored))


def read(path: Path, open_file: Opener, scratch: TemporaryStore | None) -> TableSource:
    """Read the arrays of a .mat file."""
    try:
        return read_columns(choose_arrays(path, _read_arrays(path)), scratch)
    except Exception as error:  # any error of SciPy, HDF5 and this module
        raise read_error(path, error) from None


def _read_arrays(path: Path) -> Values:
    """Return the arrays of numbers, not yet read, and all others."""
    from scipy.io import loadmat, matlab

    version, _ = matlab.matfile_version(path)
    if version == 2:
        with open_hdf5(path, "h5py", "matlab") as file:
            known = {name: _read_item(path, name, item, file) for name, item in file.items()}
        return {name: array for name, array in known.items() if array is not None}
    if version == 1:
        return _read_version_5(path)
    return {name: array for name, array in loadmat(path).items() if name[:2] != "__"}


class _Dataset(StoredMatrix):
    """An array in HDF5, where the first axis is the last of MATLAB."""

    def read(self) -> Array:
        with import_optional("h5py", "h5py", "matlab").File(self.path) as file:
            values: Array = file[self.name][()].T
        return values

    def lines(self, n_bytes: int) -> Iterator[Array]:
        width = max(1, int(np.prod(self.shape[:-1])) * self.dtype.itemsize)
        with import_optional("h5py", "h5py", "matlab").File(self.path) as file:
            values = file[self.name]
            # Whole chunks are read, so that each is decompressed once.
            chunk = values.chunks[0] if values.chunks else 1
            size = max(1, n_bytes // (width * chunk)) * chunk
            for start in range(0, self.shape[-1], size):
                yield to_native_numbers(values[start : start + size])


class _Group(StoredSparse):
    """A sparse matrix in HDF5."""

    def read(self) -> sparse.csc_matrix:
        with import_optional("h5py", "h5py", "matlab").File(self.path) as file:
            values, indices, starts = _entries(file[self.name])
            return sparse.csc_matrix((values[:], indices[:], starts), shape=self.shape)

    def to_file(self, names: list[str], scratch: TemporaryStore) -> SparseColumns:
        with import_optional("h5py", "h5py", "matlab").File(self.path) as file:
            return write_sparse("csc", self.shape, _entries(file[self.name]), scratch)


def _entries(group: h5py.Group) -> Entries:
    """Return values, rows and the starts of columns; a matrix of zeros has neither values nor rows."""
    nothing = np.empty(0)
    starts = np.asarray(group["jc"][:], np.int64)
    return group.get("data", nothing), group.get("ir", nothing.astype(np.int64)), starts


def _read_item(
    path: Path, name: str, item: h5py.Dataset | h5py.Group, file: h5py.File
) -> Array | Stored | None:
    """Return an array of numbers, not yet read, or of cells or text; None for anything else."""
    if "MATLAB_sparse" in item.attrs:
        data, _, starts = _entries(item)
        shape = int(item.attrs["MATLAB_sparse"]), len(starts) - 1
        return _Group(path, name, shape, data.dtype, len(data))
    if not hasattr(item, "shape") or "MATLAB_empty" in item.attrs:
        return None
    if item.attrs.get("MATLAB_class") in (b"cell", b"char"):
        return _read_content(item, file)
    return _Dataset(path, name, item.shape[::-1], item.dtype, True)


def _read_content(item: h5py.Dataset, file: h5py.File) -> Array:
    """Return the content of an array of cells or letters; a line of letters is one text."""
    values: Array = item[()].T
    if "MATLAB_empty" in item.attrs:
        return np.empty(0, str)
    if item.attrs.get("MATLAB_class") == b"cell":
        cells = [_read_content(file[cell], file) for cell in values.ravel()]
        return _object_array(cells).reshape(values.shape)
    if item.attrs.get("MATLAB_class") == b"char":
        return np.array(["".join(map(chr, line)) for line in values])
    return values
