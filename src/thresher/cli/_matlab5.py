"""Arrays of MATLAB 5 to 7: elements one after the other, perhaps compressed."""

from __future__ import annotations

import io
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from thresher.cli._stored import (
    Stored,
    StoredSparse,
    StreamedMatrix,
    map_blocks,
    read_blocks,
    spool_sparse,
)
from thresher.sources import Scratch

# Kinds of elements, those of text as bytes; and classes of arrays.
_INTEGERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 12: "i8", 13: "u8"}
_TYPES = _INTEGERS | {7: "f4", 9: "f8", 16: "u1"}
_COMPRESSED = 15
_SPARSE, _DENSE = 5, range(6, 16)
_IS_COMPLEX = 0x800
_HEADER_BYTES = 128
_PIECE = 1 << 16


class _Inflated:
    """What zlib compressed, inflated as it is read."""

    def __init__(self, file: BinaryIO) -> None:
        self._file, self._inflate = file, zlib.decompressobj()

    def read(self, size: int) -> bytes:
        parts: list[bytes] = []
        while size and not self._inflate.eof:
            some = self._inflate.unconsumed_tail or self._file.read(_PIECE)
            parts.append(self._inflate.decompress(some, size))
            size -= len(parts[-1])
            if not some and not parts[-1]:
                break
        return b"".join(parts)


class _Elements:
    """The elements of the array that begins at a place of a file."""

    def __init__(self, file: BinaryIO, place: int, order: str) -> None:
        self._order, self._gap = order, 0
        file.seek(place)
        self._file: Any = file
        kind, self.size = self._words()
        if kind == _COMPRESSED:
            self._file = _Inflated(file)
            self._words()
        flags = self.values()
        self.kind, self.is_complex = int(flags[0]) & 0xFF, bool(flags[0] & _IS_COMPLEX)
        self.n_entries = int(flags[1])  # of a sparse one
        self.shape = tuple(self.values().tolist())
        self.name = self.values().tobytes().decode()

    def _words(self) -> tuple[int, int]:
        first, second = np.frombuffer(self._exactly(8), self._order + "u4").tolist()
        return first, second

    def _exactly(self, size: int) -> bytes:
        read: bytes = self._file.read(size)
        if len(read) < size:
            raise EOFError("it ends too early")
        return read

    def open(self) -> tuple[np.dtype[Any], int, Any]:
        """The next element: its type, its bytes, and what they are read from, to their end."""
        self._exactly(self._gap)
        tag = self._exactly(8)
        first, size = np.frombuffer(tag, self._order + "u4").tolist()
        if first & 0xFFFF not in _TYPES:
            raise ValueError("it holds what is no number where one should be")
        dtype = np.dtype(self._order + _TYPES[first & 0xFFFF])
        if first >> 16:  # they are few, and in the place of their number
            self._gap = 0
            return dtype, first >> 16, io.BytesIO(tag[4:])
        self._gap = -size % 8
        return dtype, size, self._file

    def values(self) -> Any:
        """The next element, whole."""
        dtype, size, file = self.open()
        return np.frombuffer(file.read(size), dtype)

    def mapped(self, scratch: Scratch, n_entries: int | None = None) -> Any:
        """The next element, in a temporary file. Entries of a byte that are called larger are truth values."""
        dtype, size, file = self.open()
        if size == n_entries and dtype.itemsize > 1:
            dtype = np.dtype(bool)
        return map_blocks(read_blocks(file, dtype, size, scratch.block_bytes), dtype, scratch)


@dataclass(frozen=True)
class _Matrix(StreamedMatrix):
    place: int
    order: str

    def read(self) -> Any:
        return read_by_scipy(self.path, [self.name])[self.name]

    @contextmanager
    def open(self) -> Iterator[Any]:
        with self.path.open("rb") as file:
            _, _, values = _Elements(file, self.place, self.order).open()
            yield values


@dataclass(frozen=True)
class _Sparse(StoredSparse):
    place: int
    order: str

    def read(self) -> Any:
        return read_by_scipy(self.path, [self.name])[self.name]

    def spooled(self, names: list[str], scratch: Scratch) -> Any:
        with self.path.open("rb") as file:
            elements = _Elements(file, self.place, self.order)
            places = elements.mapped(scratch)
            starts = elements.values().astype(np.int64)
            values = elements.mapped(scratch, int(starts[-1]))
        return spool_sparse("csc", self.shape, values, places, starts, scratch)


def stored_arrays(path: Path) -> dict[str, Stored]:
    """The arrays of real numbers."""
    found: dict[str, Stored] = {}
    size = path.stat().st_size
    with path.open("rb") as file:
        order = "<" if file.read(_HEADER_BYTES)[-2:] == b"IM" else ">"
        place = _HEADER_BYTES
        while place < size:
            elements = _Elements(file, place, order)
            about = (path, elements.name, elements.shape)
            if elements.name and not elements.is_complex and elements.kind in _DENSE:
                dtype, n_bytes, _ = elements.open()
                matrix = _Matrix(*about, dtype, True, place, order)
                if n_bytes != matrix.nbytes:
                    raise ValueError(f"{elements.name} has not as many values as its shape says")
                found[elements.name] = matrix
            if elements.name and not elements.is_complex and elements.kind == _SPARSE:
                dtype = np.dtype(np.float64)
                found[elements.name] = _Sparse(*about, dtype, elements.n_entries, place, order)
            place += 8 + elements.size
    return found


def read_by_scipy(path: Path, names: list[str]) -> dict[str, Any]:
    """Some arrays, whole."""
    from scipy.io import loadmat

    found = loadmat(path, variable_names=names) if names else {}
    return {name: found[name] for name in names if name in found}
