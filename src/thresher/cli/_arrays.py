"""Files of arrays: .npz, .mat and .h5ad."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy
from scipy import sparse

from thresher._checks import first_line, readable
from thresher.cli._content import Content, Opener, numbered, package
from thresher.cli._errors import BadInput
from thresher.sources import (
    Scratch,
    SparseColumns,
    columns_of,
    spool_columns,
    spool_matrix,
    spool_rows,
)

# The array of features and its names in files of several arrays; those of one array need no name.
_FEATURES = ("X", "data", "fea", "features")
_NAMES = ("feature_names", "names", "columns")
_HEADERS = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}


@dataclass(frozen=True)
class _Member:
    """An array of an .npz file, not yet read."""

    path: Path
    entry: str
    shape: tuple[int, ...]
    by_columns: bool  # they lie one after the other, instead of rows
    dtype: np.dtype[Any]

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def nbytes(self) -> int:
        return int(np.prod(self.shape, dtype=np.int64)) * self.dtype.itemsize

    def read(self) -> Any:
        """All of it."""
        with zipfile.ZipFile(self.path) as archive, archive.open(self.entry) as file:
            return npy.read_array(file, allow_pickle=False)

    def lines(self, n_bytes: int) -> Iterator[Any]:
        """Some rows, or columns, at a time: about so many bytes."""
        shape = self.shape[::-1] if self.by_columns else self.shape
        width = int(np.prod(shape[1:], dtype=np.int64)) * self.dtype.itemsize
        size = max(1, n_bytes // width) * width
        with zipfile.ZipFile(self.path) as archive, archive.open(self.entry) as file:
            _header(file)
            for done in range(0, self.nbytes, size):
                read = file.read(min(size, self.nbytes - done))
                if len(read) < min(size, self.nbytes - done):
                    raise EOFError(f"{self.entry} ends too early")
                yield _plain(np.frombuffer(read, self.dtype).reshape(-1, *shape[1:]))

    def mapped(self, scratch: Scratch) -> Any:
        """All of it, in a temporary file."""
        file = scratch.file()
        for block in self.lines(scratch.block_bytes):
            file.write(block)
        dtype = _plain(np.empty(0, self.dtype)).dtype
        return file.array(dtype, (-1,)) if file.size else np.empty(0, dtype)


def _header(file: Any) -> tuple[tuple[int, ...], bool, np.dtype[Any]] | None:
    """Shape, order and type; None for records whose names are not Latin."""
    read = _HEADERS.get(npy.read_magic(file))
    return None if read is None else read(file)


def _plain(values: Any) -> Any:
    """Numbers as this machine has them, of at most 8 bytes."""
    if values.dtype.itemsize > 8:
        return values.astype(np.float64)
    return values.astype(values.dtype.newbyteorder("="), copy=False)


def _members(path: Path) -> dict[str, _Member]:
    members = {}
    with zipfile.ZipFile(path) as archive:
        for entry in archive.namelist():
            with archive.open(entry) as file:
                header = _header(file) if entry.endswith(".npy") else None
            if header is not None:
                members[entry[: -len(".npy")]] = _Member(path, entry, *header)
    return members


def size_of_numpy(path: Path) -> int:
    """Bytes that the arrays of an .npz file take in memory."""
    return sum(member.nbytes for member in _members(path).values())


def read_numpy(path: Path, open_file: Opener, scratch: Scratch | None) -> Content:
    """Arrays of NumPy, or a sparse matrix of SciPy."""
    try:
        if scratch is not None:
            return _spooled_numpy(path, scratch)
        with suppress(ValueError, KeyError, OSError):
            return Content(sparse.load_npz(path), None)
        with np.load(path, allow_pickle=False) as file:
            return _of_arrays(path, {name: file[name] for name in file.files})
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise BadInput(f"{path} cannot be read: {error}") from None


def _spooled_numpy(path: Path, scratch: Scratch) -> Content:
    members = _members(path)
    if {"format", "shape", "data", "indices", "indptr"} <= members.keys():
        kind = np.asarray(members["format"].read(), dtype=str).item()
        if kind in ("csr", "csc"):
            values, places = (members[name].mapped(scratch) for name in ("data", "indices"))
            shape = tuple(members["shape"].read().tolist())
            starts = members["indptr"].read()
            return Content(_spooled_sparse(kind, shape, values, places, starts, scratch), None)
    with suppress(ValueError, KeyError):  # of another form, one entry after the other
        return Content(sparse.load_npz(path), None)
    content = _of_arrays(path, {n: m if m.ndim == 2 else m.read() for n, m in members.items()})
    X, names = content.X, content.names or numbered(content.X.shape[1])
    part = spool_matrix(str(path), names, X.lines(scratch.block_bytes), scratch, X.by_columns)
    return Content(columns_of([part]), names, content.beside)


def _spooled_sparse(
    kind: str, shape: tuple[int, ...], values: Any, places: Any, starts: Any, scratch: Scratch
) -> SparseColumns:
    """Compressed rows or columns, of which some at a time are read from what can be sliced."""
    form, across = (sparse.csr_matrix, shape[1]) if kind == "csr" else (sparse.csc_matrix, shape[0])
    n_entries = max(1, scratch.block_bytes // 16)
    bounds = [0, *(np.flatnonzero(np.diff(starts[:-1] // n_entries)) + 1).tolist(), len(starts) - 1]

    def blocks() -> Iterator[Any]:
        for begin, end in pairwise(bounds):
            stored = slice(int(starts[begin]), int(starts[end]))
            entries = values[stored], places[stored], starts[begin : end + 1] - starts[begin]
            lines = end - begin
            yield form(entries, shape=(lines, across) if kind == "csr" else (across, lines))

    if kind == "csr":
        return spool_rows(blocks(), scratch)
    return spool_columns(blocks(), shape[0], scratch)


def size_of_matlab(path: Path) -> int:
    """Bytes that the largest array of numbers of a .mat file takes in memory."""
    from scipy import io

    return max((8 * int(np.prod(shape)) for _, shape, _ in io.whosmat(path)), default=0)


def read_matlab(path: Path, open_file: Opener, scratch: Scratch | None) -> Content:
    """Arrays of MATLAB, always into memory: SciPy reads each of them whole."""
    from scipy import io

    try:
        arrays = io.loadmat(path)
    except NotImplementedError:
        raise BadInput(f"{path} is of MATLAB 7.3 (HDF5); save it with -v7") from None
    except Exception as error:  # loadmat raises whatever its parser meets
        raise BadInput(f"{path} cannot be read: {error}") from None
    return _of_arrays(path, {name: value for name, value in arrays.items() if name[:2] != "__"})


def _of_arrays(path: Path, arrays: dict[str, Any]) -> Content:
    """The array of features, perhaps not yet read, and those with one value per row."""
    tables = {n: a for n, a in arrays.items() if a.ndim == 2}
    known = [name for name in _FEATURES if name in tables]
    wide = known or [name for name, a in tables.items() if min(a.shape) > 1]
    if not known and len(wide) != 1:
        raise BadInput(
            f"{path} must have one array of rows and columns, or one named {', '.join(_FEATURES)}, got "
            + (", ".join(f"{readable(n)} {a.shape}" for n, a in arrays.items()) or "none")
        )
    X = arrays[wide[0]]
    if X.dtype.kind not in "biuf":
        raise BadInput(
            f"{path}: {readable(wide[0])} holds {X.dtype}, not numbers; give columns of text as .csv or .parquet"
        )
    flat = {
        name: _unpacked(np.asarray(a.read() if isinstance(a, _Member) else a).ravel())
        for name, a in arrays.items()
        if name != wide[0] and not sparse.issparse(a) and 1 in (a.ndim, *a.shape)
    }
    texts = [name for name in _NAMES if name in flat and len(flat[name]) == X.shape[1]]
    names = [_text(name) for name in flat.pop(texts[0])] if texts else None
    return Content(X, names, {n: a for n, a in flat.items() if len(a) == X.shape[0]})


def _unpacked(values: Any) -> Any:
    """Values, each perhaps in a cell of MATLAB's."""
    if values.dtype != object:
        return values
    return np.array([_content(cell) for cell in values], dtype=object)


def _content(cell: Any) -> Any:
    while isinstance(cell, np.ndarray) and cell.size == 1:
        cell = cell.ravel()[0]
    return cell


def _text(name: Any) -> str:
    return name.decode() if isinstance(name, bytes) else str(name)


def size_of_h5ad(path: Path) -> int:
    """Bytes that X of an .h5ad file takes in memory."""
    with _h5py().File(path) as file:
        X = file["X"]
        arrays = [X] if hasattr(X, "shape") else [X["data"], X["indices"], X["indptr"]]
        return sum(int(array.size) * int(array.dtype.itemsize) for array in arrays)


def read_h5ad(path: Path, open_file: Opener, scratch: Scratch | None) -> Content:
    """X, the names of its columns and what is known of its rows; nothing else is read."""
    read_element = _reader_of_elements()
    try:
        with _h5py().File(path) as file:
            obs, var = read_element(file["obs"]), read_element(file["var"])
            names = [str(name) for name in var.index]
            beside = {str(name): obs[name].to_numpy for name in obs.columns}
            if scratch is None:
                return Content(read_element(file["X"]), names, beside)
            return Content(_spooled_h5ad(path, file["X"], names, scratch), names, beside)
    except Exception as error:  # whatever HDF5 and anndata meet
        raise BadInput(f"{path} cannot be read: {first_line(error)}") from None


def _spooled_h5ad(path: Path, X: Any, names: list[str], scratch: Scratch) -> Any:
    if hasattr(X, "shape"):
        size = max(1, scratch.block_bytes // max(1, X.shape[1] * X.dtype.itemsize))
        lines = (_plain(X[begin : begin + size]) for begin in range(0, X.shape[0], size))
        return columns_of([spool_matrix(str(path), names, lines, scratch)])
    kind = str(X.attrs.get("encoding-type", X.attrs.get("h5sparse_format", "csr")))[:3]
    shape = X.attrs.get("shape", X.attrs.get("h5sparse_shape"))
    entries = X["data"], X["indices"], X["indptr"][:]
    return _spooled_sparse(kind, tuple(int(n) for n in shape), *entries, scratch)


def _h5py() -> Any:
    return package("h5py", "anndata", "anndata")


def _reader_of_elements() -> Callable[[Any], Any]:
    package("anndata", "anndata", "anndata")
    try:
        from anndata.io import read_elem
    except ImportError:  # before 0.11
        from anndata.experimental import read_elem
    reader: Callable[[Any], Any] = read_elem
    return reader
