"""Archives of arrays (.npz)."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import numpy as np
from numpy.lib import format as npy
from scipy import sparse

from thresher._utils.types import Array
from thresher.io import read_error
from thresher.io.stored import (
    StreamedMatrix,
    choose_arrays,
    read_columns,
    write_blocks,
    write_sparse,
)
from thresher.io.table import Opener, TableSource
from thresher.io.temporary import TemporaryStore

# Arrays of every sparse matrix of SciPy, and of those in CSR or CSC format.
_SPARSE = {"format", "shape", "data"}
_OF_SPARSE = {"format", "shape", "data", "indices", "indptr"}
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


class _Member(StreamedMatrix):
    """An array of an .npz file."""

    def read(self) -> Array:
        with zipfile.ZipFile(self.path) as archive, archive.open(self.name) as file:
            values: Array = npy.read_array(file, allow_pickle=False)
        return values

    @contextmanager
    def open(self) -> Iterator[IO[bytes]]:
        with zipfile.ZipFile(self.path) as archive, archive.open(self.name) as file:
            _read_header(file)
            yield file


def _read_header(file: IO[bytes]) -> tuple[tuple[int, ...], bool, np.dtype[np.generic]] | None:
    """Return shape, order and type; None for records with names that are not Latin."""
    read = _HEADERS.get(npy.read_magic(file))
    return None if read is None else read(file)


def _read_members(path: Path) -> dict[str, _Member]:
    members = {}
    with zipfile.ZipFile(path) as archive:
        for entry in archive.namelist():
            with archive.open(entry) as file:
                header = _read_header(file) if entry.endswith(".npy") else None
            if header is not None:
                shape, by_columns, dtype = header
                members[entry[: -len(".npy")]] = _Member(path, entry, shape, dtype, by_columns)
    return members


def size(path: Path) -> int:
    """Return the bytes of all arrays in memory."""
    return sum(member.nbytes for member in _read_members(path).values())


def read(path: Path, open_file: Opener, scratch: TemporaryStore | None) -> TableSource:
    """Read arrays of NumPy, or a sparse matrix of SciPy."""
    try:
        members = _read_members(path)
        if scratch is not None and members.keys() >= _OF_SPARSE:
            kind = np.asarray(members["format"].read(), dtype=str).item()
            if kind in ("csr", "csc"):
                values, indices = (
                    write_blocks(member.lines(scratch.block_bytes), member.dtype, scratch)
                    for member in (members["data"], members["indices"])
                )
                shape = tuple(members["shape"].read().tolist())
                starts = members["indptr"].read()
                return TableSource(write_sparse(kind, shape, (values, indices, starts), scratch))
        if members.keys() >= _SPARSE:
            return TableSource(sparse.load_npz(path))
        arrays = {n: m if m.ndim == 2 else m.read() for n, m in members.items()}
        return read_columns(choose_arrays(path, arrays), scratch)
    except Exception as error:  # any error of NumPy, SciPy and zipfile
        raise read_error(path, error) from None
