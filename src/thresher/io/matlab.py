"""Files of MATLAB: versions 5 to 7; 7.3, which is HDF5; and 4, whose arrays are small and read whole."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse

from thresher.io.errors import unreadable
from thresher.io.hdf5 import opened_hdf5
from thresher.io.matlab5 import arrays_of
from thresher.io.stored import (
    Stored,
    StoredMatrix,
    StoredSparse,
    loaded,
    of_arrays,
    plain_numbers,
    spool_sparse,
    spooled,
)
from thresher.io.table import Opener, TableSource, package
from thresher.io.temporary import Scratch


def size(path: Path) -> int:
    """Bytes that the arrays of numbers of a .mat file take in memory."""
    return sum(array.nbytes for array in _arrays(path).values() if isinstance(array, Stored))


def read(path: Path, open_file: Opener, scratch: Scratch | None) -> TableSource:
    """Arrays of MATLAB."""
    try:
        source = of_arrays(path, _arrays(path))
        if not isinstance(source.columns, Stored):
            return source
        return loaded(source) if scratch is None else spooled(source, scratch)
    except Exception as error:  # whatever SciPy, HDF5 and we meet in a damaged file
        raise unreadable(path, error) from None


def _arrays(path: Path) -> dict[str, Any]:
    """Arrays of numbers, not yet read, and all others."""
    from scipy.io import loadmat, matlab

    version, _ = matlab.matfile_version(path)
    if version == 2:
        return _arrays_of_hdf5(path)
    if version == 1:
        return arrays_of(path)
    return {name: array for name, array in loadmat(path).items() if name[:2] != "__"}


class _Dataset(StoredMatrix):
    """An array in HDF5, where the first axis is the last of MATLAB."""

    def read(self) -> Any:
        with _h5py().File(self.path) as file:
            return file[self.name][()].T

    def lines(self, n_bytes: int) -> Iterator[Any]:
        width = max(1, int(np.prod(self.shape[:-1])) * self.dtype.itemsize)
        with _h5py().File(self.path) as file:
            values = file[self.name]
            # What was compressed together is inflated once.
            together = values.chunks[0] if values.chunks else 1
            size = max(1, n_bytes // (width * together)) * together
            for begin in range(0, self.shape[-1], size):
                yield plain_numbers(values[begin : begin + size])


class _Group(StoredSparse):
    """A sparse matrix in HDF5."""

    def read(self) -> Any:
        with _h5py().File(self.path) as file:
            values, places, starts = _entries(file[self.name])
            return sparse.csc_matrix((values[:], places[:], starts), shape=self.shape)

    def spooled(self, names: list[str], scratch: Scratch) -> Any:
        with _h5py().File(self.path) as file:
            return spool_sparse("csc", self.shape, *_entries(file[self.name]), scratch)


def _entries(group: Any) -> tuple[Any, Any, Any]:
    """Values, rows and the starts of columns; those of a matrix of zeros are not written."""
    nothing = np.empty(0)
    starts = np.asarray(group["jc"][:], np.int64)
    return group.get("data", nothing), group.get("ir", nothing.astype(np.int64)), starts


def _arrays_of_hdf5(path: Path) -> dict[str, Any]:
    with opened_hdf5(path, "h5py", "matlab") as file:
        known = {name: _array_of(path, name, item, file) for name, item in file.items()}
    return {name: array for name, array in known.items() if array is not None}


def _array_of(path: Path, name: str, item: Any, file: Any) -> Any:
    """An array of numbers, not yet read; cells and text; None for all else."""
    if "MATLAB_sparse" in item.attrs:
        data, _, starts = _entries(item)
        shape = int(item.attrs["MATLAB_sparse"]), len(starts) - 1
        return _Group(path, name, shape, data.dtype, len(data))
    if not hasattr(item, "shape") or "MATLAB_empty" in item.attrs:
        return None
    if item.attrs.get("MATLAB_class") in (b"cell", b"char"):
        return _content_of(item, file)
    return _Dataset(path, name, item.shape[::-1], item.dtype, True)


def _content_of(item: Any, file: Any) -> Any:
    """What is in an array of cells or letters; lines of letters are texts."""
    values = item[()].T
    if "MATLAB_empty" in item.attrs:
        return np.empty(0, str)
    if item.attrs.get("MATLAB_class") == b"cell":
        cells = [_content_of(file[cell], file) for cell in values.ravel()]
        found = np.empty(len(cells), object)
        found[:] = cells
        return found.reshape(values.shape)
    if item.attrs.get("MATLAB_class") == b"char":
        return np.array(["".join(map(chr, line)) for line in values])
    return values


def _h5py() -> Any:
    return package("h5py", "h5py", "matlab")
