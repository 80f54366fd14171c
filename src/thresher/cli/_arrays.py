"""Files of arrays: .npz and .h5ad."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from scipy import sparse

from thresher.cli._content import Content, Opener, opened_hdf5, package
from thresher.cli._errors import unreadable
from thresher.cli._stored import (
    StreamedMatrix,
    map_blocks,
    of_arrays,
    plain_numbers,
    spool_sparse,
    spooled_content,
)
from thresher.sources import Scratch, columns_of, spool_matrix

# What every sparse matrix of SciPy has.
_SPARSE = {"format", "shape", "data"}
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


class _Member(StreamedMatrix):
    """An array of an .npz file."""

    def read(self) -> Any:
        with zipfile.ZipFile(self.path) as archive, archive.open(self.name) as file:
            return npy.read_array(file, allow_pickle=False)

    @contextmanager
    def open(self) -> Iterator[Any]:
        with zipfile.ZipFile(self.path) as archive, archive.open(self.name) as file:
            _header(file)
            yield file


def _header(file: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]] | None:
    """Shape, order and type; None for records whose names are not Latin."""
    read = _HEADERS.get(npy.read_magic(file))
    return None if read is None else read(file)


def _members(path: Path) -> dict[str, _Member]:
    members = {}
    with zipfile.ZipFile(path) as archive:
        for entry in archive.namelist():
            with archive.open(entry) as file:
                header = _header(file) if entry.endswith(".npy") else None
            if header is not None:
                shape, by_columns, dtype = header
                members[entry[: -len(".npy")]] = _Member(path, entry, shape, dtype, by_columns)
    return members


def _mapped(member: _Member, scratch: Scratch) -> Any:
    return map_blocks(member.lines(scratch.block_bytes), member.dtype, scratch)


def size_of_numpy(path: Path) -> int:
    """Bytes that the arrays of an .npz file take in memory."""
    return sum(member.nbytes for member in _members(path).values())


def read_numpy(path: Path, open_file: Opener, scratch: Scratch | None) -> Content:
    """Arrays of NumPy, or a sparse matrix of SciPy."""
    try:
        if scratch is not None:
            return _spooled_numpy(path, scratch)
        with np.load(path, allow_pickle=False) as file:
            if set(file.files) >= _SPARSE:
                return Content(sparse.load_npz(path), None)
            members = {name: file[name] for name in file.files}
        arrays = {name: a for name, a in members.items() if isinstance(a, np.ndarray)}
        return of_arrays(path, arrays)
    except Exception as error:  # whatever NumPy, SciPy and zipfile meet in a damaged file
        raise unreadable(path, error) from None


def _spooled_numpy(path: Path, scratch: Scratch) -> Content:
    members = _members(path)
    if {"format", "shape", "data", "indices", "indptr"} <= members.keys():
        kind = np.asarray(members["format"].read(), dtype=str).item()
        if kind in ("csr", "csc"):
            values, places = (_mapped(members[name], scratch) for name in ("data", "indices"))
            shape = tuple(members["shape"].read().tolist())
            starts = members["indptr"].read()
            return Content(spool_sparse(kind, shape, values, places, starts, scratch), None)
    if members.keys() >= _SPARSE:  # of another form, one entry after the other
        return Content(sparse.load_npz(path), None)
    content = of_arrays(path, {n: m if m.ndim == 2 else m.read() for n, m in members.items()})
    return spooled_content(content, scratch)


def size_of_h5ad(path: Path) -> int:
    """Bytes that X of an .h5ad file takes in memory."""
    with _opened(path) as file:
        X = file["X"]
        arrays = [X] if hasattr(X, "shape") else [X["data"], X["indices"], X["indptr"]]
        return sum(int(array.size) * int(array.dtype.itemsize) for array in arrays)


def read_h5ad(path: Path, open_file: Opener, scratch: Scratch | None) -> Content:
    """X, the names of its columns and what is known of its rows; nothing else is read."""
    read_element = _reader_of_elements()
    try:
        with _opened(path) as file:
            obs, var = read_element(file["obs"]), read_element(file["var"])
            names = [str(name) for name in var.index]
            beside = {str(name): obs[name].to_numpy for name in obs.columns}
            if scratch is None:
                return Content(read_element(file["X"]), names, beside)
            return Content(_spooled_h5ad(path, file["X"], names, scratch), names, beside)
    except Exception as error:  # whatever HDF5 and anndata meet
        raise unreadable(path, error) from None


def _spooled_h5ad(path: Path, X: Any, names: list[str], scratch: Scratch) -> Any:
    if hasattr(X, "shape"):
        size = max(1, scratch.block_bytes // max(1, X.shape[1] * X.dtype.itemsize))
        lines = (plain_numbers(X[begin : begin + size]) for begin in range(0, X.shape[0], size))
        return columns_of([spool_matrix(str(path), names, lines, scratch)])
    kind = str(X.attrs.get("encoding-type", X.attrs.get("h5sparse_format", "csr")))[:3]
    shape = X.attrs.get("shape", X.attrs.get("h5sparse_shape"))
    entries = X["data"], X["indices"], X["indptr"][:]
    return spool_sparse(kind, tuple(int(n) for n in shape), *entries, scratch)


def _opened(path: Path) -> AbstractContextManager[Any]:
    return opened_hdf5(path, "anndata", "anndata")


def _reader_of_elements() -> Callable[[Any], Any]:
    package("anndata", "anndata", "anndata")
    try:
        from anndata.io import read_elem
    except ImportError:  # before 0.11
        from anndata.experimental import read_elem
    reader: Callable[[Any], Any] = read_elem
    return reader
