"""Files of AnnData (.h5ad)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from thresher.io import read_error
from thresher.io.hdf5 import open_hdf5
from thresher.io.sparse import SparseColumns
from thresher.io.stored import to_native_numbers, write_sparse
from thresher.io.table import FileColumns, Opener, TableSource, import_optional, join_parts
from thresher.io.temporary import TemporaryStore
from thresher.io.temporary_parts import write_matrix

if TYPE_CHECKING:
    import h5py


def size(path: Path) -> int:
    """Return the bytes of X in memory."""
    with open_hdf5(path, "anndata", "anndata") as file:
        X = file["X"]
        arrays = [X] if hasattr(X, "shape") else [X["data"], X["indices"], X["indptr"]]
        return sum(int(array.size) * int(array.dtype.itemsize) for array in arrays)


def read(path: Path, open_file: Opener, scratch: TemporaryStore | None) -> TableSource:
    """Read X, the names of its columns and the annotations of its rows; nothing else."""
    import_optional("anndata", "anndata", "anndata")
    try:
        from anndata.io import read_elem
    except ImportError:  # before 0.11
        from anndata.experimental import read_elem
    try:
        with open_hdf5(path, "anndata", "anndata") as file:
            obs, var = read_elem(file["obs"]), read_elem(file["var"])
            names = [str(name) for name in var.index]
            extra = {str(name): obs[name].to_numpy for name in obs.columns}
            if scratch is None:
                return TableSource(read_elem(file["X"]), names, extra)
            return TableSource(_write_h5ad(path, file["X"], names, scratch), names, extra)
    except Exception as error:  # any error of HDF5 and anndata
        raise read_error(path, error) from None


def _write_h5ad(
    path: Path, X: h5py.Dataset | h5py.Group, names: list[str], scratch: TemporaryStore
) -> FileColumns | SparseColumns:
    if hasattr(X, "shape"):
        size = max(1, scratch.block_bytes // max(1, X.shape[1] * X.dtype.itemsize))
        lines = (to_native_numbers(X[start : start + size]) for start in range(0, X.shape[0], size))
        return join_parts([write_matrix(str(path), names, lines, scratch)])
    kind = str(X.attrs.get("encoding-type", X.attrs.get("h5sparse_format", "csr")))[:3]
    shape = X.attrs.get("shape", X.attrs.get("h5sparse_shape"))
    entries = X["data"], X["indices"], X["indptr"][:]
    return write_sparse(kind, tuple(int(n) for n in shape), entries, scratch)
